/**
 * SQLite as Evertick uses it: WAL, every acknowledged commit on disk, one writer queue per process. The writes of one
 * turn share a commit;
 * `BEGIN IMMEDIATE` always, since a deferred transaction that reads first fails at once when another process has written.
 */
import { EvertickError } from '../../core/error.ts'
import type { Host } from '../host.ts'
import type { ExclusiveRequest, ReadOptions, SqlDriver, WriteOptions } from '../sql/runtime/driver.ts'
import { asTransaction, isInsideTransaction, refuseNested } from '../sql/runtime/nested-write.ts'
import { isQueryable, runAsync } from '../sql/runtime/queryable.ts'
import type { Script } from '../sql/runtime/script.ts'
import type { CallerTransaction } from '../store.ts'
import { Connection, isDatabaseSync, isInMemory } from './connection.ts'
import { classify, isBusy, sqliteDialect } from './dialect.ts'
import { OpenedFiles } from './opened-files.ts'
import { isTransaction, SqliteTransaction } from './transaction.ts'
import { type Waiting, WalSync } from './wal-sync.ts'

interface Write extends Waiting {
  readonly run: (connection: Connection) => void
  /** Whether the caller hears of it only once it is on disk. */
  readonly durable: boolean
}

type Turn =
  | { readonly kind: 'write'; readonly write: Write }
  | { readonly kind: 'exclusive'; readonly run: () => Promise<void> }

/** A commit waits for no more than this much work, so that the event loop and other processes get their turn. */
const groupMs = 8
const busyRetryMs = 15
const busyGiveUpMs = 30_000
const longHoldMs = 250

export class SqliteDriver implements SqlDriver {
  /** It holds the process's writer: it is for writes, not for work. */
  readonly longestTransactionMs = 2_000
  readonly longestHoldMs = 2_000
  readonly #path: string
  readonly #host: Host
  readonly #writer: Connection
  readonly #reader: Connection
  /** Null in memory. */
  readonly #files: OpenedFiles | null
  readonly #sync: WalSync | null
  readonly #turns: Turn[] = []
  #working = false
  #exclusive: Promise<void> | null = null
  /** How long it waits for a file that another process holds. */
  #patienceMs = busyGiveUpMs
  #closed = false
  #closing: Promise<void> | null = null

  constructor(path: string, host: Host) {
    this.#path = path
    this.#host = host
    const opened: Connection[] = []
    const open = (): Connection => {
      const connection = Connection.open(path)
      opened.push(connection)
      return connection
    }
    try {
      this.#writer = open()
      // A file's reader never sees a transaction that is still open; in memory, a second connection would only wait.
      this.#reader = isInMemory(path) ? this.#writer : open()
      for (const { client } of opened) client.prepare('SELECT count(*) FROM sqlite_master').get()
      this.#files = isInMemory(path) ? null : new OpenedFiles(path)
      this.#sync = this.#files === null ? null : new WalSync(this.#files.wal)
    } catch (error) {
      for (const connection of opened) connection.close()
      throw classify(error, path)
    }
  }

  /** For migrations, which run before anything else does. */
  get connection(): Connection {
    return this.#writer
  }

  async read<T>(script: () => Script<T>, { snapshot = false }: ReadOptions = {}): Promise<T> {
    if (snapshot && this.#reader !== this.#writer) return await this.#whenFree(() => this.#inSlices(script))
    while (this.#exclusive !== null && this.#reader === this.#writer && !isInsideTransaction()) {
      await this.#exclusive
    }
    return await this.#whenFree(() =>
      this.#reader === this.#writer ? this.#writer.run(script()) : this.#snapshot(script),
    )
  }

  /** Readers of a file wait for nobody, but for one who repairs the log after the crash of a writer. */
  async #whenFree<T>(look: () => T | Promise<T>): Promise<T> {
    const since = this.#host.monotonic()
    for (;;) {
      this.#assertOpen()
      try {
        return await look()
      } catch (error) {
        if (!isBusy(error) || this.#host.monotonic() - since > this.#patienceMs)
          throw classify(error, this.#path)
        await this.#nap()
      }
    }
  }

  /** While another process holds the file. */
  async #nap(): Promise<void> {
    await this.#host.sleep(this.#host.random() * busyRetryMs)
  }

