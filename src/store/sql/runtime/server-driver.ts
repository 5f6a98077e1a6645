/**
 * A server as Evertick uses it. Scripts run in READ COMMITTED transactions: what must not move is held by the script
 * itself, and every guard stands in a WHERE. A script that loses to another transaction runs again from the start; one that
 * loses the connection runs again only if nothing can have been written.
 */
import { EvertickError } from '../../../core/error.ts'
import type { Host } from '../../host.ts'
import type { CallerTransaction } from '../../store.ts'
import { PoolError } from './connection-pool.ts'
import type { Trouble } from './dialect.ts'
import {
  databaseClosed,
  type ExclusiveRequest,
  lateAfter,
  type ReadNow,
  type ReadOptions,
  type SqlDriver,
  type WriteOptions,
} from './driver.ts'
import { asTransaction, refuseNested } from './nested-write.ts'
import { isQueryable, runAsync } from './queryable.ts'
import { row, type Script } from './script.ts'
import { MayBeWritten, Run, type RunKind, rolledBack, runSteps } from './script-run.ts'
import {
  classified,
  type ServerEngine,
  ServerFailure,
  type Session,
  type SessionPool,
} from './server-session.ts'
import { ServerTransaction } from './server-transaction.ts'
import { socketOf } from './session-pool.ts'

/** Enough for a storm of deadlocks; each waits a little longer than the last. */
const maxConflicts = 10
const maxReconnects = 3
const conflictNapMs = 10
const reconnectNapMs = 100
/** After a first retry fails it goes on no longer than this: callers need to know that a server stays away. */
const reconnectMs = 2_000
/** A renewal this late is useless: it fails, and the next try uses a new connection. */
const pulseMs = 5_000
/** Longer than any statement of ours takes. */
const workMs = 15_000
const usualTransactionMs = 60_000

export interface PoolSizes {
  /** Heartbeats and renewals have connections of their own: they never queue behind work. */
  readonly pulse: number
  readonly work: number
  /** For the transactions of handlers: as many as are open at once, the rest wait. */
  readonly handlers: number
  /** How long each of these may take. @default a minute */
  readonly transactionMs?: number
}

export class ServerDriver implements SqlDriver {
  /** It holds only the rows that the handler chose; the renewed lease is what limits it. */
  readonly longestTransactionMs: number
  readonly longestHoldMs = 0
  readonly #engine: ServerEngine
  readonly #host: Host
  readonly #pulse: SessionPool
  readonly #work: SessionPool
  readonly #handlers: SessionPool
  #closed = false

  constructor(engine: ServerEngine, host: Host, sizes: PoolSizes) {
    this.#engine = engine
    this.#host = host
    this.longestTransactionMs = sizes.transactionMs ?? usualTransactionMs
    this.#pulse = engine.openPool(sizes.pulse, { answerMs: pulseMs, transactionMs: null })
    this.#work = engine.openPool(sizes.work, { answerMs: workMs, transactionMs: null })
    // A handler's own statements may take long; its transaction has a deadline, and our steps in it have theirs.
    const transactionMs = this.longestTransactionMs
    this.#handlers = engine.openPool(sizes.handlers, { answerMs: workMs, transactionMs })
  }

