/**
 * The newest rows of each of many jobs, for a page of them. One SELECT for each job, many in one statement: a window
 * function would read all that a job has ever done, and a statement for each job costs a round trip each.
 */
import type { FinishedRun } from '../../../core/history/statistics.ts'
import type { JobRun, JobTick, ManagedSpec } from '../../store.ts'
import { number, optionalNumber, optionalText, specFrom, text } from '../runtime/rows.ts'
import { type Param, type Row, rows, type Script } from '../runtime/script.ts'

/** So many jobs a statement; what is left over is filled up, so that there are few texts to prepare. */
const sizes = [50, 10, 1] as const

/** `select` has one parameter, the job's id, and ends by its LIMIT. */
export function* newestOfEach(jobIds: readonly string[], select: string): Script<Row[]> {
  const found: Row[] = []
  for (let from = 0; from < jobIds.length; ) {
    const size = sizes.find((size) => size <= jobIds.length - from) ?? 1
    const ids: Param[] = jobIds.slice(from, from + size)
    const parts = ids.map((_, index) => `SELECT * FROM (${select}) n${index}`)
    found.push(...(yield* rows(parts.join(' UNION ALL '), ...ids)))
    from += size
  }
  return found
}

const ticksText = (limit: number) =>
  `SELECT job_id, id, tick_at, account, state, started_at, finished_at FROM @job_executions
   WHERE job_id = ? AND tick_at IS NOT NULL ORDER BY tick_at DESC LIMIT ${limit}`
const rangesText = (limit: number) =>
  `SELECT job_id, from_at, to_at, count, account, reason, execution_id FROM @tick_ranges
   WHERE job_id = ? ORDER BY from_at DESC LIMIT ${limit}`
const runsText = (limit: number) =>
  `SELECT job_id, state, started_at, finished_at FROM @job_executions
   WHERE job_id = ? AND state IN ('completed', 'failed') ORDER BY seq DESC LIMIT ${limit}`

const managedText = `SELECT r.job_id, r.spec FROM @job_revisions r
   WHERE r.job_id = ? AND r.changed_by = (SELECT j.managed_by FROM @jobs j WHERE j.id = r.job_id)
   ORDER BY r.revision DESC LIMIT 1`

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
      account: text(written.account) as JobTick['account'],
      reason: null,
      executionId: text(written.id),
      state: text(written.state) as JobTick['state'],
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
      account: text(written.account) as JobTick['account'],
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

export function* recentRuns(jobIds: readonly string[], limit: number): Script<JobRun[]> {
  const found = yield* newestOfEach(jobIds, runsText(Math.trunc(limit)))
  return found.map((written) => {
    const startedAt = optionalNumber(written.started_at)
    const finishedAt = optionalNumber(written.finished_at)
    return {
      jobId: text(written.job_id),
      state: text(written.state) as FinishedRun['state'],
      durationMs: startedAt === null || finishedAt === null ? null : finishedAt - startedAt,
    }
  })
}

export function* managedSpecs(jobIds: readonly string[]): Script<ManagedSpec[]> {
  const found = yield* newestOfEach(jobIds, managedText)
  return found.map(({ job_id, spec }) => ({ jobId: text(job_id), spec: specFrom(spec) }))
}
