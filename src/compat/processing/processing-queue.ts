/** The engine's job behind a queue of processing jobs: the same for those who create, lease and work. */

import { refuseBadName } from '../../app/config/call-options.ts'
import { type DefinedJob, defineJob } from '../../app/job/define-job.ts'
import { EvertickError } from '../../core/error.ts'
import { storable } from '../../core/payload.ts'
import { processingJobStatuses } from './processing-job.ts'

export const defaultQueue = 'processing'
export const maxAttempts = 3

/** The view `processing_jobs` finds them by this name. */
export function jobNameOf(queue: string): string {
  return queue === defaultQueue ? queue : `processing:${queue}`
}

/**
 * `base: 0`: what was given back can be leased at once, and a crash has cost a whole lease already. A worker's own
 * failures wait for its next poll.
 */
export function processingDefinition(queue: string): DefinedJob {
  return defineJob({
    name: jobNameOf(queue),
    queue,
    overlap: 'allow',
    retry: { attempts: maxAttempts, base: 0 },
    retention: { executions: 100_000 },
  })
}

/** A row as it is inserted, instead of plain data. */
export interface NewProcessingJob {
  /** Your own name for it. While an unfinished job has it, no second one is made. @default the id */
  readonly job_id?: string
  readonly payload: unknown
  readonly status?: 'pending'
}

const rowKeys = ['job_id', 'payload', 'status']

/** `createJob` takes a row, or plain data, which is the payload then; a `job_id` in it also names the job. */
export function newJobFrom(data: unknown, maxBytes: number): { jobId: string | null; payload: unknown } {
  if (typeof data !== 'object' || data === null)
    return { jobId: null, payload: storable(data, 'data', maxBytes) }
  const { job_id: jobId, status = 'pending' } = data as Partial<Record<string, unknown>>
  const isRow = 'payload' in data && Object.keys(data).every((key) => rowKeys.includes(key))
  if (isRow && status !== 'pending') throw notPending(status)
  return {
    jobId: jobId === undefined ? null : jobIdFrom(jobId),
    payload: storable(isRow ? data.payload : data, 'payload', maxBytes),
  }
}

/** It is the execution's unique key, and stands in an index. */
function jobIdFrom(given: unknown): string {
  const jobId = typeof given === 'number' ? String(given) : given
  refuseBadName(jobId, 'job_id', 500)
  return jobId as string
}

function notPending(status: unknown): EvertickError {
  const known = (processingJobStatuses as unknown[]).includes(status)
  return new EvertickError('invalid_option', 'A new job must be pending.', {
    field: 'status',
    next: known
      ? 'Leave status out; only a worker moves a job on.'
      : `The statuses are ${processingJobStatuses.join(', ')}.`,
  })
}
