/** A job as its manager wants it, whoever that is: code, a file or a source. */
import { createHash } from 'node:crypto'
import { EvertickError } from '../../../core/error.ts'
import type { Job, JobSpec } from '../../../core/job/job.ts'

export interface ManagedJob {
  readonly name: string
  /** Of the definition as written: what a manager has written once, it does not write again. Null: it keeps none. */
  readonly hash: string | null
  readonly paused: boolean
  /** Checked anew for each job: an edit keeps secrets of the job that it changes. */
  readonly spec: (standing: Standing) => JobSpec
}

/** The job that an edit changes; `spec` is null where there is none yet. */
export interface Standing {
  readonly createdAt: number
  readonly spec: JobSpec | null
}

export function hashOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function managedElsewhere(job: Job, manager: string, next?: string): EvertickError {
  return new EvertickError(
    'managed_elsewhere',
    `Job "${job.name}" is managed by ${job.managedBy}, not by ${manager}.`,
    { next: next ?? 'Choose another name, or delete that job first.' },
  )
}
