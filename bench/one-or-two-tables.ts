/**
 * The question of docs/decisions/0002: one table of executions with partial indexes, or unfinished rows apart from history?
 * A raw prototype on our real columns and indexes; two tables end a row by insert + delete instead of an update.
 */
import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { newId } from '../src/app/ids.ts'
import { createFile, openFile } from './engines/sqlite.ts'
import { inTransaction } from './engines/sqlite-raw.ts'
import { besides, type EngineMeasure, type Figure, interleave, rate } from './measure.ts'

const rounds = 5
const batches = [
  { batch: 1, count: 300 },
  { batch: 10, count: 2_000 },
  { batch: 100, count: 10_000 },
  { batch: 1_000, count: 20_000 },
] as const
const histories = [0, 1_000_000]
const jobId = newId(Date.now())

const schema = readFileSync(
  new URL('../src/store/migrations/0001_init/sqlite.up.sql', import.meta.url),
  'utf8',
)
const table = 'evertick_job_executions'
const past = 'past_executions'
const statements = schema
  .replaceAll(/--.*$/gm, '')
  .split(';')
  .map((text) => text.trim())
  .filter((text) => new RegExp(`^CREATE (TABLE|(UNIQUE )?INDEX) ${table}`).test(text))

/** The indexes that finished rows need; the unfinished ones have all of them but these two. */
const ofHistory = /_(id|tick|history|failed)\b/
const onlyHistory = /_(history|failed)\b/

function createOne(client: DatabaseSync): void {
  for (const text of statements) client.exec(text)
}

function createTwo(client: DatabaseSync): void {
  for (const text of statements) {
    const isTable = text.startsWith('CREATE TABLE')
    // A number must not come back once its row has moved on.
    if (isTable) client.exec(text.replace('PRIMARY KEY', 'PRIMARY KEY AUTOINCREMENT'))
    else if (!onlyHistory.test(indexName(text))) client.exec(text)
    if (isTable || ofHistory.test(indexName(text))) client.exec(text.replaceAll(table, past))
  }
}

function indexName(text: string): string {
  return /INDEX (\w+)/.exec(text)?.[1] ?? ''
}

function fillHistory(client: DatabaseSync, into: string, count: number): void {
  client
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO ${into} (id, job_id, cause, scheduled_for, state, ready_at, queue, priority, handler, attempt,
         max_attempts, input, fence, leased_by, created_at, started_at, finished_at)
       SELECT printf('%08x-0000-7000-8000-%012x', i, i), ?, 'enqueue', i, 'completed', i, 'default', 0, 'raw', 1, 3,
         '{"n":1}', 1, 'raw', i, i, i FROM n WHERE ? > 0`,
    )
    .run(count, jobId, count)
}

/** What both designs share; they differ in `finish`. */
class Prototype {
  readonly #client: DatabaseSync
  readonly #insert
  readonly #ready
  readonly #claim
  readonly #finish

  constructor(client: DatabaseSync, finish: readonly string[]) {
    this.#client = client
    this.#insert = client.prepare(
      `INSERT INTO ${table} (id, job_id, cause, scheduled_for, state, ready_at, queue, priority, handler, max_attempts,
         input, created_at) VALUES (?, ?, 'enqueue', ?, 'pending', ?, 'default', 0, 'raw', 3, ?, ?)`,
    )
    this.#ready = client.prepare(
      `SELECT seq, id, fence, input FROM ${table}
       WHERE queue = 'default' AND state IN ('pending', 'retrying') AND priority = 0 AND ready_at <= ?
       ORDER BY ready_at, seq LIMIT ?`,
    )
    this.#claim = client.prepare(
      `UPDATE ${table} SET state = 'running', fence = fence + 1, leased_by = 'raw', leased_until = :until,
         attempt = attempt + 1, started_at = :now WHERE seq = :seq AND state IN ('pending', 'retrying')`,
    )
    this.#finish = finish.map((text) => client.prepare(text))
    for (const statement of this.#finish) statement.setAllowUnknownNamedParameters(true)
  }

  insert(count: number): void {
    inTransaction(this.#client, () => {
      for (let n = 0; n < count; n += 1) {
        const now = Date.now()
        this.#insert.run(newId(now), jobId, now, now, JSON.stringify({ n }), now)
      }
    })
  }

  drain(batch: number): void {
    for (;;) {
      let claimed: Record<string, unknown>[] = []
      inTransaction(this.#client, () => {
        const now = Date.now()
        claimed = this.#ready.all(now, batch)
        for (const { seq } of claimed) this.#claim.run({ seq: seq as number, until: now + 30_000, now })
      })
      if (claimed.length === 0) return
      inTransaction(this.#client, () => {
        const now = Date.now()
        for (const { seq, fence } of claimed) {
          const named = { seq: seq as number, fence: (fence as number) + 1, now }
          for (const statement of this.#finish) statement.run(named)
        }
      })
    }
  }
}

const held = "seq = :seq AND fence = :fence AND state = 'running'"

function finishOne(): string[] {
  return [`UPDATE ${table} SET state = 'completed', finished_at = :now, leased_until = NULL WHERE ${held}`]
}

function finishTwo(client: DatabaseSync): string[] {
  const columns = client
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => String(name))
  const changed: Readonly<Record<string, string>> = {
    state: `'completed'`,
    finished_at: ':now',
    leased_until: 'NULL',
  }
  const values = columns.map((column) => changed[column] ?? column)
  return [
    `INSERT INTO ${past} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${table} WHERE ${held}`,
    `DELETE FROM ${table} WHERE ${held}`,
  ]
}

async function compare(path: string, history: number, say: (line: string) => void): Promise<Figure[]> {
  const one = openFile(`${path}-one`)
  const two = openFile(`${path}-two`)
  createOne(one)
  createTwo(two)
  say(`${history} rows of history`)
  fillHistory(one, table, history)
  fillHistory(two, past, history)
  two.exec(`INSERT OR REPLACE INTO sqlite_sequence (name, seq) VALUES ('${table}', ${history})`)
  for (const client of [one, two]) client.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const prototypes = {
    one: new Prototype(one, finishOne()),
    two: new Prototype(two, finishTwo(two)),
  }
  const results: Figure[] = []
  for (const { batch, count } of batches) {
    const work = (prototype: Prototype) => async () => {
      prototype.insert(count)
      return await rate(count, () => prototype.drain(batch))
    }
    const found = await interleave(rounds, { one: work(prototypes.one), two: work(prototypes.two) }, say)
    const name = `claim + finish, batch ${batch}, history ${history}`
    const [two, one] = besides(`${name}: two tables`, 'jobs/s', found.two, found.one, 'one table')
    if (one !== undefined && two !== undefined) results.push({ ...one, name: `${name}: one table` }, two)
  }
  one.close()
  two.close()
  return results
}

export const oneOrTwoTables: EngineMeasure = {
  name: 'one-or-two-tables',
  on: ['sqlite'],
  async run({ say }) {
    const results: Figure[] = []
    for (const history of histories) {
      const file = createFile()
      try {
        results.push(...(await compare(file.path, history, say)))
      } finally {
        await file.drop()
      }
    }
    return results
  },
}
