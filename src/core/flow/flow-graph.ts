/** Which step of a flow comes after which. Every walk takes as long as there are edges, however wide the flow is. */
import { EvertickError } from '../error.ts'
import { didYouMean } from '../schedule/did-you-mean.ts'
import { type FlowStep, longestStepName, mostSteps } from './flow.ts'

export type Edges = Pick<FlowStep, 'name' | 'after'>

/** By name, the steps that come after it, in the order of the flow. */
export function childrenOf(steps: readonly Edges[]): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>(steps.map(({ name }) => [name, []]))
  for (const { name, after } of steps) for (const parent of after) children.get(parent)?.push(name)
  return children
}

/** All that come after any of these, at any distance; not they themselves, unless one comes after another. */
export function descendantsOf(
  children: ReadonlyMap<string, readonly string[]>,
  names: Iterable<string>,
): Set<string> {
  const found = new Set<string>()
  const open = [...names]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const child of children.get(name) ?? []) {
      if (found.has(child)) continue
      found.add(child)
      open.push(child)
    }
  }
  return found
}

/** Parents before their children; null where a circle leaves some that nothing begins. */
export function inOrder<Step extends Edges>(steps: readonly Step[]): Step[] | null {
  const free = freeOf(steps)
  return free.length === steps.length ? free : null
}

/** What no circle holds up, parents first. */
function freeOf<Step extends Edges>(steps: readonly Step[]): Step[] {
  const children = childrenOf(steps)
  const byName = new Map(steps.map((step) => [step.name, step]))
  const open = new Map(steps.map(({ name, after }) => [name, after.length]))
  const free = steps.filter(({ after }) => after.length === 0)
  // It grows while it is walked.
  for (const { name } of free) {
    for (const child of children.get(name) ?? []) {
      const left = (open.get(child) ?? 0) - 1
      open.set(child, left)
      const step = byName.get(child)
      if (left === 0 && step !== undefined) free.push(step)
    }
  }
  return free
}

/** Refuses what is no flow: names that are not there, a step after itself, a circle, which it names. */
export function refuseBadFlow(steps: readonly Edges[]): void {
  if (steps.length === 0) throw refused('steps', 'A flow has at least one step.')
  if (steps.length > mostSteps)
    throw refused(
      'steps',
      `The flow has ${steps.length} steps; it may have at most ${mostSteps}.`,
      'Enqueue what does not depend on each other as a batch.',
    )
  const names = steps.map(({ name }) => name)
  const known = new Set(names)
  for (const { name, after } of steps) {
    if (name.trim() === '' || name.length > longestStepName || name.includes('\0'))
      throw refused('steps', `The name of a step must be a text of 1 to ${longestStepName} characters.`)
    const field = `steps.${name}.after`
    const unknown = after.find((parent) => !known.has(parent))
    if (unknown !== undefined) {
      const near = didYouMean(unknown, names)
      throw refused(
        field,
        `Step "${name}" comes after "${unknown}", which is no step of the flow.`,
        near === undefined ? `Its steps are: ${shortList(names)}.` : `Did you mean "${near}"?`,
      )
    }
    if (new Set(after).size < after.length)
      throw refused(field, `Step "${name}" names a step twice in its \`after\`.`)
  }
  if (inOrder(steps) === null)
    throw refused('steps', `The steps wait for each other: ${circleIn(steps).join(' -> ')}.`)
}

function refused(field: string, message: string, next?: string): EvertickError {
  return new EvertickError('invalid_option', message, { field, ...(next === undefined ? {} : { next }) })
}

/** The names of one circle, which begins and ends with the same. Each of what is left over waits for another of these. */
function circleIn(steps: readonly Edges[]): string[] {
  const parents = new Map(steps.map(({ name, after }) => [name, after]))
  const left = new Set(steps.map(({ name }) => name))
  for (const { name } of freeOf(steps)) left.delete(name)
  const path: string[] = []
  let [name = ''] = left
  while (!path.includes(name)) {
    path.push(name)
    name = parents.get(name)?.find((parent) => left.has(parent)) ?? name
  }
  return [...path.slice(path.indexOf(name)), name].toReversed()
}

/** The first few of many names, as a part of a sentence. */
export function shortList(names: readonly string[], most = 5): string {
  const more = names.length - most
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ')
}