  /** All statements of a read see one moment, whatever other processes commit between them. */
  #snapshot<T>(script: () => Script<T>): T {
    const reader = this.#reader
    reader.step('BEGIN')
    try {
      return reader.run(script())
    } finally {
      if (reader.client.isTransaction) reader.step('COMMIT')
    }
  }

  /** On a connection of its own: while it rests, others read what is newer than its moment. */
  async #inSlices<T>(script: () => Script<T>): Promise<T> {
    const connection = Connection.open(this.#path)
    try {
      connection.step('BEGIN')
      return await connection.runInSlices(script(), async () => {
        await this.rest()
        this.#assertOpen()
      })
    } finally {
      connection.close()
    }
  }

  assertWritable(): void {
    this.#assertOpen()
    refuseNested()
  }

  async write<T>(script: () => Script<T>, { durable = true }: WriteOptions = {}): Promise<T> {
    this.assertWritable()
    return await new Promise<T>((resolve, reject) => {
      let result: T
      this.#turns.push({
        kind: 'write',
        write: {
          run: (connection) => {
            result = connection.run(script())
          },
          durable,
          settle: () => resolve(result),
          fail: reject,
        },
      })
      this.#wake()
    })
  }

  async within<T>(transaction: CallerTransaction, script: () => Script<T>): Promise<T> {
    this.#files?.look()
    this.#assertOpen()
    if (isTransaction(transaction)) return transaction.run(script())
    if (isDatabaseSync(transaction)) return Connection.of(transaction).run(script())
    if (isQueryable(transaction)) return await runAsync(transaction, script(), sqliteDialect)
    throw new EvertickError('invalid_option', 'tx is not a transaction that a SQLite database knows.', {
      field: 'tx',
      next: 'Pass a DatabaseSync, the tx of ctx.transaction, or an object with query(text, params).',
    })
  }

  async exclusive<T>(request: ExclusiveRequest<T>): Promise<T> {
    this.assertWritable()
    return await new Promise<T>((resolve, reject) => {
      const run = async () => {
        try {
          const result = await this.#runExclusive(request)
          this.#acknowledgeSynced([{ settle: () => resolve(result), fail: reject }])
        } catch (error) {
          reject(classify(error, this.#path))
        }
      }
      this.#turns.push({ kind: 'exclusive', run })
      this.#wake()
    })
  }

  async sync(): Promise<void> {
    await new Promise<void>((settle, fail) => this.#acknowledgeSynced([{ settle, fail }]))
  }

  async changes(): Promise<string> {
    // Who asks has nothing to write: this is how an idle node learns that its file is gone.
    this.#files?.look()
    return await this.#whenFree(() => String(this.#writer.prepare('PRAGMA data_version').get()?.data_version))
  }

  /** The host's clock is the database's. */
  time(): null {
    return null
  }

  async rest(): Promise<void> {
    await this.#host.rest()
  }

  /** No transaction is cut off, since the longest has two seconds; but the wait for another process's is. */
  async close(graceMs = busyGiveUpMs): Promise<void> {
    this.#patienceMs = Math.min(this.#patienceMs, graceMs)
    this.#closing ??= this.#close()
    await this.#closing
  }

  async #close(): Promise<void> {
    while (this.#working) await this.#turn()
    this.#closed = true
    await this.#sync?.idle()
    this.#sync?.close()
    this.#reader.close()
    this.#writer.close()
  }

  /** Writes do not queue behind slices of long work. */
  async #turn(): Promise<void> {
    await new Promise<void>((resolve) => this.#host.defer(resolve))
  }

  #wake(): void {
    if (this.#working) return
    this.#working = true
    // One turn of the event loop later, so that all who write in this turn share the commit.
    this.#host.defer(() => void this.#work())
  }

  async #work(): Promise<void> {
    let busySince: number | null = null
    while (this.#turns.length > 0) {
      const [turn] = this.#turns
      if (turn?.kind === 'exclusive') {
        this.#turns.shift()
        const begunAt = this.#host.monotonic()
        await turn.run()
        // Other processes only poll for the file: who kept it from them for long does not take it again at once.
        if (this.#host.monotonic() - begunAt > longHoldMs) await this.#host.sleep(2 * busyRetryMs)
      } else if (this.#begin()) {
        busySince = null
        this.#commitGroup()
        if (this.#turns.length > 0) await this.#turn()
      } else {
        busySince ??= this.#host.monotonic()
        if (this.#host.monotonic() - busySince > this.#patienceMs) this.#failWrites()
        else await this.#nap()
      }
    }
    this.#working = false
  }

  /** False where another process holds the file. */
  #begin(): boolean {
    try {
      this.#writer.step('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      if (isBusy(error)) return false
      this.#failWrites(error)
      return false
    }
  }

  /** The writes at the head of the queue; an exclusive turn behind them makes its own try. */
  #failWrites(error: unknown = Object.assign(new Error('database is locked'), { errcode: 5 })): void {
    for (let turn = this.#turns[0]; turn?.kind === 'write'; turn = this.#turns[0]) {
      this.#turns.shift()
      turn.write.fail(classify(error, this.#path))
    }
  }

  /** Runs the writes at the head of the queue in the open transaction, each in its own savepoint, and commits them. */
  #commitGroup(): void {
    const startedAt = this.#host.monotonic()
    const group: Write[] = []
    while (
      this.#turns[0]?.kind === 'write' &&
      (group.length === 0 || this.#host.monotonic() - startedAt < groupMs)
    ) {
      const { write } = this.#turns.shift() as Extract<Turn, { kind: 'write' }>
      const alone = group.length === 0 && this.#turns[0]?.kind !== 'write'
      const failure = this.#runOne(write, alone)
      if (failure === null) group.push(write)
      else write.fail(failure)
      // A lone failure has rolled back; so has SQLite itself on a full disk, and with it the whole group.
      if (!this.#writer.client.isTransaction) {
        for (const lost of group) lost.fail(failure)
        return
      }
    }
    try {
      this.#writer.step('COMMIT')
    } catch (error) {
      if (this.#writer.client.isTransaction) this.#writer.exec('ROLLBACK')
      for (const write of group) write.fail(classify(error, this.#path))
      return
    }
    this.#acknowledge(group.filter(({ durable }) => !durable))
    this.#acknowledgeSynced(group.filter(({ durable }) => durable))
  }

  #acknowledgeSynced(writes: readonly Waiting[]): void {
    if (this.#sync === null) return this.#acknowledge(writes)
    if (writes.length === 0) return
    const fail = (error: unknown) => {
      for (const write of writes) write.fail(error)
    }
    this.#sync.after([{ settle: () => this.#acknowledge(writes), fail }])
  }

  /** Nobody is told of a commit that went into a file which is no longer there. */
  #acknowledge(writes: readonly Waiting[]): void {
    const lost = writes.length === 0 ? null : (this.#files?.look() ?? null)
    for (const write of writes) {
      if (lost === null) write.settle()
      else write.fail(lost)
    }
  }

  /** The error of a verb that failed; nothing of it stays, and the others of the group go on. */
  #runOne(write: Write, alone: boolean): unknown {
    const connection = this.#writer
    try {
      if (!alone) connection.step('SAVEPOINT verb')
      write.run(connection)
      if (!alone) connection.step('RELEASE verb')
      return null
    } catch (error) {
      if (connection.client.isTransaction)
        connection.exec(alone ? 'ROLLBACK' : 'ROLLBACK TO verb; RELEASE verb')
      return classify(error, this.#path)
    }
  }

  async #runExclusive<T>(request: ExclusiveRequest<T>): Promise<T> {
    const deadline = new AbortController()
    let release = () => {}
    this.#exclusive = new Promise((resolve) => {
      release = resolve
    })
    const tx = new SqliteTransaction(this.#writer)
    try {
      await this.#beginExclusive()
      this.#writer.run(request.first())
      const late = request.sleep(request.maxMs, deadline.signal).then(() => {
        throw new EvertickError(
          'transaction_timeout',
          `The transaction took longer than ${request.maxMs} ms and was rolled back.`,
          {
            next: 'Do slow work before ctx.transaction, and only write inside it.',
          },
        )
      })
      const result = await Promise.race([asTransaction(async () => await request.run(tx)), late])
      this.#writer.run(request.last(result))
      this.#writer.step('COMMIT')
      return result
    } catch (error) {
      if (this.#writer.client.isTransaction) this.#writer.exec('ROLLBACK')
      throw error
    } finally {
      tx.end()
      deadline.abort()
      this.#exclusive = null
      release()
    }
  }

  async #beginExclusive(): Promise<void> {
    const since = this.#host.monotonic()
    for (;;) {
      try {
        this.#writer.step('BEGIN IMMEDIATE')
        return
      } catch (error) {
        if (!isBusy(error) || this.#host.monotonic() - since > this.#patienceMs) throw error
        await this.#nap()
      }
    }
  }

  #assertOpen(): void {
    const lost = this.#files?.lost ?? null
    if (lost !== null) throw lost
    if (!this.#closed) return
    throw new EvertickError('database_closed', 'This Evertick has been stopped: its database is closed.', {
      next: 'Open a new one with Evertick.open().',
    })
  }
}
