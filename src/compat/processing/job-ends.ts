/** Translates the end of an execution, once it is written, into the events of a worker. */

import type { ExecutionError } from '../../core/execution/execution.ts'
import type { Evertick } from '../../evertick.ts'
import type { ActiveJobs } from './active-jobs.ts'
import type { ProcessingJob } from './processing-job.ts'

export interface EndListener<Payload> {
  readonly completed: (job: ProcessingJob<Payload>) => void
  /** The status says whether it is tried again. */
  readonly failed: (job: ProcessingJob<Payload>, error: Error) => void
}

/** Returns the functions that unsubscribe. */
export function hearEnds<Payload>(
  evertick: Evertick,
  active: ActiveJobs<Payload>,
  listener: EndListener<Payload>,
): (() => void)[] {
  const failed = (id: string, status: 'retry' | 'failed', kept: ExecutionError) => {
    const error = active.errorOf(id, kept)
    const job = active.end(id, { status, last_error: kept.message })
    if (job !== null) listener.failed(job, error)
  }
  return [
    evertick.on('execution:completed', ({ executionId, result }) => {
      const job = active.end(executionId, { status: 'done', last_error: null, result })
      if (job !== null) listener.completed(job)
    }),
    evertick.on('execution:failed', ({ executionId, error }) => failed(executionId, 'failed', error)),
    evertick.on('execution:retrying', ({ executionId, error }) => {
      // A job that was given back has not failed.
      if (error === null) active.forget(executionId)
      else failed(executionId, 'retry', error)
    }),
    evertick.on('execution:cancelled', ({ executionId, reason }) => {
      failed(executionId, 'failed', { name: 'Cancelled', message: `cancelled: ${reason}` })
    }),
    evertick.on('execution:refused', ({ executionId }) => {
      const message = 'Another worker has taken this job over: nothing of this attempt was written.'
      failed(executionId, 'retry', { name: 'Refused', message })
    }),
  ]
}
