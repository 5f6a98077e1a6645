/**
 * Jobs whose last final outcome was not a success. Whatever ends an execution for good writes it here, in its own
 * transaction and last, after jobs and executions: nobody who holds one of these rows waits for another. It is not a
 * column of the jobs, whose rows all nodes contend for; and a success writes only where there is a row to remove.
 */
import type { Completion } from '../hot-scripts.ts'
import { run, type Script } from '../runtime/script.ts'
import type { Ended } from '../work/make-final.ts'

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

/**
 * Of those that have failed for good; a later success among them cancels a failure out. In id order. Two who note a job's
 * first failure at once: the key refuses the second, whose script is run again.
 */
export function* noteFailures(ended: readonly Ended[]): Script<void> {
  const failed = ended.filter(({ state }) => state === 'failed')
  if (failed.length === 0) return
  const provenAt = new Map<string, number>()
  for (const { jobId, state, at } of ended)
    if (state === 'completed') provenAt.set(jobId, Math.max(at, provenAt.get(jobId) ?? 0))
  const byJob = Map.groupBy(
    failed.filter(({ jobId, at }) => at > (provenAt.get(jobId) ?? 0)),
    ({ jobId }) => jobId,
  )
  for (const [jobId, own] of [...byJob].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const last = own.reduce((newest, failure) => (failure.at >= newest.at ? failure : newest))
    const values = [own.length, last.at, last.id, jobId]
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
