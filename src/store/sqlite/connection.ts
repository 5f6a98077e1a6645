/** One connection of `node:sqlite`, the only file that imports it: statements prepared once, scripts run in one go. */
import { existsSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { makePrivateFile } from '../private-files.ts'
import { type Insert, isInsert, pageRows, type Row, type Script, type Step } from '../sql/runtime/script.ts'
import { bind, insertText, isBusy, rewrite } from './dialect.ts'

/** More texts than this means that somebody builds them; start over rather than keep them all. */
const maxStatements = 500

/** A step that finds nothing costs about as much as reading so many rows. */
const rowsPerStep = 20

const byClient = new WeakMap<DatabaseSync, Connection>()

export class Connection {
  readonly client: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(client: DatabaseSync) {
    this.client = client
  }

  static open(path: string): Connection {
    makePrivate(path)
    const client = new DatabaseSync(path)
    try {
      // Who holds a database in memory is on this very thread, and would be waited for in vain.
      const waitMs = isInMemory(path) ? 0 : 5
      client.exec(`PRAGMA busy_timeout = ${waitMs * 1_000}`)
      if (!isInMemory(path)) switchToWal(client)
      // From here on a busy file is waited for without blocking the event loop; see the driver.
      client.exec(`PRAGMA busy_timeout = ${waitMs}`)
      // Durability is FULL all the same: see WalSync, which calls the fsync that COMMIT leaves out here.
      client.exec('PRAGMA synchronous = NORMAL')
      client.exec('PRAGMA cache_size = -65536')
      client.exec('PRAGMA wal_autocheckpoint = 4000')
      return new Connection(client)
    } catch (error) {
      client.close()
      throw error
    }
  }

  /** The caller's own connection, for work inside the caller's transaction. */
  static of(client: DatabaseSync): Connection {
    const known = byClient.get(client)
    if (known !== undefined) return known
    const made = new Connection(client)
    byClient.set(client, made)
    return made
  }

  run<T>(script: Script<T>): T {
    let step = script.next()
    while (!step.done) step = script.next(this.#answer(step.value) as Row[] & number)
    return step.value
  }

  /** The same, with a rest whenever so many rows have been read. */
  async runInSlices<T>(script: Script<T>, rest: () => Promise<void>): Promise<T> {
    let step = script.next()
    for (let taken = 0; !step.done; ) {
      const answer = this.#answer(step.value)
      step = script.next(answer as Row[] & number)
      taken += rowsPerStep + (Array.isArray(answer) ? answer.length : 0)
      if (taken < pageRows) continue
      taken = 0
      await rest()
    }
    return step.value
  }

  #answer(step: Step): unknown {
    if (isInsert(step)) return this.#insert(step)
    // The one writer holds everything already.
    if (step.wants === 'locks') return []
    const statement = this.prepare(step.text)
    const params = step.params.map(bind)
    if (step.wants === 'rows') return statement.all(...params)
    const { changes, lastInsertRowid } = statement.run(...params)
    return Number(step.wants === 'id' ? lastInsertRowid : changes)
  }

  #insert(insert: Insert): void {
    const statement = this.prepare(insertText(insert))
    for (const row of insert.rows) statement.run(...row.map(bind))
  }

  prepare(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const statement = this.client.prepare(rewrite(text))
    if (this.#statements.size >= maxStatements) this.#statements.clear()
    this.#statements.set(text, statement)
    return statement
  }

  exec(text: string): void {
    this.client.exec(text)
  }

  /** A statement without parameters or rows that runs often: BEGIN, COMMIT, SAVEPOINT. */
  step(text: string): void {
    this.prepare(text).run()
  }

  get open(): boolean {
    return this.client.isOpen
  }

  close(): void {
    this.#statements.clear()
    if (this.client.isOpen) this.client.close()
  }
}

const switchAttempts = 500
const switchRetryMs = 10

/**
 * The switch takes a shared lock and then an exclusive one, so SQLite does not wait for others who do the same: of five
 * processes that open a new file at once, one in six would be told that it is locked. Only there is the loop blocked.
 */
function switchToWal(client: DatabaseSync): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      client.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || attempt >= switchAttempts) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, switchRetryMs)
    }
  }
}

/** `:memory:`, or shared by the connections of this process: `file:/name?vfs=memdb`. It ends with the last of them. */
export function isInMemory(path: string): boolean {
  return path === ':memory:' || /[?&]vfs=memdb(?:&|$)/.test(path)
}

/** A new file is for its owner alone: inputs and results are in it. SQLite gives its log the same mode. */
function makePrivate(path: string): void {
  if (isInMemory(path) || existsSync(path)) return
  try {
    makePrivateFile(path)
  } catch {
    // A missing folder or a missing right: SQLite says the same in a moment, and its errors have our codes.
  }
}

export function isDatabaseSync(value: object): value is DatabaseSync {
  return value instanceof DatabaseSync
}