  async read<T>(script: () => Script<T>, { snapshot = false, pulse = false }: ReadOptions = {}): Promise<T> {
    const pool = pulse ? this.#pulse : this.#work
    return await this.#retrying(async () => {
      const run = this.#run(await pool.acquire(), snapshot ? 'snapshot' : 'none')
      return await run.toEnd(script())
    })
  }

  /** Not begun again where the connection is lost: what was read by then has been passed on. */
  async atOneMoment<T>(work: (read: ReadNow) => Promise<T>): Promise<T> {
    const session = await this.#retrying(async () => await this.#handlers.acquire({ slow: true }))
    let broken = true
    try {
      await session.begin('snapshot')
      const result = await work(async (script) => await runSteps(session, script()))
      await session.commit()
      broken = false
      return result
    } catch (error) {
      if (this.#troubleOf(error) !== 'lost') broken = !(await rolledBack(session))
      throw classified(error, this.#engine)
    } finally {
      session.release(broken)
    }
  }

  async write<T>(script: () => Script<T>, { pulse = false, slow = false }: WriteOptions = {}): Promise<T> {
    this.assertWritable()
    const pool = pulse ? this.#pulse : slow ? this.#handlers : this.#work
    const attempt = async () => await this.#run(await pool.acquire({ slow }), 'write').toEnd(script())
    // The caller of a pulse tries again by itself, with a newer time.
    return await this.#retrying(attempt, pulse ? 1 : maxReconnects)
  }

  assertWritable(): void {
    this.#assertOpen()
    refuseNested()
  }

  /** Every commit of a server is durable once it has answered. */
  async sync(): Promise<void> {}

  async within<T>(transaction: CallerTransaction, script: () => Script<T>): Promise<T> {
    this.#assertOpen()
    const { dialect } = this.#engine
    if (isPool(transaction))
      throw notATransaction(
        this.#engine.callerWords,
        'tx is a pool: each of its queries may use another connection.',
      )
    if (transaction instanceof ServerTransaction) return await transaction.run(script())
    const query = this.#engine.callerQuery(transaction)
    if (query !== null) return await runAsync({ query }, script(), dialect)
    if (isQueryable(transaction)) return await runAsync(transaction, script(), dialect)
    throw notATransaction(this.#engine.callerWords, 'tx is not a transaction of this database.')
  }

  async exclusive<T>(request: ExclusiveRequest<T>): Promise<T> {
    this.assertWritable()
    const session = await this.#retrying(async () => await this.#begun(request))
    const tx = new ServerTransaction(session, this.#engine.dialect)
    const over = new AbortController()
    let broken = true
    try {
      const work = asTransaction(async () => await request.run(tx))
      const result = await Promise.race([
        work,
        lateAfter(request, over.signal),
        this.#lossOf(session, over.signal),
      ])
      tx.end()
      await runSteps(session, request.last(result))
      await session.commit()
      broken = false
      return result
    } catch (error) {
      tx.end()
      if (!this.#leadsNowhere(error)) broken = !(await rolledBack(session))
      throw classified(error, this.#engine)
    } finally {
      over.abort()
      session.release(broken)
    }
  }

  /** The server's time, read in one short round trip. */
  async time(): Promise<number> {
    const answer = await this.read(() => row(this.#engine.timeText), { pulse: true })
    return Number(answer?.now)
  }

  /** A script has to find out. */
  changes(): null {
    return null
  }

  async rest(): Promise<void> {
    await this.#host.rest()
  }

  async close(graceMs?: number): Promise<void> {
    this.#closed = true
    const pools = [this.#pulse, this.#work, this.#handlers]
    await Promise.all(pools.map(async (pool) => await pool.close(graceMs)))
  }

  /** A handler's transaction as far as nothing of the user's has run in it: up to here it may be begun again. */
  async #begun({ first, slow = false }: Pick<ExclusiveRequest<unknown>, 'first' | 'slow'>): Promise<Session> {
    const session = await this.#handlers.acquire({ slow })
    try {
      await session.begin('write')
      await runSteps(session, first())
      return session
    } catch (error) {
      session.release(this.#leadsNowhere(error) || !(await rolledBack(session)))
      throw error
    }
  }

  /** Rejects where the connection is known to be gone: what its user still does in the transaction can come to nothing. */
  async #lossOf({ client }: Session, signal: AbortSignal): Promise<never> {
    return await new Promise((_resolve, reject) => {
      const socket = socketOf(client)
      const onClose = () => reject(new ServerFailure(new ConnectionGone()))
      socket.once('close', onClose)
      signal.addEventListener('abort', () => socket.off('close', onClose), { once: true })
    })
  }

  /** After a deadline a statement may still be under way: that connection is given up, and with it the transaction. */
  #leadsNowhere(error: unknown): boolean {
    const late = error instanceof EvertickError && error.code === 'transaction_timeout'
    return late || this.#troubleOf(error) === 'lost'
  }

  #run(session: Session, kind: RunKind): Run {
    return new Run(session, kind, (error) => this.#troubleOf(error) === 'lost')
  }

  /** An error of the script itself concerns only its caller. */
  #troubleOf(error: unknown): Trouble {
    if (!(error instanceof ServerFailure) || error.cause instanceof PoolError) return 'other'
    return this.#engine.troubleOf(error)
  }

  async #retrying<T>(attempt: () => Promise<T>, mostReconnects = maxReconnects): Promise<T> {
    let conflicts = 0
    let reconnects = 0
    let lostAt: number | null = null
    for (;;) {
      this.#assertOpen()
      try {
        return await attempt()
      } catch (error) {
        if (error instanceof MayBeWritten) throw classified(error.cause, this.#engine)
        const trouble = this.#troubleOf(error)
        const now = this.#host.monotonic()
        if (trouble === 'conflict' && conflicts < maxConflicts) {
          conflicts += 1
          await this.#nap(conflictNapMs * conflicts)
        } else if (trouble === 'lost' && reconnects < mostReconnects && now - (lostAt ?? now) < reconnectMs) {
          reconnects += 1
          lostAt ??= now
          await this.#nap(reconnectNapMs * 2 ** reconnects)
        } else {
          throw classified(error, this.#engine)
        }
      }
    }
  }

  async #nap(ms: number): Promise<void> {
    await this.#host.sleep(ms * (0.5 + this.#host.random() / 2))
  }

  #assertOpen(): void {
    if (this.#closed) throw databaseClosed()
  }
}

class ConnectionGone extends Error {
  readonly code = 'ECONNRESET'

  constructor() {
    super('The connection was lost.')
  }
}

/** By what the pools of pg and mysql2 have and their connections have not. */
function isPool(value: object): boolean {
  return 'getConnection' in value || ('totalCount' in value && 'idleCount' in value)
}

function notATransaction(words: string, message: string): EvertickError {
  return new EvertickError('invalid_option', message, {
    field: 'tx',
    next: `Pass ${words}, the tx of ctx.transaction, or an object with query(text, params).`,
  })
}
