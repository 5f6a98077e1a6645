/** What is to be compared of two runs: what each verb was told, and every row that is left. */
import { EvertickError } from '../../src/core/error.ts'
import type { Reply } from './conductor.ts'
import type { Row, Tables } from './server.ts'

export interface Outcome {
  readonly replies: Readonly<Record<string, string>>
  readonly rows: Readonly<Record<string, readonly string[]>>
}

/** Numbers that a database gives to rows in the order of their coming, a hash over such, and what its own clock writes. */
const everywhere = new Set(['seq', 'hash'])
const inTable: Readonly<Record<string, string>> = {
  audit_log: 'id',
  tick_ranges: 'id',
  scheduler_leader_log: 'updated_at',
}

export function outcomeOf(replies: Readonly<Record<string, unknown>>, rows: Tables): Outcome {
  const told = Object.entries(rows).map(([table, found]) => [
    table,
    found.map((row) => JSON.stringify(comparable(table, row))).toSorted(),
  ])
  const text = JSON.stringify({ replies, rows: Object.fromEntries(told) as unknown })
  return JSON.parse(inOrder(text)) as Outcome
}

function comparable(table: string, row: Row): Row {
  const kept = Object.entries(row).filter(([column]) => !everywhere.has(column) && column !== inTable[table])
  return Object.fromEntries(kept)
}

/** The ids of terms and of entries grow from run to run: only their order counts. */
function inOrder(text: string): string {
  const found = [...new Set(text.match(/\b[78]\d{6}\b/g))].toSorted()
  return text.replaceAll(/\b[78]\d{6}\b/g, (id) => `${id[0] === '7' ? 1 : 2}${found.indexOf(id)}`)
}

/** An answer as text; of an error, its code. Anything without a code is an error of ours. */
export function replyText(reply: Reply | null): string {
  if (reply === null) return 'nothing'
  if ('answer' in reply) return JSON.stringify(reply.answer) ?? 'done'
  const { error } = reply
  return error instanceof EvertickError ? `refused: ${error.code}` : `error of ours: ${String(error)}`
}

/** What stands in one and not in the other, for people. */
export function differences(seen: Outcome, serial: Outcome): string[] {
  const replies = Object.keys(seen.replies)
    .filter((name) => seen.replies[name] !== serial.replies[name])
    .flatMap((name) => [
      `${name} was told  ${seen.replies[name]}`,
      `${name} would be told  ${serial.replies[name]}`,
    ])
  const rows = Object.keys(seen.rows).flatMap((table) => {
    const [here, there] = [seen.rows[table] ?? [], serial.rows[table] ?? []]
    return [
      ...here.filter((row) => !there.includes(row)).map((row) => `is there        ${table} ${row}`),
      ...there.filter((row) => !here.includes(row)).map((row) => `would be there  ${table} ${row}`),
    ]
  })
  return [...replies, ...rows]
}
