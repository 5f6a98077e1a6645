/** Flows as text: `d: x e` is a step after x and e; `x*` lets the others go on. */
import type { OnFailure } from '../../src/core/flow/flow.ts'
import type { ClaimedExecution, NewFlow, Store } from '../../src/store/store.ts'
import { idOf, jobSpec, nameOf, newExecution, t0 } from './builders.ts'
import type { Bench } from './conformance/store-under-test.ts'

interface MadeFlow {
  readonly id?: string
  readonly job?: string
  readonly createdAt?: number
  readonly queue?: string
}

/** Each step's execution has the step's name. */
export function newFlow(
  lines: readonly string[],
  { id = 'flow', job = 'a', createdAt = t0, queue }: MadeFlow = {},
): NewFlow {
  const steps = lines.map((line) => {
    const [head = '', after = ''] = line.split(':')
    const name = head.replace('*', '')
    const onFailure: OnFailure = head.endsWith('*') ? 'continue' : 'cancel'
    const execution = newExecution(name, job, { createdAt, queue: queue ?? null })
    return { name, after: after.split(' ').filter((one) => one !== ''), onFailure, execution }
  })
  return { id: idOf(id), name: null, createdAt, steps }
}

/** Of job `a`, which is made, too. */
export async function made(
  { hand, store }: Pick<Bench, 'hand' | 'store'>,
  ...lines: string[]
): Promise<string> {
  await hand.work()
  await hand.create('a', jobSpec({ schedule: null }))
  const flow = newFlow(lines)
  await store.flows.createFlow(flow)
  return flow.id
}

/** Each step with the state that it is shown in. */
export async function standing(store: Store, id = idOf('flow')): Promise<string[]> {
  const flow = await store.flows.findFlow(id)
  return flow?.graph.map(({ name, state }) => `${name} ${state}`) ?? []
}

/** `running 1/0/2 of 4`: completed, failed, cancelled. */
export async function stateOf(store: Store, id = idOf('flow')): Promise<string | null> {
  const flow = await store.flows.findFlow(id)
  if (flow === null) return null
  const { state, completed, failed: lost, cancelled } = flow
  return `${state} ${completed}/${lost}/${cancelled} of ${flow.steps}`
}

/** Sorted. */
export const names = (claimed: readonly ClaimedExecution[]) => claimed.map(({ id }) => nameOf(id)).toSorted()

/** The one of that name among them. */
export function pick(claimed: readonly ClaimedExecution[], name: string): ClaimedExecution {
  const found = claimed.find(({ id }) => id === idOf(name))
  if (found === undefined) throw new Error(`${name} was not claimed`)
  return found
}
