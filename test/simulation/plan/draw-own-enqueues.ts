/**
 * Work that a node enqueues for itself, one at a time: an idle worker begins it by the write that enqueues it. With what
 * may speak against that at the very moment: a paused queue, a change of the job, a crash.
 */
import type { Random } from '../world/random.ts'
import { drawPlainWork } from './draw-mixed-queue.ts'
import type { JobPlan, NodePlan, Step } from './plan.ts'

export function drawOwnWork(random: Random): JobPlan[] {
  if (!random.chance(0.4)) return []
  const durations: [number, number][] = [
    [0, 50],
    [100, 2_000],
  ]
  const work = drawPlainWork(random, random.pick(durations))
  return [{ name: 'own', options: { retry: { attempts: random.integer(1, 3), base: 200 } }, work }]
}

interface Scene {
  readonly durationMs: number
  readonly nodes: readonly NodePlan[]
  readonly crashes: boolean
  readonly operators: boolean
}

/** In a few spells, each of which has one node, and at most one trouble. */
export function drawOwnEnqueues(random: Random, own: readonly JobPlan[], scene: Scene): Step[] {
  const { durationMs, nodes, crashes, operators } = scene
  return own.flatMap(({ name: job }) =>
    Array.from({ length: random.integer(1, 3) }, () => random.integer(0, durationMs)).flatMap((atMs) => {
      const via = random.integer(0, nodes.length - 1)
      const enqueues = Array.from(
        { length: random.integer(3, 8) },
        (_, n): Step => ({ atMs: atMs + n * 300, via, kind: 'enqueue', job, unique: null }),
      )
      const soon = atMs + random.integer(1, 1_500)
      const trouble = random.weighted({ none: 1, crash: 1, pause_queue: 2, edit: 1, cancel_execution: 1 })
      switch (trouble) {
        case 'none':
          return enqueues
        case 'crash':
          return crashes ? [...enqueues, { atMs: soon, kind: 'crash', node: via, forMs: 5_000 }] : enqueues
        case 'pause_queue':
          if (!operators) return enqueues
          return [
            ...enqueues,
            { atMs: soon, via: -1, kind: 'pause_queue' },
            { atMs: soon + 2_000, via: -1, kind: 'resume_queue' },
          ]
        case 'edit':
          return operators
            ? [...enqueues, { atMs: soon, via: -1, kind: 'edit', job, options: { priority: 1 } }]
            : enqueues
        case 'cancel_execution':
          return operators ? [...enqueues, { atMs: soon, via: -1, kind: 'cancel_execution', job }] : enqueues
      }
    }),
  )
}
