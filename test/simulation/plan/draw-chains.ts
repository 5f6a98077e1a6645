/**
 * Jobs after jobs: two behind one, and one behind both, which joins by the run that began it all; and what comes between an end
 * and what follows it: a pause, a cancel, a retry, an edge that is changed in the middle, a crash.
 */
import type { AfterOption, JobOptions } from '../../../src/index.ts'
import type { Random } from '../world/random.ts'
import { drawPlainWork } from './draw-mixed-queue.ts'
import type { JobPlan, NodePlan, Step } from './plan.ts'

export function drawChains(random: Random): JobPlan[] {
  if (!random.chance(0.3)) return []
  const on = () => random.pick(['success', 'success', 'failure', 'any'] as const)
  const after = (...parents: readonly string[]): AfterOption[] => parents.map((job) => ({ job, on: on() }))
  const options = (own: JobOptions): JobOptions => ({
    retry: { attempts: random.integer(1, 2), base: 200 },
    ...own,
  })
  const overlap = () => random.pick(['buffer_all', 'buffer_all', 'skip', 'allow', 'cancel_running'] as const)
  const work = () => ({
    ...drawPlainWork(random, [0, random.pick([50, 1_500])]),
    throws: random.pick([0, 0.2, 0.5]),
  })
  const every = random.integer(3, 20) * 1_000
  const join = random.pick(['all', 'any'] as const)
  return [
    { name: 'chain-a', options: options({ schedule: { every }, overlap: overlap() }), work: work() },
    { name: 'chain-b', options: options({ after: after('chain-a'), overlap: overlap() }), work: work() },
    { name: 'chain-c', options: options({ after: after('chain-a'), overlap: overlap() }), work: work() },
    {
      name: 'chain-d',
      options: options({ after: after('chain-b', 'chain-c'), join, overlap: overlap() }),
      work: work(),
    },
  ]
}

interface Scene {
  readonly durationMs: number
  readonly nodes: readonly NodePlan[]
  readonly crashes: boolean
  readonly operators: boolean
}

export function drawChainSteps(random: Random, chains: readonly JobPlan[], scene: Scene): Step[] {
  const { durationMs, nodes, crashes, operators } = scene
  if (chains.length === 0) return []
  const name = () => random.pick(chains).name
  const at = () => random.integer(0, durationMs)
  const node = () => random.integer(0, nodes.length - 1)
  const steps: Step[] = Array.from({ length: random.integer(0, 4) }, () => ({
    atMs: at(),
    via: node(),
    kind: 'enqueue',
    job: name(),
    unique: null,
  }))
  if (crashes) steps.push({ atMs: at(), kind: 'crash', node: node(), forMs: 5_000 })
  if (!operators) return steps
  const count = random.integer(2, 8)
  for (let index = 0; index < count; index += 1) {
    const [atMs, via, job] = [at(), node(), name()]
    switch (random.weighted({ retry: 4, cancel: 3, trigger: 2, pause: 2, edit: 2 })) {
      case 'retry':
        steps.push({ atMs, via, kind: 'retry_execution', job })
        break
      case 'cancel':
        steps.push({ atMs, via, kind: 'cancel_execution', job })
        break
      case 'trigger':
        steps.push({ atMs, via, kind: 'trigger', job, force: false })
        break
      case 'pause': {
        const catchUp = random.pick(['skip', 'latest', 'all'] as const)
        steps.push({ atMs, via, kind: 'pause', job, forMs: null })
        steps.push({ atMs: atMs + random.integer(1, 20) * 1_000, via, kind: 'resume', job, catchUp })
        break
      }
      case 'edit':
        steps.push({ atMs, via, kind: 'edit', job: 'chain-d', options: { after: ['chain-b'] } })
        break
    }
  }
  return steps
}
