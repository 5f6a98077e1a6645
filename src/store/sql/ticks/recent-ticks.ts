/** The newest entries of each job's ledger, for a page of jobs. */
import { rangesOf } from '../../../core/tick/ledger-row.ts'
import type { JobTick } from '../../store.ts'
import { newestOfEach } from '../jobs/newest-of-each.ts'
import { accountOf, number, optionalNumber, shownState, text } from '../runtime/rows.ts'
import type { Script } from '../runtime/script.ts'
import { restText } from '../steps/step-rows.ts'
import { ledgerRowFrom } from './ledger-rows.ts'

const ticksText = (limit: number) =>
  `SELECT e.job_id, e.id, e.tick_at, e.account, e.state, e.started_at, e.finished_at, ${restText} AS rests_for
   FROM @job_executions e WHERE e.job_id = ? AND tick_at IS NOT NULL ORDER BY tick_at DESC LIMIT ${limit}`
const rangesText = (limit: number) =>
  `SELECT * FROM @tick_ranges
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
      state: shownState(written),
      startedAt: optionalNumber(written.started_at),
      finishedAt: optionalNumber(written.finished_at),
    }
  })
  const ranges = (yield* newestOfEach(jobIds, rangesText(whole))).flatMap((written): JobTick[] =>
    rangesOf(ledgerRowFrom(written)).map(({ outcome, cancelReason: _, ...range }) => ({
      ...range,
      jobId: text(written.job_id),
      state: outcome,
      startedAt: null,
      finishedAt: null,
    })),
  )
  const byJob = Map.groupBy([...fired, ...ranges], ({ jobId }) => jobId)
  return [...byJob.values()].flatMap((ticks) => ticks.toSorted((a, b) => a.from - b.from).slice(-whole))
}
