/** The newest entries of each job's ledger, for a page of jobs. */
import type { JobTick } from '../../store.ts'
import { newestOfEach } from '../jobs/newest-of-each.ts'
import {
  accountOf,
  executionStateOf,
  number,
  optionalNumber,
  optionalText,
  rangeAccountOf,
  text,
} from '../runtime/rows.ts'
import type { Script } from '../runtime/script.ts'

const ticksText = (limit: number) =>
  `SELECT job_id, id, tick_at, account, state, started_at, finished_at FROM @job_executions
   WHERE job_id = ? AND tick_at IS NOT NULL ORDER BY tick_at DESC LIMIT ${limit}`
const rangesText = (limit: number) =>
  `SELECT job_id, from_at, to_at, count, account, reason, execution_id FROM @tick_ranges
   WHERE job_id = ? ORDER BY from_at DESC LIMIT ${limit}`

/** The last entries of each job's ledger, oldest first; a range is one entry. */
export function* recentTicks(jobIds: readonly string[], limit: number): Script<JobTick[]> {
  const whole = Math.trunc(limit)
  const fired = (yield* newestOfEach(jobIds, ticksText(whole))).map((written): JobTick => {
    const tickAt = number(written.tick_at)
    return {
      jobId: text(written.job_id),
      from: tickAt,
      to: tickAt,
      count: 1,
      account: accountOf(written.account),
      reason: null,
      executionId: text(written.id),
      state: executionStateOf(written.state),
      startedAt: optionalNumber(written.started_at),
      finishedAt: optionalNumber(written.finished_at),
    }
  })
  const ranges = (yield* newestOfEach(jobIds, rangesText(whole))).map(
    (written): JobTick => ({
      jobId: text(written.job_id),
      from: number(written.from_at),
      to: number(written.to_at),
      count: number(written.count),
      account: rangeAccountOf(written.account),
      reason: text(written.reason),
      executionId: optionalText(written.execution_id),
      state: null,
      startedAt: null,
      finishedAt: null,
    }),
  )
  const byJob = Map.groupBy([...fired, ...ranges], ({ jobId }) => jobId)
  return [...byJob.values()].flatMap((ticks) => ticks.toSorted((a, b) => a.from - b.from).slice(-whole))
}
