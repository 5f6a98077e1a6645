/**
 * Runs of the jobs with a tag, newest first, by when they began. Each job is read by the index of its own history, so that the cost
 * grows with the jobs that are asked for, and never with what all the others have done.
 */
import type { FinishedRun } from '../../../core/history/statistics.ts'
import { idOrNone } from '../../../core/id.ts'
import type { RunQuery, RunRow } from '../../store.ts'
import { finishedRunFrom } from '../executions/finished-runs.ts'
import { tagged } from '../jobs/find-jobs.ts'
import { executionFrom, jobFrom, number } from '../runtime/rows.ts'
import { type Row, rows, type Script } from '../runtime/script.ts'
import { Where } from '../runtime/where.ts'

/** A run that never began counts from where it ended; what still waits for its start is not a run yet. */
const beganAt = 'COALESCE(e.started_at, e.finished_at)'

export function* listRuns(query: RunQuery): Script<RunRow[]> {
  const runs: { readonly written: Row; readonly job: RunRow['job'] }[] = []
  for (const job of yield* findJobs(query)) {
    const where = runsOf(job.id, query)
    if (query.states !== undefined) where.and('e.state IN ?*', query.states)
    const newest = yield* rows(
      `SELECT e.* FROM @job_executions e WHERE ${where.text} ORDER BY e.seq DESC LIMIT ?`,
      ...where.params,
      query.limit,
    )
    runs.push(...newest.map((written) => ({ written, job })))
  }
  return runs
    .toSorted((a, b) => number(b.written.seq) - number(a.written.seq))
    .slice(0, query.limit)
    .map(({ written, job }) => ({ job, execution: executionFrom({ ...written, job_name: job.name }) }))
}

/** For figures: the same runs without all that they carry. */
export function* finishedRuns(query: RunQuery): Script<FinishedRun[]> {
  const runs: Row[] = []
  for (const job of yield* findJobs(query)) {
    const where = runsOf(job.id, query)
    where.and(`e.state IN ('completed', 'failed', 'cancelled')`)
    runs.push(
      ...(yield* rows(
        `SELECT e.state, e.started_at, e.finished_at FROM @finished_executions e WHERE ${where.text}
         ORDER BY e.seq DESC LIMIT ?`,
        ...where.params,
        query.limit,
      )),
    )
  }
  return runs.map(finishedRunFrom)
}

function runsOf(jobId: string, { from, to }: RunQuery): Where {
  const where = new Where(`${beganAt} IS NOT NULL`)
  where.and('e.job_id = ?', jobId)
  if (from !== undefined) where.and(`${beganAt} >= ?`, from)
  if (to !== undefined) where.and(`${beganAt} < ?`, to)
  return where
}

/** Deleted jobs, too: what they did is still history. */
function* findJobs({ job, tags }: RunQuery): Script<RunRow['job'][]> {
  const where = new Where('1 = 1')
  if (job !== undefined) where.and('(id = ? OR name = ?)', idOrNone(job), job)
  for (const tag of tags) where.and(tagged, tag)
  const jobs = yield* rows(`SELECT * FROM @jobs WHERE ${where.text} ORDER BY id`, ...where.params)
  return jobs.map(jobFrom)
}
