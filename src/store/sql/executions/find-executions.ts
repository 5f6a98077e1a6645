/** Executions by what they hold, and how many there are. */
import { leaseSlackMs } from '../../../core/attempt/lease.ts'
import type { Execution } from '../../../core/execution/execution.ts'
import type { Unfinished } from '../../store.ts'
import { countClaimable, unfinishedTexts } from '../cluster/queues.ts'
import { executionFrom, number } from '../runtime/rows.ts'
import { type Row, rows, type Script } from '../runtime/script.ts'
import { countsOf } from '../runtime/where.ts'

export function* listLeases(filter: 'active' | 'expired', now: number, limit = 1_000): Script<Execution[]> {
  const executions = yield* rows(
    `SELECT e.*, j.name AS job_name FROM @live_executions e LEFT JOIN @jobs j ON j.id = e.job_id
     WHERE e.state = 'running' AND ${filter === 'active' ? 'e.leased_until > ?' : 'e.leased_until <= ?'}
     ORDER BY e.leased_until LIMIT ?`,
    now - leaseSlackMs,
    limit,
  )
  return executions.map(executionFrom)
}

export function* countExecutions(): Script<Record<string, number>> {
  const counts = countsOf(yield* rows('SELECT state, count(*) AS n FROM @job_executions GROUP BY state'))
  const { retrying, ...others } = counts
  if (retrying === undefined) return counts
  // What rests is among them in the database.
  const apart: Record<string, number> = {}
  for (const { state, count } of yield* countClaimable()) {
    if (state !== 'pending') apart[state] = (apart[state] ?? 0) + count
  }
  return { ...others, ...apart }
}

export function* countUnfinished(): Script<Unfinished> {
  const unfinished: Row[] = []
  for (const counts of unfinishedTexts) unfinished.push(...(yield* rows(counts)))
  const count = (runs: boolean) =>
    unfinished.reduce((sum, { state, n }) => sum + ((state === 'running') === runs ? number(n) : 0), 0)
  return { running: count(true), waiting: count(false) }
}
