/** What executions of a page wait for at their limits, and who has what they wait for. */
import { nextStartAt } from '../../../core/execution/limit.ts'
import type { SharesRow } from '../../store.ts'
import { number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { type Row, rows, type Script } from '../runtime/script.ts'
import { numbersFrom } from './limits.ts'

const waitingText = `
  SELECT e.id, k.limit_key, k.limit_id, k.starts, l.concurrency, l.rate_count, l.rate_per_ms,
    (SELECT count(*) FROM @limit_leases s WHERE s.limit_key = k.limit_key) AS running,
    (SELECT s.at FROM @limit_starts s WHERE s.limit_key = k.limit_key AND s.n = k.starts + 1 - l.rate_count) AS before_at
  FROM @live_executions e JOIN @limit_keys k ON k.limit_key = e.wait_key LEFT JOIN @limits l ON l.id = k.limit_id
  WHERE e.id IN ?* AND e.state <> 'running'`

const holdersText = `
  SELECT s.limit_key, e.id, e.leased_by, j.name AS job_name FROM @limit_leases s
  JOIN @live_executions e ON e.id = s.execution_id LEFT JOIN @jobs j ON j.id = e.job_id
  WHERE s.limit_key = ? ORDER BY e.id LIMIT ?`

const mostHolders = 3

export function* readShares(executionIds: readonly string[], now: number): Script<SharesRow[]> {
  if (executionIds.length === 0) return []
  const waiting = yield* rows(waitingText, executionIds)
  const holdersOf = new Map<string, Row[]>()
  for (const key of new Set(waiting.map(({ limit_key }) => text(limit_key))))
    holdersOf.set(key, yield* rows(holdersText, key, mostHolders))
  return waiting.map((row) => ({
    executionId: text(row.id),
    limitId: text(row.limit_id),
    ...numbersFrom(row),
    running: number(row.running),
    startsAt: startsAtOf(row, now),
    holders: (holdersOf.get(text(row.limit_key)) ?? []).map(({ id, job_name, leased_by }) => ({
      id: text(id),
      jobName: text(job_name),
      node: optionalText(leased_by),
    })),
  }))
}

function startsAtOf(row: Row, now: number): number | null {
  const { rate } = numbersFrom(row)
  const before = optionalNumber(row.before_at)
  if (rate === null || before === null) return null
  const starts = number(row.starts)
  const at = nextStartAt({ rate, starts, startedAt: new Map([[starts + 1 - rate.count, before]]) }, now)
  return at > now ? at : null
}
