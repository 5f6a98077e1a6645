/**
 * SQLite's own: the one writer of a process. Writes wait for their turn; those of one turn share a commit, and a handler's
 * transaction has a turn of its own. `BEGIN IMMEDIATE` always, since a deferred transaction that reads first fails at once
 * when another process has written.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Host } from '../host.ts'
import { type ExclusiveRequest, lateAfter } from '../sql/runtime/driver.ts'
import { asTransaction } from '../sql/runtime/nested-write.ts'
import type { Script } from '../sql/runtime/script.ts'
import { troubleOf } from './dialect.ts'
import type { OpenedFiles } from './opened-files.ts'
import type { Patience } from './patience.ts'
import type { SqliteSession } from './session.ts'
import { SqliteTransaction } from './transaction.ts'
import type { Waiting, WalSync } from './wal-sync.ts'

interface Write extends Waiting {
  readonly kind: 'write'
  /** `keep` makes what is written so far stay, whatever fails later. */
  readonly run: (keep: () => void) => void
  /** Whether the caller hears of it only once it is on disk. */
  readonly durable: boolean
}

type Turn = Write | { readonly kind: 'exclusive'; readonly run: () => Promise<void> }

interface WriterParts {
  readonly host: Host
  readonly patience: Patience
  /** Both null in memory. */
  readonly files: OpenedFiles | null
  readonly sync: WalSync | null
  /** The same error, with our code where its class is known. */
  readonly classified: (error: unknown) => Error
}

/** A commit waits for no more than this much work, so that the event loop and other processes get their turn. */
const groupMs = 8
const longHoldMs = 250

export class Writer {
  readonly #session: SqliteSession
  readonly #parts: WriterParts
  readonly #turns: Turn[] = []
  #working = false
  #exclusive: Promise<void> | null = null

  constructor(session: SqliteSession, parts: WriterParts) {
    this.#session = session
    this.#parts = parts
  }

  /** Ends with the handler's transaction that is open now; null where none is. */
  get openExclusive(): Promise<void> | null {
    return this.#exclusive
  }

