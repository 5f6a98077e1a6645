/**
 * The states of a job and what may be done in each. The table is the truth: the docs draw it, the store guards by it.
 */
import { EvertickError } from '../error.ts'

export const jobStates = ['active', 'paused', 'disabled', 'completed', 'cancelled', 'error'] as const
export type JobState = (typeof jobStates)[number]

export const jobActions = [
  'pause',
  'resume',
  'cancel',
  'disable',
  'enable',
  'edit',
  'trigger',
  'backfill',
] as const
export type JobAction = (typeof jobActions)[number]

/** state x action -> the state that follows, or null where the action makes no sense there. */
export const jobTransitions: Readonly<Record<JobState, Readonly<Record<JobAction, JobState | null>>>> = {
  active: {
    pause: 'paused',
    resume: null,
    cancel: 'cancelled',
    disable: 'disabled',
    enable: null,
    edit: 'active',
    trigger: 'active',
    backfill: 'active',
  },
  paused: {
    pause: 'paused',
    resume: 'active',
    cancel: 'cancelled',
    disable: null,
    enable: null,
    edit: 'paused',
    trigger: 'paused',
    backfill: 'paused',
  },
  disabled: {
    pause: 'paused',
    resume: 'active',
    cancel: 'cancelled',
    disable: null,
    enable: 'active',
    edit: 'disabled',
    trigger: 'disabled',
    backfill: 'disabled',
  },
  completed: {
    pause: null,
    resume: 'active',
    cancel: 'cancelled',
    disable: null,
    enable: null,
    edit: 'completed',
    trigger: 'completed',
    backfill: 'completed',
  },
  cancelled: {
    pause: null,
    resume: 'active',
    cancel: null,
    disable: null,
    enable: null,
    edit: 'cancelled',
    trigger: null,
    backfill: null,
  },
  error: {
    pause: 'paused',
    resume: 'active',
    cancel: 'cancelled',
    disable: null,
    enable: null,
    edit: 'active',
    trigger: 'error',
    backfill: null,
  },
}

/** What an operator may do with a job in this state. */
export function legalActions(state: JobState): JobAction[] {
  return jobActions.filter((action) => jobTransitions[state][action] !== null)
}

/** The state that follows, or a coded error that names both. */
export function nextJobState(name: string, state: JobState, action: JobAction): JobState {
  const following = jobTransitions[state][action]
  if (following === null) {
    const legal = legalActions(state).join(', ')
    throw new EvertickError('invalid_transition', `Cannot ${action} job "${name}": it is ${state}.`, {
      next: `While it is ${state} you can: ${legal}.`,
    })
  }
  return following
}
