/**
 * The states of an execution. An illegal move is a coded error that names both.
 */
import { EvertickError } from '../error.ts'

export const executionStates = [
  'blocked',
  'pending',
  'running',
  'retrying',
  'completed',
  'failed',
  'cancelled',
] as const
export type ExecutionState = (typeof executionStates)[number]

/**
 * `running -> pending` gives back a reservation that never started; `-> blocked` is for the catch-up and backfill chain,
 * which steps aside for ticks and waits there for its retries.
 */
export const executionTransitions: Readonly<Record<ExecutionState, readonly ExecutionState[]>> = {
  blocked: ['pending', 'cancelled'],
  pending: ['running', 'blocked', 'cancelled'],
  running: ['completed', 'retrying', 'failed', 'cancelled', 'pending', 'blocked'],
  retrying: ['running', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

export function isFinal(state: ExecutionState): boolean {
  return executionTransitions[state].length === 0
}

export function assertTransition(id: string, from: ExecutionState, to: ExecutionState): void {
  if (executionTransitions[from].includes(to)) return
  throw new EvertickError('invalid_transition', `Execution ${id} cannot go from ${from} to ${to}.`, {
    next: isFinal(from)
      ? `${from} is final; retry it to make a new execution.`
      : `From ${from} it can go to: ${executionTransitions[from].join(', ')}.`,
  })
}
