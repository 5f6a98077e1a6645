/**
 * A queue in which what begins by its place waits between what asks its own row. A mark of the reserve may pass none of
 * the latter: whoever dies while one of them is being written shows whether it did.
 */
import type { Random } from '../world/random.ts'
import type { JobPlan, NodePlan, Step, Timing } from './plan.ts'

/** Two jobs that are only enqueued, one of each kind, and short: then many are begun in little time. */
export function drawMixedQueue(random: Random): JobPlan[] {
  if (!random.chance(0.4)) return []
  const work = drawPlainWork(random, [0, 50])
  const retry = { attempts: random.integer(2, 4), base: 200 }
  const own = random.pick([{ onCrash: 'fail' }, { startDeadline: 30_000 }] as const)
  return [
    { name: 'by-place', options: { retry }, work },
    { name: 'by-row', options: { retry, ...own }, work },
  ]
}

/** Work that only runs, throws now and then, or writes through its transaction. */
export function drawPlainWork(random: Random, durationsMs: readonly [number, number]): JobPlan['work'] {
  return {
    durationsMs,
    throws: random.pick([0, 0.1]),
    snoozes: 0,
    retries: 0,
    transactional: random.chance(0.3),
    transactionMs: 0,
    heeds: true,
    enqueues: null,
    parts: [],
  }
}

interface Scene {
  readonly durationMs: number
  readonly timing: Timing
  readonly nodes: readonly NodePlan[]
  /** Whether nodes crash in this history, and whether they freeze. */
  readonly crashes: boolean
  readonly freezes: boolean
}

/** Both kinds in turn, more than the slots take, and a node that dies or freezes while they are begun. */
export function drawMixture(random: Random, mixed: readonly JobPlan[], scene: Scene): Step[] {
  if (mixed.length === 0) return []
  return Array.from({ length: random.integer(1, 2) }, () => random.integer(0, scene.durationMs)).flatMap(
    (atMs) => {
      const turns = Array.from({ length: random.integer(5, 8) }, (_, turn) =>
        mixed.map(({ name }): Step => ({ atMs: atMs + turn, via: -1, kind: 'burst', job: name, count: 2 })),
      )
      return [...turns.flat(), ...drawTrouble(random, atMs, scene)]
    },
  )
}

/** It lasts until others take over what the node held. */
function drawTrouble(random: Random, atMs: number, { crashes, freezes, nodes, timing }: Scene): Step[] {
  const kinds = [...(crashes ? ['crash' as const] : []), ...(freezes ? ['freeze' as const] : [])]
  if (kinds.length === 0) return []
  const workers = [...nodes.keys()].filter((node) => nodes[node]?.roles.includes('worker'))
  const [kind, node] = [random.pick(kinds), random.pick(workers)]
  return [{ atMs: atMs + random.integer(100, 2_000), kind, node, forMs: timing.workerLeaseMs + 3_000 }]
}
