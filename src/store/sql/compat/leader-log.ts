/**
 * `scheduler_leader_log` as a plain table, for those who keep the log by their own rules. Columns come from a fixed list,
 * values are parameters: nothing that a caller writes becomes SQL.
 */
import { keysOf } from '../../../core/table-keys.ts'
import type { LeaderLogColumn, LeaderLogQuery, LeaderLogRow, LeaderLogValues } from '../../store.ts'
import { instant, timestamp } from '../cluster/leadership.ts'
import { number, optionalText, text } from '../runtime/rows.ts'
import { insertedId, type Param, type Row, row, rows, run, type Script } from '../runtime/script.ts'

type Kind = 'number' | 'text' | 'instant' | 'boolean'

const kinds: Readonly<Record<LeaderLogColumn, Kind>> = {
  id: 'number',
  leader_instance: 'text',
  start_time: 'instant',
  stop_time: 'instant',
  last_heartbeat: 'instant',
  handled_missed_tasks: 'boolean',
  created_at: 'instant',
  updated_at: 'instant',
}

export function* insertLeaderLog(values: LeaderLogValues, now: number): Script<LeaderLogRow> {
  const given = { handled_missed_tasks: false, created_at: now, updated_at: now, ...values }
  const cells = cellsOf(given)
  const id = yield* insertedId(
    `INSERT INTO @scheduler_leader_log (${cells.map(({ column }) => column).join(', ')})
     VALUES (${cells.map(({ value }) => value).join(', ')})`,
    ...cells.flatMap(({ params }) => params),
  )
  const inserted = yield* row('SELECT * FROM @scheduler_leader_log WHERE id = ?', id)
  return rowFrom(inserted ?? {})
}

export function* updateLeaderLog(
  where: LeaderLogValues,
  values: LeaderLogValues,
  now: number,
): Script<number> {
  const cells = cellsOf({ updated_at: now, ...values })
  const condition = conditionOf(where)
  return yield* run(
    `UPDATE @scheduler_leader_log SET ${cells.map(({ column, value }) => `${column} = ${value}`).join(', ')}
     ${condition.text}`,
    ...cells.flatMap(({ params }) => params),
    ...condition.params,
  )
}

export function* findLeaderLog({ where, orderBy, limit }: LeaderLogQuery): Script<LeaderLogRow[]> {
  const condition = conditionOf(where)
  // Whatever is equal by what was asked for comes newest first where the rest does, so that a limit cuts the same rows.
  const last = orderBy.at(-1)?.order ?? 'asc'
  const order = [...orderBy.map(({ column, order }) => sorted(column, order)), sorted('id', last)]
  const entries = yield* rows(
    `SELECT * FROM @scheduler_leader_log ${condition.text} ORDER BY ${order.join(', ')}
     ${limit === undefined ? '' : 'LIMIT ?'}`,
    ...condition.params,
    ...(limit === undefined ? [] : [limit]),
  )
  return entries.map(rowFrom)
}

interface Cell {
  readonly column: LeaderLogColumn
  /** The place of a parameter, or a word that all engines know. */
  readonly value: '?' | 'NULL' | 'TRUE' | 'FALSE'
  readonly params: readonly Param[]
}

function cellsOf(values: LeaderLogValues): Cell[] {
  return keysOf(kinds).flatMap((column): Cell[] => {
    const value = values[column]
    if (value === undefined) return []
    if (value === null) return [{ column, value: 'NULL', params: [] }]
    // A boolean is written as a word: the engines disagree on what it would be as a parameter.
    if (typeof value === 'boolean') return [{ column, value: value ? 'TRUE' : 'FALSE', params: [] }]
    const param = kinds[column] === 'instant' ? timestamp(Number(value)) : value
    return [{ column, value: '?', params: [param] }]
  })
}

function conditionOf(where: LeaderLogValues): { readonly text: string; readonly params: readonly Param[] } {
  const cells = cellsOf(where)
  if (cells.length === 0) return { text: '', params: [] }
  const all = cells.map(({ column, value }) => `${column} ${value === 'NULL' ? 'IS NULL' : `= ${value}`}`)
  return { text: `WHERE ${all.join(' AND ')}`, params: cells.flatMap(({ params }) => params) }
}

/** Null counts as the smallest on every engine; PostgreSQL by itself would take it for the largest. */
function sorted(column: LeaderLogColumn, order: 'asc' | 'desc'): string {
  const [first, then] = order === 'asc' ? ['DESC', 'ASC'] : ['ASC', 'DESC']
  const nullable = kinds[column] === 'instant' && column !== 'start_time'
  return nullable ? `(${column} IS NULL) ${first}, ${column} ${then}` : `${column} ${then}`
}

function rowFrom(entry: Row): LeaderLogRow {
  const at = (value: Row[string] | undefined) => {
    const written = optionalText(value)
    return written === null ? null : instant(written)
  }
  return {
    id: number(entry.id),
    leader_instance: text(entry.leader_instance),
    start_time: instant(text(entry.start_time)),
    stop_time: at(entry.stop_time),
    last_heartbeat: at(entry.last_heartbeat),
    handled_missed_tasks: number(entry.handled_missed_tasks) === 1,
    created_at: at(entry.created_at),
    updated_at: at(entry.updated_at),
  }
}
