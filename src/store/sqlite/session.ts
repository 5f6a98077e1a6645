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

/** More texts than this means that some code builds them: start over rather than keep them all. */
const maxStatements = 500

/** A step that reads no row costs about as much as reading this many. */
const rowsPerStep = 20

const byClient = new WeakMap<Client, SqliteSession>()

export class SqliteSession {
  readonly client: Client
  readonly #statements = new Map<string, Prepared>()

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
    const statement = this.prepare(step.text)
    const params = bound(step.params)
    if (step.wants === 'rows') return asAnswer(statement.all(...params) as Row[])
    const { changes, lastInsertRowid } = statement.run(...params)
    return asAnswer(Number(step.wants === 'id' ? lastInsertRowid : changes))
  }

  #insert(insert: Insert): Row[] {
    const statement = this.prepare(insertText(insert))
    const names = Object.keys(insert.columns)
    for (const row of insert.rows) statement.run(...bindRow(names, row))
    return []
  }

  prepare(text: string): Prepared {
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
