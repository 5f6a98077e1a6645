/**
 * A job's status, in the words of the interval scheduler and of REST: derived from the job's state and its newest run,
 * never stored. What may follow what is a table, and so is what a person may ask for; the state's own table
 * (`job-state.ts`) still decides in the database, and a test holds the two against each other.
 */
import { EvertickError } from '../error.ts'

export const jobStatuses = [
  'pending',
  'scheduled',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
] as const
export type JobStatus = (typeof jobStatuses)[number]

/** status -> the statuses that may follow it, by the scheduler or by one of the four actions. */
export const statusTransitions: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  // It runs once and waits for a worker; `scheduled`: it was given a schedule meanwhile.
  pending: ['scheduled', 'running', 'cancelled'],
  // `pending`: its one instant has come. `completed`: its schedule has come to its end.
  scheduled: ['pending', 'running', 'paused', 'completed', 'cancelled'],
  // `scheduled`: until the next tick or the retry; of a job that runs once, `pending`. `paused`: paused while it ran.
  running: ['pending', 'scheduled', 'paused', 'completed', 'failed', 'cancelled'],
  // `running`: what was under way when it was paused is tried again.
  paused: ['scheduled', 'running', 'cancelled'],
  // By a new schedule.
  completed: ['scheduled'],
  // By a retry, or by a new schedule.
  failed: ['pending', 'scheduled'],
  cancelled: [],
}

export const statusActions = ['pause', 'resume', 'cancel', 'retry'] as const
export type StatusAction = (typeof statusActions)[number]

/** What a person may ask for, from which statuses, and where it leads. */
export const actionTable: Readonly<
  Record<StatusAction, { readonly from: readonly JobStatus[]; readonly to: JobStatus }>
> = {
  pause: { from: ['scheduled'], to: 'paused' },
  resume: { from: ['paused'], to: 'scheduled' },
  cancel: { from: ['pending', 'scheduled', 'running', 'paused'], to: 'cancelled' },
  retry: { from: ['failed'], to: 'pending' },
}

/** A status, or a job that has one. */
export type HasStatus = JobStatus | { readonly status: JobStatus }

export function isTransition(from: JobStatus, to: JobStatus): boolean {
  return statusTransitions[from].includes(to)
}

export function canPause(job: HasStatus): boolean {
  return isLegal('pause', job)
}

export function canResume(job: HasStatus): boolean {
  return isLegal('resume', job)
}

export function canCancel(job: HasStatus): boolean {
  return isLegal('cancel', job)
}

export function canRetry(job: HasStatus): boolean {
  return isLegal('retry', job)
}

/** Throws a coded error that names both statuses. */
export function refuseIllegal(action: StatusAction, name: string, status: JobStatus): void {
  if (isLegal(action, status)) return
  const { from, to } = actionTable[action]
  const legal = statusActions.filter((other) => isLegal(other, status))
  throw new EvertickError(
    'invalid_transition',
    `Cannot ${action} job "${name}": it is ${status}, and only a job that is ${from.join(' or ')} becomes ${to} by it.`,
    {
      next:
        legal.length === 0
          ? `While it is ${status} you can delete it, or give it a new schedule.`
          : `While it is ${status} you can: ${legal.join(', ')}.`,
    },
  )
}

function isLegal(action: StatusAction, job: HasStatus): boolean {
  return actionTable[action].from.includes(typeof job === 'string' ? job : job.status)
}
