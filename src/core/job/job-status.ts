/**
 * A job's status, in the words of the interval scheduler and of REST: derived from the job's state and its newest run,
 * never stored. What may follow what is a table. What a person may ask for follows from it and from the table of states
 * (`job-state.ts`), which decides in the database.
 */
import { EvertickError } from '../error.ts'
import { type ExecutionState, isFinal } from '../execution/execution-state.ts'
import { type JobState, jobTransitions } from './job-state.ts'

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

/** What a status is derived from. */
export interface StatusGrounds {
  readonly state: JobState
  readonly hasSchedule: boolean
  /** Of the newest execution that does more than wait for a later instant. */
  readonly last: ExecutionState | null
  readonly newest: ExecutionState | null
}

/**
 * What waits for its instant keeps a job that runs once from being over; else the last execution decides. The lists derive
 * the same in SQL (`match-jobs.ts`); a test compares the two.
 */
export function jobStatus({ state, hasSchedule, last, newest }: StatusGrounds): JobStatus {
  if (last === 'running') return 'running'
  switch (state) {
    case 'paused':
    case 'disabled':
      return 'paused'
    case 'cancelled':
      return 'cancelled'
    case 'error':
      return 'failed'
    case 'completed':
      return newest === 'failed' ? 'failed' : newest !== null && !isFinal(newest) ? 'pending' : 'completed'
    case 'active':
      if (hasSchedule) return 'scheduled'
      if (newest === null || !isFinal(newest)) return 'pending'
      return newest === 'failed' ? 'failed' : newest === 'cancelled' ? 'cancelled' : 'completed'
  }
}

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

/** The states that a job of this status may have; a job that runs may have any but `cancelled`. */
const statesOf: Readonly<Record<JobStatus, readonly JobState[]>> = {
  pending: ['active', 'completed'],
  scheduled: ['active'],
  running: ['active', 'paused', 'disabled', 'completed', 'error'],
  paused: ['paused', 'disabled'],
  completed: ['completed', 'active'],
  failed: ['error', 'completed', 'active'],
  cancelled: ['cancelled'],
}

const targets: Readonly<Record<StatusAction, JobStatus>> = {
  pause: 'paused',
  resume: 'scheduled',
  cancel: 'cancelled',
  retry: 'pending',
}

interface LegalAction {
  readonly from: readonly JobStatus[]
  readonly to: JobStatus
}

/** What a person may ask for, from which statuses, and where it leads: never what the table of states could refuse. */
export const actionTable: Readonly<Record<StatusAction, LegalAction>> = {
  pause: legalAction('pause'),
  resume: legalAction('resume'),
  cancel: legalAction('cancel'),
  retry: legalAction('retry'),
}

function legalAction(action: StatusAction): LegalAction {
  const to = targets[action]
  return { from: jobStatuses.filter((status) => isTransition(status, to) && isTaken(action, status)), to }
}

function isTaken(action: StatusAction, status: JobStatus): boolean {
  if (action === 'retry') return status === 'failed'
  return statesOf[status].every((state) => jobTransitions[state][action] !== null)
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

/** The status that an action looks at: a run hides that its job is paused, and a schedule goes on after a failed run. */
export function statusFor(
  action: StatusAction,
  { status, state, last }: Pick<StatusGrounds, 'state' | 'last'> & { readonly status: JobStatus },
): JobStatus {
  if (action === 'resume' && state === 'paused') return 'paused'
  return action === 'retry' && last === 'failed' ? 'failed' : status
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
      transition: { state: status, asked: to, actions: legal },
    },
  )
}

function isLegal(action: StatusAction, job: HasStatus): boolean {
  return actionTable[action].from.includes(typeof job === 'string' ? job : job.status)
}
