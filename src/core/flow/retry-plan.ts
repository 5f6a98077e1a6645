/** What is made again when a part of a flow is: the steps that are asked for, and those after them that can run then. */
import { EvertickError } from '../error.ts'
import { type ExecutionState, isFinal } from '../execution/execution-state.ts'
import type { StandingStep } from './flow.ts'
import { childrenOf, descendantsOf, inOrder, shortList } from './flow-graph.ts'

export interface Remade {
  readonly name: string
  /** How many of its parents it waits for then. */
  readonly openParents: number
}

/** The steps that keep their flow from having completed; a failure after which the others went on is none. */
export function stepsToRetry(steps: readonly StandingStep[]): string[] {
  const roots = steps.filter(
    ({ state, onFailure }) => state === 'cancelled' || (state === 'failed' && onFailure === 'cancel'),
  )
  return roots.map(({ name }) => name)
}

/**
 * Parents before children. Refused while something after them is unfinished, and after a parent that did not complete and
 * is not made again itself. A step whose other parents failed stays as it is: [D after X and E, both failed; X is retried,
 * and D must not start.]
 */
export function retryPlan(steps: readonly StandingStep[], roots: readonly string[]): Remade[] {
  const children = childrenOf(steps)
  const states = new Map(steps.map((step) => [step.name, step]))
  const asked = new Set(roots)
  const after = descendantsOf(children, asked)
  for (const name of [...asked, ...after]) {
    const state = states.get(name)?.state
    if (state !== undefined && !isFinal(state)) throw unfinished(name, state, after.has(name))
  }
  const remade = new Map<string, Remade>()
  /** Steps that never can run as things stand, since a step before them did not complete. */
  const doomed = new Set<string>()
  for (const { name, after: parents } of inOrder(steps) ?? []) {
    const blocking = parents.filter((parent) => !remade.has(parent) && isInTheWay(states.get(parent), doomed))
    if (blocking.length > 0) doomed.add(name)
    if (!asked.has(name) && !after.has(name)) continue
    if (blocking.length > 0) {
      if (asked.has(name) && !after.has(name)) throw afterFailure(name, blocking)
      continue
    }
    const open = parents.filter(
      (parent) => remade.has(parent) || !isFinal(states.get(parent)?.state ?? 'failed'),
    )
    remade.set(name, { name, openParents: open.length })
  }
  return [...remade.values()]
}

/** It has ended without completing, and what comes after it was, or would have been, cancelled by that. */
function isInTheWay(parent: StandingStep | undefined, doomed: ReadonlySet<string>): boolean {
  if (parent === undefined || parent.state === 'completed' || !isFinal(parent.state)) return false
  return parent.onFailure === 'cancel' || doomed.has(parent.name)
}

function unfinished(name: string, state: ExecutionState, isAfter: boolean): EvertickError {
  const what = isAfter ? 'a step can be run again once all that comes after it has ended' : 'it has not ended'
  return new EvertickError('invalid_transition', `Step "${name}" is ${state}: ${what}.`, {
    next: 'Wait until it has ended, or cancel it.',
  })
}

function afterFailure(name: string, blocking: readonly string[]): EvertickError {
  return new EvertickError(
    'invalid_transition',
    `Step "${name}" comes after ${shortList(blocking)}, which did not complete.`,
    { next: `Retry ${shortList(blocking, 1)} first, or the flow as a whole.` },
  )
}
