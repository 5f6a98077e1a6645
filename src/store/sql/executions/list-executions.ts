/** Executions, newest or oldest first. Each condition is one on their own row; the order is that of the primary key. */

import type { Execution } from '../../../core/execution/execution.ts'
import { idOrNone, noId } from '../../../core/id.ts'
import { keysOf } from '../../../core/table-keys.ts'
import type { ExecutionQuery, ExecutionTerm } from '../../store.ts'
import { executionFrom, text } from '../runtime/rows.ts'
import { type Param, row, rows, type Script } from '../runtime/script.ts'
import { seqAround } from '../runtime/seq-at.ts'
import { Where } from '../runtime/where.ts'
import { restText } from '../steps/step-rows.ts'

const columns: Readonly<Record<Exclude<ExecutionTerm['by'], 'state'>, string>> = {
  job: 'e.job_id',
  queue: 'e.queue',
  cause: 'e.cause',
  node: `COALESCE(e.leased_by, '')`,
  account: `COALESCE(e.account, 'none')`,
}

/** No index orders executions by their end: those that took longer than that are not found by it. */
export const longestRunMs = 86_400_000

export function* listExecutions(query: ExecutionQuery): Script<Execution[]> {
  const { from, to, ended, afterId, oldestFirst = false } = query
  const where = new Where('1 = 1')
  // One id, so that the index of the job's history gives the order.
  if (query.job !== undefined) where.and('e.job_id = ?', yield* jobIdOf(query.job))
  if (query.state !== undefined) where.and(...stateIn([query.state]))
  if (query.queue !== undefined) where.and('e.queue = ?', query.queue)
  for (const { by, values, negated } of query.terms ?? []) {
    const wanted: string[] = []
    for (const value of values) wanted.push(by === 'job' ? yield* jobIdOf(value) : value)
    const [text, ...params] = by === 'state' ? stateIn(wanted) : [`${columns[by]} IN ?*`, wanted]
    where.and(`${negated ? 'NOT ' : ''}(${text})`, ...params)
  }
  if (from !== undefined) {
    where.and('e.seq >= ? AND e.created_at >= ?', (yield* seqAround(from)).surelyBelow, from)
  }
  if (to !== undefined) {
    where.and('e.seq < ? AND e.created_at < ?', (yield* seqAround(to)).surelyAbove, to)
  }
  if (ended !== undefined) {
    const { surelyBelow } = yield* seqAround(ended - longestRunMs)
    where.and('e.seq >= ? AND e.finished_at >= ?', surelyBelow, ended)
  }
  if (afterId !== undefined) {
    where.and(
      `e.seq ${oldestFirst ? '>' : '<'} (SELECT seq FROM @job_executions WHERE id = ?)`,
      idOrNone(afterId),
    )
  }
  const executions = yield* rows(
    // LEFT, or MariaDB begins with the jobs and sorts every execution there is.
    `SELECT e.*, j.name AS job_name, ${restText} AS rests_for FROM @job_executions e LEFT JOIN @jobs j ON j.id = e.job_id
     WHERE ${where.text} ORDER BY e.seq ${oldestFirst ? 'ASC' : 'DESC'} LIMIT ?`,
    ...where.params,
    query.limit,
  )
  return executions.map(executionFrom)
}

/** Those that rest are `retrying` in the database, unless one looks at what they rest for. */
function stateIn(states: readonly string[]): [string, ...Param[]] {
  const resting = { retrying: 'IS NULL', sleeping: `= 'sleep'`, waiting: `= 'wait'` }
  const [only = ''] = states
  if (states.length === 1 && !(only in resting)) return ['e.state = ?', only]
  const told = keysOf(resting).filter((state) => states.includes(state))
  const rest = told.map((state) => `e.state = 'retrying' AND (${restText}) ${resting[state]}`)
  const plain = states.filter((state) => !told.some((one) => one === state))
  return [['e.state IN ?*', ...rest].join(' OR '), plain]
}

/** By id or name; of deleted jobs of that name the one deleted last; `noId` where there is none. */
export function* jobIdOf(reference: string): Script<string> {
  // One after the other: a name OR an id is a scan of all jobs.
  const looks = [
    ['name = ? AND deleted_at IS NULL', reference],
    ['id = ?', idOrNone(reference)],
    ['name = ? ORDER BY deleted_at DESC', reference],
  ] as const
  for (const [where, sought] of looks) {
    const job = yield* row(`SELECT id FROM @jobs WHERE ${where} LIMIT 1`, sought)
    if (job !== null) return text(job.id)
  }
  return noId
}
