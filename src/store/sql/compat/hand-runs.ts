/** Runs that a caller does by itself: begun under the caller's own lease, with no worker and no tick. */
import { handlerKey } from '../../../core/job/handler.ts'
import type { BeginExecution, Claim } from '../../store.ts'
import { jobCancelled, jobNotFound } from '../jobs/create-job.ts'
import { lockJob } from '../jobs/lock-job.ts'
import { insertAll, run, type Script } from '../runtime/script.ts'

const columns = {
  id: 'uuid',
  job_id: 'uuid',
  cause: 'text',
  scheduled_for: 'number',
  state: 'text',
  ready_at: 'number',
  queue: 'text',
  priority: 'number',
  handler: 'text',
  attempt: 'number',
  max_attempts: 'number',
  input: 'text',
  metadata: 'text',
  fence: 'number',
  leased_by: 'text',
  leased_until: 'number',
  created_at: 'number',
  started_at: 'number',
} as const

/**
 * One row, running from the start: a crash leaves no execution that waits for a worker. Its one attempt is this one, so
 * that a lease that runs out ends it as failed. As enqueued work it is in no lane, and costs no tick.
 */
export function* beginExecution(begin: BeginExecution): Script<Claim> {
  const { id, now } = begin
  // Nobody cancels it before this run is there to be asked to stop.
  const job = yield* lockJob(begin.job, 'FOR SHARE')
  if (job === null) throw jobNotFound(begin.job)
  if (job.state === 'cancelled') throw jobCancelled(job.name)
  const { spec } = job
  yield* insertAll('live_executions', columns, [
    {
      id,
      job_id: job.id,
      cause: 'enqueue',
      scheduled_for: now,
      state: 'running',
      ready_at: now,
      queue: spec.queue,
      priority: spec.priority,
      handler: handlerKey(spec.handler),
      attempt: 1,
      max_attempts: 1,
      input: begin.input === undefined ? null : JSON.stringify(begin.input),
      metadata: writtenMetadata(begin.metadata),
      fence: 1,
      leased_by: begin.holder,
      leased_until: now + begin.leaseMs,
      created_at: now,
      started_at: now,
    },
  ])
  return { id, fence: 1 }
}

export function* describeExecution(
  claim: Claim,
  metadata: Readonly<Record<string, unknown>>,
): Script<boolean> {
  const touched = yield* run(
    `UPDATE @live_executions SET metadata = ? WHERE id = ? AND fence = ? AND state = 'running'`,
    writtenMetadata(metadata),
    claim.id,
    claim.fence,
  )
  return touched === 1
}

function writtenMetadata(metadata: Readonly<Record<string, unknown>>): string | null {
  return Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)
}
