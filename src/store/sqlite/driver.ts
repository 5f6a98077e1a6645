/** SQLite as Evertick uses it: WAL, every acknowledged commit on disk, one writer and one reader per process. */
import { EvertickError } from '../../core/error.ts'
import type { Host } from '../host.ts'
import { withMeaning } from '../sql/runtime/dialect.ts'
import {
  databaseClosed,
  type ExclusiveRequest,
  endless,
  type ReadNow,
  type ReadOptions,
  type SqlDriver,
  type WriteOptions,
} from '../sql/runtime/driver.ts'
import { isInsideTransaction, refuseNested } from '../sql/runtime/nested-write.ts'
import { isQueryable, runAsync } from '../sql/runtime/queryable.ts'
import type { Script } from '../sql/runtime/script.ts'
import type { CallerTransaction } from '../store.ts'
import { connectionTo, ofCaller } from './connection.ts'
import { meaningOf, sqliteDialect } from './dialect.ts'
import { OpenedFiles } from './opened-files.ts'
import { Patience } from './patience.ts'
import type { SqlitePlace } from './place.ts'
import { SqliteSession } from './session.ts'
import { SqliteTransaction } from './transaction.ts'
import { WalSync } from './wal-sync.ts'
import { Writer } from './writer.ts'

export class SqliteDriver implements SqlDriver {
  /** A handler's transaction holds the writer of the process: it is for writes, not for work. */
  readonly longestTransactionMs = 2_000
  readonly longestHoldMs = 2_000
  readonly #place: SqlitePlace
  readonly #host: Host
  readonly #patience: Patience
  /** What the writer writes with. Migrations run on it before anything else does. */
  readonly session: SqliteSession
  readonly #reader: SqliteSession
  readonly #writer: Writer
  /** Null in memory. */
  readonly #files: OpenedFiles | null
  readonly #sync: WalSync | null
  #closed = false
  #closing: Promise<void> | null = null

  constructor(place: SqlitePlace, host: Host) {
    const { path, isInMemory } = place
    this.#place = place
    this.#host = host
    this.#patience = new Patience(host)
    const opened: SqliteSession[] = []
    const open = (): SqliteSession => {
      const session = new SqliteSession(connectionTo(place))
      opened.push(session)
      return session
    }
    try {
      this.session = open()
      // A file's reader never sees a transaction that is still open; in memory, a second connection would only wait.
      this.#reader = isInMemory ? this.session : open()
      for (const { client } of opened) client.prepare('SELECT count(*) FROM sqlite_master').get()
      this.#files = isInMemory ? null : new OpenedFiles(path)
      this.#sync = this.#files === null ? null : new WalSync(this.#files.wal)
    } catch (error) {
      for (const session of opened) session.close()
      throw this.#classified(error)
    }
    this.#writer = new Writer(this.session, {
      host,
      patience: this.#patience,
      files: this.#files,
      sync: this.#sync,
      classified: (error) => this.#classified(error),
    })
  }

  async read<T>(script: () => Script<T>, { snapshot = false }: ReadOptions = {}): Promise<T> {
    if (!this.#place.isInMemory)
      return await this.#whenFree(() => (snapshot ? this.#inSlices(script) : this.#snapshot(script)))
    while (this.#writer.openExclusive !== null && !isInsideTransaction()) await this.#writer.openExclusive
    return await this.#whenFree(() => this.session.run(script()))
  }

  /** A reader waits only while another process repairs the log after a crash. */
  async #whenFree<T>(look: () => T | Promise<T>): Promise<T> {
    try {
      return await this.#patience.whenFree(() => {
        this.#assertOpen()
        return look()
      })
    } catch (error) {
      throw this.#classified(error)
    }
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
    const session = new SqliteSession(connectionTo(this.#place))
    try {
      session.step('BEGIN')
      return await session.runInSlices(script(), async () => {
        await this.rest()
        this.#assertOpen()
      })
    } finally {
      session.close()
    }
  }

  /** In memory there is no second connection, so nothing is written meanwhile. */
  async atOneMoment<T>(work: (read: ReadNow) => Promise<T>): Promise<T> {
    if (this.#place.isInMemory) {
      const run = async () => await work(async (script) => this.session.run(script()))
      return await this.exclusive({ ...endless, run })
    }
    const session = new SqliteSession(connectionTo(this.#place))
    try {
      // The moment is that of the first read.
      await this.#whenFree(() => session.exec('BEGIN; SELECT count(*) FROM sqlite_master'))
      return await work(async (script) => {
        await this.rest()
        this.#assertOpen()
        return session.run(script())
      })
    } catch (error) {
      throw this.#classified(error)
    } finally {
      session.close()
    }
  }

  assertWritable(): void {
    this.#assertOpen()
    refuseNested()
  }

  async write<T>(script: () => Script<T>, { durable = true }: WriteOptions = {}): Promise<T> {
    this.assertWritable()
    return await this.#writer.write(script, durable)
  }

  async within<T>(transaction: CallerTransaction, script: () => Script<T>): Promise<T> {
    this.#files?.look()
    this.#assertOpen()
    if (transaction instanceof SqliteTransaction) return transaction.run(script())
    const client = ofCaller(transaction)
    if (client !== null) return SqliteSession.of(client).run(script())
    if (isQueryable(transaction)) return await runAsync(transaction, script(), sqliteDialect)
    throw new EvertickError('invalid_option', 'tx is not a transaction of a SQLite database.', {
      field: 'tx',
      next: 'Pass a DatabaseSync, the tx of ctx.transaction, or an object with query(text, params).',
    })
  }

  async exclusive<T>(request: ExclusiveRequest<T>): Promise<T> {
    this.assertWritable()
    return await this.#writer.exclusive(request)
  }

  async sync(): Promise<void> {
    await this.#writer.sync()
  }

  async changes(): Promise<string> {
    // An idle node writes nothing: this is how it learns that its file is gone.
    this.#files?.look()
    return await this.#whenFree(() => String(this.session.prepare('PRAGMA data_version').get()?.data_version))
  }

  /** The host's clock is the database's. */
  time(): null {
    return null
  }

  async rest(): Promise<void> {
    await this.#host.rest()
  }

  /** It cuts off no transaction, since the longest has two seconds, but it stops waiting for another process. */
  async close(graceMs?: number): Promise<void> {
    if (graceMs !== undefined) this.#patience.limit(graceMs)
    this.#closing ??= this.#close()
    await this.#closing
  }

  async #close(): Promise<void> {
    await this.#writer.idle()
    this.#closed = true
    await this.#sync?.idle()
    this.#sync?.close()
    this.#reader.close()
    this.session.close()
  }

  #classified(error: unknown): Error {
    return withMeaning(error, meaningOf(error), this.#place.path)
  }

  #assertOpen(): void {
    const lost = this.#files?.lost ?? null
    if (lost !== null) throw lost
    if (this.#closed) throw databaseClosed()
  }
}
