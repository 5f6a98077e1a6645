/** One job, or the rows of several, held for the rest of the transaction. */
import { idOrNone } from '../../../core/id.ts'
import type { Job } from '../../../core/job/job.ts'
import { jobFrom } from '../runtime/rows.ts'
import { hold, row, type Script } from '../runtime/script.ts'

/** By name or id; deleted jobs are not found. */
export function* findJob(reference: string): Script<Job | null> {
  const job = (yield* row(byNameText, reference)) ?? (yield* row(byIdText, idOrNone(reference)))
  return job === null ? null : jobFrom(job)
}

/** The same, and holds the job's row for the rest of the transaction. */
export function* lockJob(
  reference: string,
  lock: 'FOR UPDATE' | 'FOR SHARE' = 'FOR UPDATE',
): Script<Job | null> {
  const job =
    (yield* row(`${byNameText} ${lock}`, reference)) ??
    (yield* row(`${byIdText} ${lock}`, idOrNone(reference)))
  return job === null ? null : jobFrom(job)
}

const byNameText = 'SELECT * FROM @jobs WHERE name = ? AND deleted_at IS NULL'
const byIdText = 'SELECT * FROM @jobs WHERE id = ? AND deleted_at IS NULL'

/**
 * Whoever makes or ends an execution of these jobs holds their rows first, in id order, and only then counts or writes.
 * Where runs may overlap and no end opens a next tick there is nothing to count.
 */
export function* holdLanes(jobIds: Iterable<string>): Script<void> {
  const ids = [...new Set(jobIds)]
  if (ids.length === 0) return
  yield* hold(
    `SELECT id FROM @jobs WHERE id IN ?* AND (overlap <> 'allow' OR delay_ms IS NOT NULL) ORDER BY id FOR UPDATE`,
    ids,
  )
}
