/** Steps on one connection of SQLite: statements prepared once, scripts run in one go. */
import {
  type Answer,
  aloneOf,
  asAnswer,
  type Insert,
  isInsert,
  pageRows,
  type Row,
  type Script,
  type Step,
} from '../sql/runtime/script.ts'
import type { Client } from './connection.ts'
import { bindRow, bound, insertText, rewrite } from './dialect.ts'

type Prepared = ReturnType<Client['prepare']>

type Value = Row[string]

/** A statement, and the names of what it reads. */
interface Reader {
  readonly statement: Prepared
  readonly names: readonly string[]
}

/** More texts than this means that some code builds them: start over rather than keep them all. */
const maxStatements = 500

/** A step that reads no row costs about as much as reading this many. */
const rowsPerStep = 20

const partedText = `SELECT 1 FROM sqlite_master WHERE name = 'evertick_finished_executions'`

const byClient = new WeakMap<Client, SqliteSession>()

export class SqliteSession {
  readonly client: Client
  readonly #statements = new Map<string, Prepared>()
  #parted: boolean | null = null
  readonly #readers = new Map<string, Reader | null>()

  constructor(client: Client) {
    this.client = client
  }

  /** The caller's own connection, for work inside the caller's transaction. */
  static of(client: Client): SqliteSession {
    const known = byClient.get(client)
    if (known !== undefined) return known
    const made = new SqliteSession(client)
    byClient.set(client, made)
    return made
  }

  /** `keep` is called after each write that needs no transaction around it: what fails later must not undo it. */
  run<T>(script: Script<T>, keep?: () => void): T {
    let step = script.next()
    let began = keep === undefined
    while (!step.done) {
      const answer = this.#answer(step.value)
      if (!began) {
        const alone = aloneOf(step.value)
        if (alone === 'writes') keep?.()
        began = alone === null
      }
      step = script.next(answer)
    }
    return step.value
  }

  /** The same for a long read, with a rest after each page of rows. */
  async runInSlices<T>(script: Script<T>, rest: () => Promise<void>): Promise<T> {
    let step = script.next()
    for (let taken = 0; !step.done; ) {
      const answer = this.#answer(step.value)
      step = script.next(answer)
      taken += rowsPerStep + (Array.isArray(answer) ? answer.length : 0)
      if (taken < pageRows) continue
      taken = 0
      await rest()
    }
    return step.value
  }

  #answer(step: Step): Answer {
    if (isInsert(step)) return asAnswer(this.#insert(step))
    // The one writer holds everything already.
    if (step.wants === 'locks') return asAnswer([])
    if (step.apart === true && !this.#apart) return asAnswer(step.wants === 'rows' ? [] : 0)
    const params = bound(step.params)
    if (step.wants === 'rows') return asAnswer(this.#rows(step.text, params))
    const { changes, lastInsertRowid } = this.prepare(step.text).run(...params)
    return asAnswer(Number(step.wants === 'id' ? lastInsertRowid : changes))
  }

  /**
   * The objects that `node:sqlite` makes have slow properties: to make them and to read them took 1.8 microseconds for each
   * claimed row. Named here from its arrays, it is half of that.
   */
  #rows(text: string, params: ReturnType<typeof bound>): Row[] {
    const reader = this.#reader(text)
    if (reader === null) return this.prepare(text).all(...params) as Row[]
    const { statement, names } = reader
    return (statement.all(...params) as unknown as Value[][]).map((values) => named(names, values))
  }

  /** Null where the names are the table's: another process may change that while the statement is kept. */
  #reader(text: string): Reader | null {
    const known = this.#readers.get(text)
    if (known !== undefined) return known
    const spelled = this.#spelled(text)
    if (this.#readers.size >= maxStatements) this.#readers.clear()
    const reader = spelled.includes('*') ? null : readerOf(this.client.prepare(spelled))
    this.#readers.set(text, reader)
    return reader
  }

  #insert(insert: Insert): Row[] {
    const statement = this.prepare(insertText(insert, this.#apart))
    const names = Object.keys(insert.columns)
    for (const row of insert.rows) statement.run(...bindRow(names, row))
    return []
  }

  prepare(text: string): Prepared {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const statement = this.client.prepare(this.#spelled(text))
    if (this.#statements.size >= maxStatements) this.#statements.clear()
    this.#statements.set(text, statement)
    return statement
  }

  /** Asked only by what names one of the two: before the schema is there, none does. */
  #spelled(text: string): string {
    return rewrite(text, /@(?:live|finished)_executions/.test(text) && this.#apart)
  }

  /** Only the simulation's databases have two tables of executions, as PostgreSQL has. */
  get #apart(): boolean {
    this.#parted ??= this.client.prepare(partedText).get() !== undefined
    return this.#parted
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
    this.#readers.clear()
    if (this.client.isOpen) this.client.close()
  }
}

function readerOf(statement: Prepared): Reader {
  statement.setReturnArrays(true)
  return { statement, names: statement.columns().map(({ name }) => name) }
}

function named(names: readonly string[], values: readonly Value[]): Row {
  const row: Row = {}
  let index = 0
  for (const name of names) {
    row[name] = values[index] ?? null
    index += 1
  }
  return row
}
