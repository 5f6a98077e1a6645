/**
 * The states of an execution. An illegal move is a coded error that names both.
 */
import { EvertickError } from '../error.ts'

export const executionStates = [
  'blocked',
  'pending',
  'running',
  'retrying',
  'sleeping',
  'waiting',
  'completed',
  'failed',
  'cancelled',
] as const
export type ExecutionState = (typeof executionStates)[number]

export const finalStates = ['completed', 'failed', 'cancelled'] as const satisfies readonly ExecutionState[]
export type FinalState = (typeof finalStates)[number]

/**
 * `running -> pending` gives back a reservation that never started; `-> blocked` is for the catch-up and backfill chain,
 * which steps aside for ticks and waits there for its retries. What sleeps or waits for a signal has given up its slot, and
 * comes back as a retry does.
 */
export const executionTransitions: Readonly<Record<ExecutionState, readonly ExecutionState[]>> = {
  blocked: ['pending', 'cancelled'],
  pending: ['running', 'blocked', 'cancelled'],
  running: ['completed', 'retrying', 'sleeping', 'waiting', 'failed', 'cancelled', 'pending', 'blocked'],
  retrying: ['running', 'cancelled'],
  sleeping: ['running', 'cancelled'],
  waiting: ['running', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

export const unfinishedStates: readonly ExecutionState[] = executionStates.filter((state) => !isFinal(state))

export function isFinal(state: ExecutionState): boolean {
  return executionTransitions[state].length === 0
}

/** What a person may ask of it: one that runs is asked to stop once, a final one can be run again. */
export type ExecutionAction = 'cancel' | 'retry'

interface Actionable {
  readonly id: string
  readonly state: ExecutionState
  readonly cancelRequestedAt: number | null
}

export function legalExecutionActions({
  state,
  cancelRequestedAt,
}: Omit<Actionable, 'id'>): ExecutionAction[] {
  if (isFinal(state)) return ['retry']
  return cancelRequestedAt === null ? ['cancel'] : []
}

/** Throws a coded error that names both states. */
export function refuseIllegalAction(execution: Actionable, action: ExecutionAction): void {
  const actions = legalExecutionActions(execution)
  if (actions.includes(action)) return
  const { id, state } = execution
  const stopping = action === 'cancel' && !isFinal(state) ? ' and has already been asked to stop' : ''
  const [legal] = actions
  throw new EvertickError(
    'invalid_transition',
    `Cannot ${action} execution ${id}: it is ${state}${stopping}.`,
    {
      next:
        legal === undefined
          ? 'Wait until it has ended.'
          : `While it is ${state} you can ${legal} it${legal === 'retry' ? ', which makes a new one' : ''}.`,
      transition: { state, asked: action === 'cancel' ? 'cancelled' : 'pending', actions },
    },
  )
}
