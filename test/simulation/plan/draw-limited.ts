/**
 * Work that shares limits: more of it at once than may run, and a node that dies or freezes while it has shares. Never do more
 * run than may, and all of it is done in the end.
 */
import type { Random } from '../world/random.ts'
import { drawPlainWork } from './draw-mixed-queue.ts'
import type { JobPlan, NodePlan, Step } from './plan.ts'

export function drawLimited(random: Random): JobPlan[] {
  if (!random.chance(0.3)) return []
  const work = drawPlainWork(random, [10, 3_000])
  const retry = { attempts: random.integer(2, 4), base: 200 }
  const most = random.integer(1, 3)
  // What has no customer has one key, too: each of it needs a share of both.
  const limits = random.chance(0.5)
    ? [{ concurrency: most }]
    : [{ concurrency: most + 1 }, { by: 'input.customer', concurrency: most }]
  const fairBy = random.chance(0.3) ? { fairBy: 'input.tenant' } : {}
  return [{ name: 'limited', options: { retry, limits, ...fairBy }, work }]
}

interface Scene {
  readonly durationMs: number
  readonly nodes: readonly NodePlan[]
  readonly crashes: boolean
  readonly operators: boolean
}

/** In a few bursts, each of which may have its trouble. */
export function drawLimitedWork(random: Random, limited: readonly JobPlan[], scene: Scene): Step[] {
  const { durationMs, nodes, crashes, operators } = scene
  return limited.flatMap(({ name: job }) =>
    Array.from({ length: random.integer(1, 3) }, () => random.integer(0, durationMs)).flatMap(
      (atMs): Step[] => {
        const burst: Step = { atMs, via: -1, kind: 'burst', job, count: random.integer(3, 12) }
        const soon = atMs + random.integer(1, 3_000)
        const node = random.integer(0, nodes.length - 1)
        if (crashes && random.chance(0.5)) return [burst, { atMs: soon, kind: 'crash', node, forMs: 5_000 }]
        if (operators && random.chance(0.5))
          return [burst, { atMs: soon, via: -1, kind: 'cancel_execution', job }]
        return [burst]
      },
    ),
  )
}
