/**
 * A flow: executions that wait for one another. Each step is an enqueue, made with all others in one transaction; it begins
 * once the steps that it comes after have ended.
 */
import { EvertickError } from '../error.ts'
import type { ExecutionState, FinalState } from '../execution/execution-state.ts'
import { keysOf } from '../table-keys.ts'

/** What the end of a step does to the steps after it where it did not complete, in words. */
export const onFailureWords = {
  cancel: 'the steps after it are cancelled',
  continue: 'the steps after it go on',
} as const
export type OnFailure = keyof typeof onFailureWords
export const onFailures = keysOf(onFailureWords)

export const flowStates = ['running', 'completed', 'failed', 'cancelled'] as const
export type FlowState = (typeof flowStates)[number]

/** One step as its flow was made of it. */
export interface FlowStep {
  readonly name: string
  /** The names of the steps that it waits for. */
  readonly after: readonly string[]
  readonly onFailure: OnFailure
}

/** The same with how its execution stands. */
export interface StandingStep extends FlowStep {
  readonly state: ExecutionState
}

/** More would be no flow, but a batch. */
export const mostSteps = 20_000
export const longestStepName = 100

/** What a step's end means for those after it: they may go on, or never will. */
export function meets({ onFailure }: Pick<FlowStep, 'onFailure'>, state: FinalState): boolean {
  return state === 'completed' || onFailure === 'continue'
}

/** How a flow has ended: a failure after which the others go on is not the flow's. */
export function endOfFlow(steps: readonly Pick<StandingStep, 'onFailure' | 'state'>[]): FinalState {
  const counts = steps.filter(({ onFailure }) => onFailure === 'cancel')
  if (counts.some(({ state }) => state === 'failed')) return 'failed'
  return counts.some(({ state }) => state === 'cancelled') ? 'cancelled' : 'completed'
}

/** What is told of a parent in `ctx.parents`. */
export interface Parent {
  readonly executionId: string
  readonly state: FinalState
  readonly result: unknown
  readonly error: { readonly name: string; readonly message: string } | null
}

export function flowNotFound(id: string): EvertickError {
  return new EvertickError('flow_not_found', `There is no flow ${id}.`, {
    next: 'List flows with `evertick flows list`; retention removes old ones.',
  })
}