  async write<T>(script: () => Script<T>, durable: boolean): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      let result: T
      this.#turns.push({
        kind: 'write',
        run: (keep) => {
          result = this.#session.run(script(), keep)
        },
        durable,
        settle: () => resolve(result),
        fail: reject,
      })
      this.#wake()
    })
  }

  async exclusive<T>(request: ExclusiveRequest<T>): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      // The turn is another's who came first: what this caller has entered (AsyncLocalStorage) would be that one's instead.
      const run = AsyncLocalStorage.bind(async () => {
        try {
          const result = await this.#runExclusive(request)
          this.#acknowledgeSynced([{ settle: () => resolve(result), fail: reject }])
        } catch (error) {
          reject(this.#parts.classified(error))
        }
      })
      this.#turns.push({ kind: 'exclusive', run })
      this.#wake()
    })
  }

  /** Everything written so far is on disk. */
  async sync(): Promise<void> {
    await new Promise<void>((settle, fail) => this.#acknowledgeSynced([{ settle, fail }]))
  }

  /** Nobody waits for a turn. */
  async idle(): Promise<void> {
    while (this.#working) await this.#turn()
  }

  /** Writes do not queue behind slices of long work. */
  async #turn(): Promise<void> {
    await new Promise<void>((resolve) => this.#parts.host.defer(resolve))
  }

  #wake(): void {
    if (this.#working) return
    this.#working = true
    // One turn of the event loop later, so that all who write in this turn share the commit.
    this.#parts.host.defer(() => void this.#work())
  }

  async #work(): Promise<void> {
    const { host, patience } = this.#parts
    let busySince: number | null = null
    while (this.#turns.length > 0) {
      const [turn] = this.#turns
      if (turn?.kind === 'exclusive') {
        this.#turns.shift()
        const begunAt = host.monotonic()
        await turn.run()
        if (host.monotonic() - begunAt > longHoldMs) await patience.letOthers()
        continue
      }
      const refusal = this.#begin()
      if (refusal === null) {
        busySince = null
        this.#commitGroup()
        if (this.#turns.length > 0) await this.#turn()
      } else {
        busySince ??= host.monotonic()
        if (troubleOf(refusal) !== 'conflict' || patience.isOver(busySince)) this.#failWrites(refusal)
        else await patience.nap()
      }
    }
    this.#working = false
  }

  /** Null once the transaction has begun; else why it has not. */
  #begin(): unknown {
    try {
      this.#session.step('BEGIN IMMEDIATE')
      return null
    } catch (error) {
      return error
    }
  }

  /** The writes at the head of the queue; an exclusive turn behind them makes its own try. */
  #failWrites(error: unknown): void {
    for (let turn = this.#turns[0]; turn?.kind === 'write'; turn = this.#turns[0]) {
      this.#turns.shift()
      turn.fail(this.#parts.classified(error))
    }
  }

  /** Runs the writes at the head of the queue in the open transaction, each in its own savepoint, and commits them. */
  #commitGroup(): void {
    const { host } = this.#parts
    const startedAt = host.monotonic()
    const isTime = () => host.monotonic() - startedAt < groupMs
    const group: Write[] = []
    for (
      let turn = this.#turns[0];
      turn?.kind === 'write' && (group.length === 0 || isTime());
      turn = this.#turns[0]
    ) {
      this.#turns.shift()
      const isOnly = group.length === 0 && this.#turns[0]?.kind !== 'write'
      const failure = this.#runOne(turn, isOnly)
      if (failure === null) group.push(turn)
      else turn.fail(failure)
      // A lone failure has rolled back; so has SQLite itself on a full disk, and with it the whole group.
      if (!this.#session.client.isTransaction) {
        for (const lost of group) lost.fail(failure)
        return
      }
    }
    try {
      this.#session.step('COMMIT')
    } catch (error) {
      if (this.#session.client.isTransaction) this.#session.exec('ROLLBACK')
      for (const write of group) write.fail(this.#parts.classified(error))
      return
    }
    this.#acknowledge(group.filter(({ durable }) => !durable))
    this.#acknowledgeSynced(group.filter(({ durable }) => durable))
  }

  /** The error of a script that failed. Nothing of it stays but what it has kept, and the others of the group go on. */
  #runOne(write: Write, isOnly: boolean): Error | null {
    const session = this.#session
    let isSaved = !isOnly
    const keep = () => {
      if (isSaved) session.step('RELEASE verb')
      session.step('SAVEPOINT verb')
      isSaved = true
    }
    try {
      if (isSaved) session.step('SAVEPOINT verb')
      write.run(keep)
      if (isSaved) session.step('RELEASE verb')
      return null
    } catch (error) {
      if (session.client.isTransaction) session.exec(isSaved ? 'ROLLBACK TO verb; RELEASE verb' : 'ROLLBACK')
      return this.#parts.classified(error)
    }
  }

  #acknowledgeSynced(writes: readonly Waiting[]): void {
    const { sync } = this.#parts
    if (sync === null) return this.#acknowledge(writes)
    if (writes.length === 0) return
    const fail = (error: unknown) => {
      for (const write of writes) write.fail(error)
    }
    sync.after([{ settle: () => this.#acknowledge(writes), fail }])
  }

  /** Nobody is told of a commit that went into a file which is no longer there. */
  #acknowledge(writes: readonly Waiting[]): void {
    const lost = writes.length === 0 ? null : (this.#parts.files?.look() ?? null)
    for (const write of writes) {
      if (lost === null) write.settle()
      else write.fail(lost)
    }
  }

  async #runExclusive<T>(request: ExclusiveRequest<T>): Promise<T> {
    const session = this.#session
    const over = new AbortController()
    const ended = Promise.withResolvers<void>()
    this.#exclusive = ended.promise
    const tx = new SqliteTransaction(session)
    try {
      await this.#parts.patience.whenFree(() => session.step('BEGIN IMMEDIATE'))
      session.run(request.first())
      const work = asTransaction(async () => await request.run(tx))
      const result = await Promise.race([work, lateAfter(request, over.signal)])
      session.run(request.last(result))
      session.step('COMMIT')
      return result
    } catch (error) {
      if (session.client.isTransaction) session.exec('ROLLBACK')
      throw error
    } finally {
      tx.end()
      over.abort()
      this.#exclusive = null
      ended.resolve()
    }
  }
}
