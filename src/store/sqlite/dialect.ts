/**
 * What is particular to SQLite: names, and which of its errors mean what. SQLite's own: `rewrite`, `bound`, `insertText`
 * and `bindRow`, for a session that spells each text once.
 */
import { type Dialect, fieldsOf, inOneTable, type Meaning, type Trouble } from '../sql/runtime/dialect.ts'
import { type Insert, isInsert, type Param, plain } from '../sql/runtime/script.ts'

/** For a caller's own connection, which is only known to have `query`; ours runs steps without spelling them out. */
export const sqliteDialect: Dialect = {
  template: (strings) => strings.join('?'),

  spell(step) {
    if (isInsert(step)) {
      const [text, names] = [insertText(step), Object.keys(step.columns)]
      return step.rows.map((row) => ({ text, params: bindRow(names, row) }))
    }
    if (step.wants === 'locks' || step.apart === true) return []
    return [{ text: rewrite(step.text), params: bound(step.params) }]
  },
}

/** `@jobs` becomes `evertick_jobs`; the leader log keeps its own name. */
function tableName(name: string, apart: boolean): string {
  if (name === 'scheduler_leader_log') return name
  return `evertick_${apart ? name : inOneTable(name)}`
}

/** `apart`: finished executions have a table of their own. */
export function rewrite(text: string, apart = false): string {
  return text
    .replaceAll(/@(\w+)/g, (_, name: string) => tableName(name, apart))
    .replaceAll('IN ?*', 'IN (SELECT value FROM json_each(?))')
    .replaceAll(/\?::(?:bigint|uuid)/g, '?')
    .replaceAll(/\sFOR (?:UPDATE|SHARE)(?: SKIP LOCKED)?/g, '')
}

/** Nearly always these are what SQLite takes, and a copy of them for each row of a batch is only garbage. */
export function bound(params: readonly Param[]): readonly SqlValue[] {
  return params.every(isBound) ? params : params.map(bind)
}

function isBound(param: Param): param is SqlValue {
  return typeof param === 'string' ? !param.includes('\0') : typeof param !== 'object' || param === null
}

/** A list is one parameter, as JSON. */
function bind(param: Param): SqlValue {
  const value = plain(param)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

type SqlValue = Exclude<Param, readonly Param[]>

/** Row by row: with no round trip to save, one prepared statement beats any multi-row form. */
export function insertText({ into, columns }: Insert, apart = false): string {
  const names = Object.keys(columns)
  return `INSERT INTO ${tableName(into, apart)} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
}

/** The values of one row, in the order of `insertText`. */
export function bindRow(names: readonly string[], row: Insert['rows'][number]): SqlValue[] {
  return names.map((name) => bind(row[name] ?? null))
}

/** Primary result codes of SQLite (the low byte of the extended code). */
const busy = 5
const locked = 6
const meanings: Readonly<Record<number, Meaning>> = {
  [busy]: {
    code: 'database_busy',
    says: 'is locked by another process',
    next: 'Find who holds a long transaction on the file; Evertick itself never does.',
  },
  8: {
    code: 'database_missing',
    says: 'is read-only',
    next: 'Give this user the right to write the file and its folder.',
  },
  10: {
    code: 'database_damaged',
    says: 'could not be read or written',
    next: 'Check the disk, then try again.',
  },
  11: {
    code: 'database_damaged',
    says: 'is damaged',
    next: 'It was left untouched. Restore a backup, or recover what is left with `sqlite3 FILE .recover`.',
  },
  13: {
    code: 'database_full',
    says: 'cannot grow: the disk is full',
    next: 'Free some space; work goes on by itself.',
  },
  14: {
    code: 'database_missing',
    says: 'cannot be opened',
    next: 'Check that its folder exists and may be written.',
  },
  26: {
    code: 'database_foreign',
    says: 'is not a SQLite database',
    next: 'It was left untouched. Name another file, or move this one away.',
  },
}

function primaryCode(error: unknown): number | null {
  const { errcode } = fieldsOf(error)
  return typeof errcode === 'number' ? errcode & 0xff : null
}

/** `conflict`: another connection holds the file. */
export function troubleOf(error: unknown): Trouble {
  const code = primaryCode(error)
  return code === busy || code === locked ? 'conflict' : 'other'
}

/** By the code, never by the message. */
export function meaningOf(error: unknown): Meaning | null {
  return meanings[primaryCode(error) ?? -1] ?? null
}
