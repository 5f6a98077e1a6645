/** Flows and batches: steps that throw, are cancelled and run again, and nodes that die while one of them ends. */
import type { Random } from '../world/random.ts'
import { drawPlainWork } from './draw-mixed-queue.ts'
import type { JobPlan, NodePlan, Step } from './plan.ts'

/** What the steps do, and what follows a batch. */
export function drawFlowWork(random: Random): JobPlan[] {
  if (!random.chance(0.35)) return []
  const durations: [number, number][] = [
    [0, 50],
    [100, 2_000],
  ]
  const work = { ...drawPlainWork(random, random.pick(durations)), throws: random.pick([0, 0.1, 0.5]) }
  const deadline = random.chance(0.2) ? { startDeadline: 20_000 } : {}
  const retry = { attempts: random.integer(1, 2), base: 200 }
  return [
    { name: 'links', options: { retry, ...deadline }, work },
    { name: 'follows', options: { retry }, work },
  ]
}

interface Scene {
  readonly durationMs: number
  readonly nodes: readonly NodePlan[]
  readonly crashes: boolean
  readonly operators: boolean
}

export function drawFlows(random: Random, jobs: readonly JobPlan[], scene: Scene): Step[] {
  const [links, follows] = jobs
  if (links === undefined || follows === undefined) return []
  const { durationMs, nodes, crashes, operators } = scene
  const node = () => random.integer(0, nodes.length - 1)
  const via = () => random.integer(-1, nodes.length - 1)
  const made = Array.from({ length: random.integer(2, 6) }, () => random.integer(0, durationMs))
  return made.flatMap((atMs) => {
    const soon = () => atMs + random.integer(0, 6_000)
    const shape = random.integer(0, 1_000_000)
    const step: Step = random.chance(0.6)
      ? { atMs, via: via(), kind: 'flow', job: links.name, shape }
      : {
          atMs,
          via: via(),
          kind: 'batch',
          job: links.name,
          follows: follows.name,
          count: random.integer(0, 6),
        }
    const some = (on: boolean, chance: number, draw: () => Step) =>
      on && random.chance(chance) ? [draw()] : []
    return [
      step,
      ...some(crashes, 0.4, () => ({ atMs: soon(), kind: 'crash', node: node(), forMs: 5_000 })),
      ...some(operators, 0.3, () => ({
        atMs: soon(),
        via: via(),
        kind: 'cancel_execution',
        job: links.name,
      })),
      ...some(operators, 0.2, () => ({ atMs: soon(), via: via(), kind: 'cancel_flow', job: links.name })),
      ...some(operators, 0.6, () => ({
        atMs: soon() + 4_000,
        via: via(),
        kind: 'retry_flow',
        job: links.name,
        shape,
      })),
      ...some(operators, 0.3, () => ({
        atMs: soon() + 4_000,
        via: via(),
        kind: 'retry_execution',
        job: links.name,
      })),
      ...some(operators, 0.1, () => ({
        atMs: soon(),
        via: via(),
        kind: 'cancel',
        job: random.pick(jobs).name,
      })),
    ]
  })
}
