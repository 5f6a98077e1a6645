/**
 * A server as Evertick uses it. Scripts run in READ COMMITTED transactions: what must not move is held by the script
 * itself, and every guard stands in a WHERE. Who loses to another transaction runs again from the start; who loses the
 * connection runs again only where nothing can have been written.
 */
import { EvertickError } from '../../core/error.ts'
import type { Host } from '../host.ts'
import type { CallerTransaction } from '../store.ts'
import { PoolError } from './connection-pool.ts'
import type { ExclusiveRequest, ReadOptions, SqlDriver, WriteOptions } from './driver.ts'
import { asTransaction, refuseNested } from './nested-write.ts'
import { isQueryable, runAsync } from './queryable.ts'
import { isInsert, type Row, row, type Script, type Step } from './script.ts'
import {
  classified,
  type ServerEngine,
  ServerFailure,
  type Session,
  type SessionPool,
  type Trouble,
} from './server-session.ts'
import { ServerTransaction } from './server-transaction.ts'

/** Enough for a storm of deadlocks; each waits a little longer than the last. */
const maxConflicts = 10
const maxReconnects = 3
const conflictNapMs = 10
const reconnectNapMs = 100
/** A renewal that comes this late is of no use: better fail, and try on a new connection. */
const pulseMs = 5_000
/** Longer than any statement of ours takes. */
const workMs = 15_000

export interface PoolSizes {
  /** Heartbeats and renewals have connections of their own: they never queue behind work. */
  readonly pulse: number
  readonly work: number
  /** For the transactions of handlers: as many as are open at once, the rest wait. */
  readonly handlers: number
}

