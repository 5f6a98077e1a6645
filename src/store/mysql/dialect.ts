/** What is particular to MySQL and MariaDB: names, lists, and which of their errors mean what. */
import {
  type Dialect,
  fieldsOf,
  inOneTable,
  type Meaning,
  type Spelled,
  type Trouble,
} from '../sql/runtime/dialect.ts'
import { type Insert, isInsert, type Param, plain } from '../sql/runtime/script.ts'
import { serverMeanings } from '../sql/runtime/server-meanings.ts'
import type { ServerFailure } from '../sql/runtime/server-session.ts'
import { chunksOf } from './batch.ts'

/** `@jobs` becomes `evertick_jobs`; the leader log keeps its own name. */
function tableName(name: string, prefix: string): string {
  return name === 'scheduler_leader_log' ? name : `${prefix}${inOneTable(name)}`
}

/** Statements are few and constant: each is rewritten once. */
export function mysqlDialect(prefix: string): Dialect {
  const texts = new Map<string, string>()
  const rewrite = (text: string): string => {
    const known = texts.get(text)
    if (known !== undefined) return known
    const rewritten = text
      // Else it goes by the state, and waits for, or deadlocks over, the rows of every other job.
      .replaceAll('/* lane */', 'FORCE INDEX (@job_executions_lane)')
      // Not the server's own variables: @@port.
      .replaceAll(/(?<!@)@(\w+)/g, (_, name: string) => tableName(name, prefix))
      .replaceAll('IN ?*', 'IN (?)')
      .replaceAll(/\?::(?:bigint|uuid)/g, '?')
      // MariaDB has no other word for it.
      .replaceAll(/(\s)FOR SHARE/g, '$1LOCK IN SHARE MODE')
    if (texts.size >= maxTexts) texts.clear()
    texts.set(text, rewritten)
    return rewritten
  }
  return {
    spell(step) {
      if (isInsert(step)) return insertsOf(step, prefix)
      // One table has them all.
      if (step.apart === true) return []
      return [{ text: rewrite(step.text), params: step.params.map(listed) }]
    },
    template: (strings) => strings.join('?'),
  }
}

const maxTexts = 500

/** `IN ()` is not valid SQL; nothing is equal to null. */
function listed(param: Param): Param {
  return Array.isArray(param) && param.length === 0 ? [null] : plain(param)
}

function insertsOf({ into, columns, rows }: Insert, prefix: string): Spelled[] {
  const names = Object.keys(columns)
  const text = `INSERT INTO ${tableName(into, prefix)} (${names.join(', ')}) VALUES ?`
  const lists = rows.map((row) => names.map((name) => plain(row[name] ?? null)))
  return chunksOf(lists, (values) => values).map((chunk) => ({ text, params: [chunk] }))
}

const {
  away,
  crowded,
  full,
  gaveUp,
  locked,
  noDatabase,
  noEntry,
  noRight,
  noSchema,
  readOnly,
  refusing,
  unsafe,
} = serverMeanings

/** Error numbers of the server; both kinds of server share them, but for those above 3000 (MySQL) and 1900 (MariaDB). */
const meanings: Readonly<Record<number, Meaning>> = {
  1044: noRight,
  1142: noRight,
  1143: noRight,
  1227: noRight,
  1045: noEntry,
  1130: noEntry,
  1698: noEntry,
  1820: noEntry,
  1862: noEntry,
  3118: noEntry,
  4151: noEntry,
  1049: noDatabase,
  1146: noSchema,
  1040: crowded,
  1203: crowded,
  1226: crowded,
  1021: full,
  1114: full,
  1290: readOnly,
  1792: readOnly,
  1836: readOnly,
  1213: refusing,
  1020: refusing,
  1205: locked,
  1317: gaveUp,
  1969: gaveUp,
  3024: gaveUp,
}

const deadlock = 1213
const lockWait = 1205
const changedSince = 1020
/** Transactions that lost to another: the deadlock's victim, who waited in vain, a key that somebody took first. */
const conflicts = new Set([deadlock, lockWait, changedSince, 1062])
/** The server goes down, has ended this connection, or could not read from it. */
const losses = new Set([1053, 1077, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2013, 3169, 4031])

/** Null for a failure that the server did not speak of. */
function numberOf(error: unknown): number | null {
  const { errno, sqlState } = fieldsOf(error)
  return typeof sqlState === 'string' && typeof errno === 'number' ? errno : null
}

function codeOf(error: unknown): string {
  return String(fieldsOf(error).code)
}

/** The driver's own codes, and those of the socket: ECONNREFUSED, EPIPE, ENOTFOUND. */
function isLost(error: unknown): boolean {
  return fieldsOf(error).fatal === true || /^(?:PROTOCOL_|E[A-Z]+(?:_[A-Z]+)?$)/.test(codeOf(error))
}

function isUnsafe(error: unknown): boolean {
  return codeOf(error).startsWith('HANDSHAKE_')
}

export function troubleOf({ cause }: ServerFailure): Trouble {
  const number = numberOf(cause)
  if (number === null) return isLost(cause) && !isUnsafe(cause) ? 'lost' : 'other'
  if (conflicts.has(number)) return 'conflict'
  return losses.has(number) ? 'lost' : 'other'
}

export function meaningOf(failure: ServerFailure): Meaning | null {
  const { cause } = failure
  const number = numberOf(cause)
  if (number !== null) return meanings[number] ?? (losses.has(number) ? away : null)
  if (isUnsafe(cause)) return unsafe
  return isLost(cause) ? away : null
}

/** After these the server has rolled back the whole transaction, or may have (innodb_rollback_on_timeout). */
export function endsTransaction(error: unknown): boolean {
  const number = numberOf(error)
  return number === deadlock || number === lockWait || number === changedSince
}
