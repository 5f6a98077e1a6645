/** Enqueue, by hand for this engine: each job is read once for a batch, and each draft is one insert. */

import { jobCancelled, jobNotFound } from '../sql/jobs/create-job.ts'
import { enqueueColumns } from '../sql/jobs/job-columns.ts'
import { text } from '../sql/runtime/rows.ts'
import { change, type Row, row, type Script } from '../sql/runtime/script.ts'
import { enqueuedNames, enqueuedRow, unsettled } from '../sql/work/enqueue.ts'
import { isUnfinished } from '../sql/work/states.ts'
import type { Enqueued, NewExecution } from '../store.ts'

const literals: Readonly<Record<string, string>> = { cause: `'enqueue'`, state: `'pending'` }
const boundNames = enqueuedNames.filter((name) => literals[name] === undefined)

const enqueueText = `
  INSERT INTO @live_executions (${enqueuedNames.join(', ')})
  VALUES (${enqueuedNames.map((name) => literals[name] ?? '?').join(', ')})`

const enqueueUniqueText = `${enqueueText} ON CONFLICT DO NOTHING RETURNING id`

const enqueueJobText = `
  SELECT ${enqueueColumns} FROM @jobs WHERE name = ? AND deleted_at IS NULL`

const sameUniqueText = `
  SELECT id FROM @live_executions
  WHERE job_id = ? AND unique_key = ? AND ${isUnfinished}`

export function* enqueueExecutions(drafts: readonly NewExecution[]): Script<Enqueued[]> {
  const jobs = new Map<string, Row>()
  const enqueued: Enqueued[] = []
  for (const draft of drafts) {
    let job = jobs.get(draft.jobName)
    if (job === undefined) {
      job = yield* openJob(draft.jobName)
      jobs.set(draft.jobName, job)
    }
    enqueued.push(yield* enqueueOne(job, draft))
  }
  return enqueued
}

function* openJob(name: string): Script<Row> {
  const job = yield* row(enqueueJobText, name)
  if (job === null) throw jobNotFound(name)
  if (job.state === 'cancelled') throw jobCancelled(name)
  return job
}

function* enqueueOne(job: Row, draft: NewExecution): Script<Enqueued> {
  const written = enqueuedRow(draft, job)
  const values = boundNames.map((name) => written[name])
  if (draft.uniqueKey === null) {
    yield change(enqueueText, ...values)
    return { id: draft.id, created: true }
  }
  const inserted = yield* row(enqueueUniqueText, ...values)
  if (inserted !== null) return { id: draft.id, created: true }
  const same = yield* row(sameUniqueText, written.job_id, draft.uniqueKey)
  if (same === null) throw unsettled()
  return { id: text(same.id), created: false }
}
