/**
 * The newest rows of each of many jobs, for a page of them. One SELECT for each job, many in one statement: a window
 * function would read all that a job has ever done, and a statement for each job costs a round trip each.
 */
import type { JobRun, ManagedSpec } from '../../store.ts'
import { finishedRunFrom } from '../executions/finished-runs.ts'
import { specFrom, text } from '../runtime/rows.ts'
import { type Param, type Row, rows, type Script } from '../runtime/script.ts'

/** So many jobs a statement; what is left over is filled up, so that there are few texts to prepare. */
const sizes = [50, 10, 1] as const

/** `select` has one parameter, the job's id, and ends by its LIMIT. */
export function* newestOfEach(jobIds: readonly string[], select: string): Script<Row[]> {
  const newest: Row[] = []
  for (let from = 0; from < jobIds.length; ) {
    const size = sizes.find((size) => size <= jobIds.length - from) ?? 1
    const ids: Param[] = jobIds.slice(from, from + size)
    const parts = ids.map((_, index) => `SELECT * FROM (${select}) n${index}`)
    newest.push(...(yield* rows(parts.join(' UNION ALL '), ...ids)))
    from += size
  }
  return newest
}

const runsText = (limit: number) =>
  `SELECT job_id, state, started_at, finished_at FROM @finished_executions
   WHERE job_id = ? AND state IN ('completed', 'failed') ORDER BY seq DESC LIMIT ${limit}`

const managedText = `SELECT r.job_id, r.spec FROM @job_revisions r
   WHERE r.job_id = ? AND r.changed_by = (SELECT j.managed_by FROM @jobs j WHERE j.id = r.job_id)
   ORDER BY r.revision DESC LIMIT 1`

export function* recentRuns(jobIds: readonly string[], limit: number): Script<JobRun[]> {
  const runs = yield* newestOfEach(jobIds, runsText(Math.trunc(limit)))
  return runs.map((row) => ({ jobId: text(row.job_id), ...finishedRunFrom(row) }))
}

export function* managedSpecs(jobIds: readonly string[]): Script<ManagedSpec[]> {
  const revisions = yield* newestOfEach(jobIds, managedText)
  return revisions.map(({ job_id, spec }) => ({ jobId: text(job_id), spec: specFrom(spec) }))
}