export class ServerDriver implements SqlDriver {
  /** It holds rows of its own choice only; the lease, which is renewed, is what bounds it. */
  readonly longestTransactionMs = 60_000
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
    this.#pulse = engine.openPool(sizes.pulse, pulseMs)
    this.#work = engine.openPool(sizes.work, workMs)
    // A handler's own statements may take long; its transaction has a deadline.
    this.#handlers = engine.openPool(sizes.handlers, null)
  }

  async read<T>(script: () => Script<T>, { snapshot = false, pulse = false }: ReadOptions = {}): Promise<T> {
    const pool = pulse ? this.#pulse : this.#work
    return await this.#retrying(async () => {
      const run = this.#run(await pool.acquire(), snapshot ? 'snapshot' : 'none')
      return await run.toEnd(script())
    })
  }

  async write<T>(script: () => Script<T>, { pulse = false, slow = false }: WriteOptions = {}): Promise<T> {
    this.assertWritable()
    const pool = pulse ? this.#pulse : slow ? this.#handlers : this.#work
    const attempt = async () => await this.#run(await pool.acquire(), 'write').toEnd(script())
    // Who has a pulse tries again by itself, with a newer time.
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
        'tx is a pool: each query of it may take another connection.',
      )
    if (transaction instanceof ServerTransaction) return await transaction.run(script())
    const query = this.#engine.callerQuery(transaction)
    if (query !== null) return await runAsync({ query }, script(), dialect)
    if (isQueryable(transaction)) return await runAsync(transaction, script(), dialect)
    throw notATransaction(this.#engine.callerWords, 'tx is not a transaction that this database knows.')
  }

  async exclusive<T>(request: ExclusiveRequest<T>): Promise<T> {
    this.assertWritable()
    const deadline = new AbortController()
    let session: Session | null = null
    let broken = true
    try {
      session = await this.#handlers.acquire()
      const tx = new ServerTransaction(session, this.#engine.dialect)
      try {
        await session.begin('write')
        await runSteps(session, request.first())
        const late = lateAfter(request, deadline.signal)
        const result = await Promise.race([asTransaction(async () => await request.run(tx)), late])
        tx.end()
        await runSteps(session, request.last(result))
        await session.commit()
        broken = false
        return result
      } catch (error) {
        tx.end()
        // After a deadline the handler's statement may still be under way: that connection is given up.
        const usable = !(error instanceof EvertickError && error.code === 'transaction_timeout')
        if (usable) broken = !(await rolledBack(session))
        throw error
      }
    } catch (error) {
      throw classified(error, this.#engine)
    } finally {
      deadline.abort()
      session?.release(broken)
    }
  }

  /** The server's time, read in one short round trip. */
  async time(): Promise<number> {
    const found = await this.read(() => row(this.#engine.timeText), { pulse: true })
    return Number(found?.now)
  }

  /** A script has to find out. */
  changes(): null {
    return null
  }

  async rest(): Promise<void> {
    await this.#host.rest()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#pulse.close(), this.#work.close(), this.#handlers.close()])
  }

  #run(session: Session, kind: RunKind): Run {
    return new Run(session, kind, (error) => this.#troubleOf(error) === 'lost')
  }

  /** A script's own error is nobody's trouble but its caller's. */
  #troubleOf(error: unknown): Trouble {
    if (!(error instanceof ServerFailure) || error.cause instanceof PoolError) return 'other'
    return this.#engine.troubleOf(error)
  }

  async #retrying<T>(attempt: () => Promise<T>, mostReconnects = maxReconnects): Promise<T> {
    let conflicts = 0
    let reconnects = 0
    for (;;) {
      this.#assertOpen()
      try {
        return await attempt()
      } catch (error) {
        if (error instanceof MayBeWritten) throw classified(error.cause, this.#engine)
        const trouble = this.#troubleOf(error)
        if (trouble === 'conflict' && conflicts < maxConflicts) {
          conflicts += 1
          await this.#nap(conflictNapMs * conflicts)
        } else if (trouble === 'lost' && reconnects < mostReconnects) {
          reconnects += 1
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
    if (!this.#closed) return
    throw new EvertickError('database_closed', 'This Evertick has been stopped: its database is closed.', {
      next: 'Open a new one with Evertick.open().',
    })
  }
}

/** Something has been committed, or may have been: the script is not run again, and who asked finds out by reading. */
class MayBeWritten extends Error {}

type RunKind = 'none' | 'snapshot' | 'write'

/** One run of a script on one connection. */
class Run {
  readonly #session: Session
  readonly #kind: RunKind
  readonly #isLost: (error: unknown) => boolean
  #began = false
  #committing = false
  #committed = false

  constructor(session: Session, kind: RunKind, isLost: (error: unknown) => boolean) {
    this.#session = session
    this.#kind = kind
    this.#isLost = isLost
  }

  async toEnd<T>(script: Script<T>): Promise<T> {
    let broken = true
    try {
      if (this.#kind === 'snapshot') await this.#begin('snapshot')
      const result = await this.#steps(script)
      if (this.#began) await this.#committingWhile(async () => await this.#session.commit())
      broken = false
      return result
    } catch (error) {
      const lost = this.#isLost(error)
      if (!lost) broken = this.#began && !(await rolledBack(this.#session))
      throw this.#committed || (lost && this.#committing) ? new MayBeWritten('', { cause: error }) : error
    } finally {
      this.#session.release(broken)
    }
  }

  async #steps<T>(script: Script<T>): Promise<T> {
    let step = script.next()
    while (!step.done) {
      const { value } = step
      const run = async () => await this.#session.run(value)
      const alone = this.#kind === 'write' && !this.#began && isAlone(value)
      if (this.#kind === 'write' && !this.#began && !alone) await this.#begin('write')
      const answer = alone && !isRead(value) ? await this.#committingWhile(run) : await run()
      step = script.next(answer as Row[] & number)
    }
    return step.value
  }

  async #begin(kind: 'write' | 'snapshot'): Promise<void> {
    await this.#session.begin(kind)
    this.#began = true
  }

  async #committingWhile<T>(commit: () => Promise<T>): Promise<T> {
    this.#committing = this.#kind === 'write'
    const answer = await commit()
    this.#committing = false
    this.#committed = this.#kind === 'write'
    return answer
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

function isAlone(step: Step): boolean {
  return !isInsert(step) && step.alone === true
}

function isRead(step: Step): boolean {
  return !isInsert(step) && step.reads === true
}

/** A script on one connection, in whatever transaction that is in. */
export async function runSteps<T>(session: Session, script: Script<T>): Promise<T> {
  let step = script.next()
  while (!step.done) step = script.next((await session.run(step.value)) as Row[] & number)
  return step.value
}

async function rolledBack(session: Session): Promise<boolean> {
  try {
    await session.rollback()
    return true
  } catch {
    // The connection is gone, and with it the transaction.
    return false
  }
}

async function lateAfter<T>(request: ExclusiveRequest<T>, signal: AbortSignal): Promise<never> {
  await request.sleep(request.maxMs, signal)
  throw new EvertickError(
    'transaction_timeout',
    `The transaction took longer than ${request.maxMs} ms and was rolled back.`,
    {
      next: 'Do slow work before ctx.transaction, and only write inside it.',
    },
  )
}
