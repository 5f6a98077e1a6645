/**
 * Jobs whose last final outcome was not a success. Whatever ends an execution for good writes it here, in its own
 * transaction and last, after jobs and executions: nobody who holds one of these rows waits for another. It is not a
 * column of the jobs, whose rows all nodes contend for; and a success writes only where there is a row to remove.
 */
import type { Completion } from '../hot-scripts.ts'
import { run, type Script } from '../runtime/script.ts'

/** An execution that has failed for good. */
export interface FinalFailure {
  readonly jobId: string
  readonly executionId: string
  readonly at: number
}

export const unprovenText = 'SELECT job_id FROM @unproven WHERE job_id IN ?*'
const provenText = 'DELETE FROM @unproven WHERE job_id = ?'

/** A new job has neither failed nor succeeded. */
export function* insertUnproven(jobId: string): Script<void> {
  yield* run('INSERT INTO @unproven (job_id, failures) VALUES (?, 0)', jobId)
}

export function* prove(completed: readonly Pick<Completion, 'jobId'>[]): Script<void> {
  const jobIds = new Set(completed.map(({ jobId }) => jobId))
  for (const jobId of [...jobIds].sort()) yield* run(provenText, jobId)
}

/** In id order. Two who note a job's first failure at once: the key refuses the second, whose script is run again. */
export function* noteFailures(failures: readonly FinalFailure[]): Script<void> {
  const byJob = Map.groupBy(failures, ({ jobId }) => jobId)
  for (const jobId of [...byJob.keys()].sort()) {
    const own = (byJob.get(jobId) ?? []).toSorted((a, b) => a.at - b.at)
    const last = own.at(-1)
    if (last === undefined) continue
    const values = [own.length, last.at, last.executionId, jobId]
    const known = yield* run(
      'UPDATE @unproven SET failures = failures + ?, failed_at = ?, execution_id = ? WHERE job_id = ?',
      ...values,
    )
    if (known > 0) continue
    yield* run(
      'INSERT INTO @unproven (failures, failed_at, execution_id, job_id) VALUES (?, ?, ?, ?)',
      ...values,
    )
  }
}
