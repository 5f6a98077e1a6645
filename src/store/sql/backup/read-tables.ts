/** Every table of a backup, at one moment and a page at a time, in the same form on all engines. */

import { finalStates } from '../../../core/execution/execution-state.ts'
import { movedVersion } from '../../migrate.ts'
import type {
  BackupRow,
  BackupValue,
  CountedTable,
  Occupants,
  Store,
  TableForms,
  TableReader,
} from '../../store.ts'
import { instant } from '../cluster/leadership.ts'
import type { ReadNow, SqlDriver } from '../runtime/driver.ts'
import { number, text } from '../runtime/rows.ts'
import { type Columns, type Param, type Row, row, rows, type Script } from '../runtime/script.ts'
import { areTablesAside, asideName } from './move-mark.ts'
import { ownTables } from './own-tables.ts'
import { type BackedUpTable, backedUpTables } from './tables.ts'

export async function readTables<T>(
  driver: SqlDriver,
  dialect: Store['dialect'],
  work: (reader: TableReader) => Promise<T>,
): Promise<T> {
  return await driver.atOneMoment(async (read) => {
    const schemaVersion = await read(newestMigration)
    const isAside = await read(() => areTablesAside(dialect))
    const own = ownTables(dialect)
    // PostgreSQL's view of all executions follows its tables, and keeps its name.
    const placeOf = (name: string) => (isAside && own.includes(name) ? asideName(name) : name)
    return await work({
      schemaVersion,
      tables: async () => {
        const counted: CountedTable[] = []
        for (const table of backedUpTables)
          counted.push(await read(() => countTable(table, placeOf(table.name))))
        return counted
      },
      rowsOf: ({ name }) => pagesOf(read, tableNamed(name), placeOf(name)),
    })
  })
}

export function* describeTables(): Script<TableForms> {
  const formOf = (type: Columns[string]): 'text' | 'number' =>
    type === 'text' || type === 'uuid' ? 'text' : 'number'
  const tables = backedUpTables.map(({ name, columns }) => ({
    name,
    columns: Object.fromEntries(Object.entries(columns).map(([column, type]) => [column, formOf(type)])),
  }))
  return { schemaVersion: yield* newestMigration(), tables }
}

export function tableNamed(name: string): BackedUpTable {
  const table = backedUpTables.find((known) => known.name === name)
  if (table === undefined) throw new TypeError(`No backup has a table ${name}.`)
  return table
}

export function* findOccupants(seenSince: number): Script<Occupants> {
  const jobs = yield* row('SELECT count(*) AS n FROM @jobs WHERE deleted_at IS NULL')
  return { jobs: number(jobs?.n), nodes: yield* findLiveNodes(seenSince) }
}

export function* findLiveNodes(seenSince: number): Script<string[]> {
  const nodes = yield* rows('SELECT id FROM @nodes WHERE seen_at >= ? ORDER BY id', seenSince)
  return nodes.map(({ id }) => text(id))
}

/** Apart from the mark of a move. */
function* newestMigration(): Script<number> {
  const text = 'SELECT max(version) AS version FROM @migrations WHERE version < ?'
  return number((yield* row(text, movedVersion))?.version)
}

function* countTable({ name, columns, where }: BackedUpTable, place: string): Script<CountedTable> {
  const counted = yield* row(
    `SELECT count(*) AS n FROM @${place}${where === undefined ? '' : ` WHERE ${where}`}`,
  )
  return { name, columns: Object.keys(columns), rows: number(counted?.n) }
}

const mostRows = 1_000
/** About what a page may have in memory: rows with large payloads come fewer at a time. */
const pageBytes = 4_000_000

async function* pagesOf(read: ReadNow, table: BackedUpTable, place: string): AsyncGenerator<BackupRow[]> {
  let limit = 100
  let last: Row | null = null
  for (;;) {
    const after: Row | null = last
    const most: number = limit
    const page: Row[] = await read(() => pageAfter(table, place, after, most))
    if (page.length === 0) return
    const rows = page.map((read) => rowFrom(table, read))
    yield rows
    if (page.length < most) return
    last = page.at(-1) ?? null
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0) / rows.length
    limit = Math.max(1, Math.min(mostRows, most * 4, Math.floor(pageBytes / bytes)))
  }
}

function* pageAfter(
  { key, columns, where }: BackedUpTable,
  place: string,
  last: Row | null,
  limit: number,
): Script<Row[]> {
  const conditions = where === undefined ? [] : [where]
  const params: Param[] = []
  if (last !== null) {
    const beyond = conditionAfter(key, last)
    conditions.push(beyond.text)
    params.push(...beyond.params)
  }
  return yield* rows(
    `SELECT ${Object.keys(columns).join(', ')} FROM @${place}
     ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`} ORDER BY ${key.join(', ')} LIMIT ?`,
    ...params,
    limit,
  )
}

/** Of several columns the first alone finds the place by an index, on every engine; the rest only leaves out what was read. */
function conditionAfter(
  [first = '', ...others]: readonly string[],
  last: Row,
): { readonly text: string; readonly params: Param[] } {
  const at = last[first] ?? null
  if (others.length === 0) return { text: `${first} > ?`, params: [at] }
  const rest = conditionAfter(others, last)
  return { text: `${first} >= ? AND (${first} > ? OR (${rest.text}))`, params: [at, at, ...rest.params] }
}

function rowFrom({ name, columns }: BackedUpTable, read: Row): BackupRow {
  const isFinal = name === 'job_executions' && finals.has(text(read.state))
  return Object.entries(columns).map(([column, type]): BackupValue => {
    const value = read[column] ?? null
    if (value === null || (isFinal && onlyUnfinished.has(column))) return null
    return type === 'timestamp' ? instant(String(value)) : value
  })
}

const finals: ReadonlySet<string> = new Set(finalStates)
/** Where finished executions have a table of their own, it has none of these. */
const onlyUnfinished: ReadonlySet<string> = new Set(['start_by', 'leased_until', 'reserve_place'])

function bytesOf(row: BackupRow): number {
  return row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)
}
