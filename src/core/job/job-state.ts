/**
 * The states of a job and what may be done in each. The table is the truth: the docs draw it, the store guards by it.
 */
import { EvertickError } from '../error.ts'
import type { ExecutionState } from '../execution/execution-state.ts'

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
  // Changing the end or reason of a pause is not a transition: see `changeJob`.
  paused: {
    pause: null,
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
  // It has no ticks left; an edit that adds some makes it active again.
  completed: {
    pause: null,
    resume: null,
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

/** What Evertick does by itself. */
type OwnAction = 'disable' | 'enable'
export type OperatorAction = Exclude<JobAction, OwnAction> | 'retry' | 'delete'

const operatorActions = jobActions.filter((action) => action !== 'disable' && action !== 'enable')

/** What an operator may do with a job in this state, whose last execution has that one. */
export function legalActions(state: JobState, last: ExecutionState | null): OperatorAction[] {
  const legal = operatorActions.filter((action) => jobTransitions[state][action] !== null)
  // A retry is a run like any other, and a cancelled job does not run.
  const mayRetry = last === 'failed' && jobTransitions[state].trigger !== null
  return [...legal, 'delete', ...(mayRetry ? (['retry'] as const) : [])]
}

/** What each action asks for: of a job its state, of a run that it makes the run's. */
const askedStates: Readonly<Record<JobAction | 'retry', string>> = {
  pause: 'paused',
  resume: 'active',
  cancel: 'cancelled',
  disable: 'disabled',
  enable: 'active',
  edit: 'active',
  trigger: 'pending',
  backfill: 'pending',
  retry: 'pending',
}

/** The state that follows, or a coded error that names both. */
export function nextJobState(name: string, state: JobState, action: JobAction): JobState {
  const following = jobTransitions[state][action]
  if (following === null) throw refusedAction({ name, state }, action, null)
  return following
}

export function refusedAction(
  { name, state }: { readonly name: string; readonly state: JobState },
  action: JobAction | 'retry',
  last: ExecutionState | null,
): EvertickError {
  const asked = askedStates[action]
  const actions = legalActions(state, last)
  const already = asked === state ? ' already' : ''
  const run =
    action === 'retry' ? `, and its last run ${last === null ? 'is yet to come' : `is ${last}`}` : ''
  return new EvertickError(
    'invalid_transition',
    `Cannot ${action} job "${name}": it is ${state}${already}${run}.`,
    {
      next: `While it is ${state} you can: ${actions.join(', ')}.`,
      transition: { state, asked, actions },
    },
  )
}
