/**
 * Events under a few keys, more than there are runs: while one waits, while one runs, while one waits for another try; and
 * what may come between: a crash, a cancel, a retry by hand, a paused queue in which they gather.
 */
import type { Random } from '../world/random.ts'
import { drawPlainWork } from './draw-mixed-queue.ts'
import type { JobPlan, NodePlan, Step } from './plan.ts'

export function drawEventJobs(random: Random): JobPlan[] {
  if (!random.chance(0.14)) return []
  const work = {
    ...drawPlainWork(
      random,
      random.pick([
        [0, 50],
        [500, 3_000],
      ]),
    ),
    throws: random.pick([0.2, 0.6]),
  }
  return [{ name: 'events', options: { retry: { attempts: random.integer(2, 4), base: 500 } }, work }]
}

interface Scene {
  readonly durationMs: number
  readonly nodes: readonly NodePlan[]
  readonly crashes: boolean
  readonly operators: boolean
}

export function drawEvents(random: Random, jobs: readonly JobPlan[], scene: Scene): Step[] {
  return jobs.flatMap(({ name: job }) =>
    Array.from({ length: random.integer(2, 5) }, () => random.integer(0, scene.durationMs)).flatMap(
      (atMs) => {
        const spell = random.pick([500, 3_000, 10_000])
        const mode = random.pick(['replace', 'debounce', 'throttle'] as const)
        const at = () => atMs + random.integer(0, spell)
        const events = Array.from({ length: random.integer(3, 10) }, (): Step => {
          const via = random.chance(0.3) ? -1 : random.integer(0, scene.nodes.length - 1)
          return { atMs: at(), via, kind: 'event', job, key: random.pick(['k', 'k', 'l']), mode }
        })
        return [...events, ...drawTrouble(random, job, at, scene)]
      },
    ),
  )
}

function drawTrouble(
  random: Random,
  job: string,
  at: () => number,
  { nodes, crashes, operators }: Scene,
): Step[] {
  const trouble = random.weighted({
    none: 2,
    crash: 2,
    pause_queue: 1,
    cancel_execution: 1,
    retry_execution: 1,
  })
  const atMs = at()
  switch (trouble) {
    case 'none':
      return []
    case 'crash':
      return crashes ? [{ atMs, kind: 'crash', node: random.integer(0, nodes.length - 1), forMs: 5_000 }] : []
    case 'pause_queue':
      if (!operators) return []
      return [
        { atMs, via: -1, kind: 'pause_queue' },
        { atMs: atMs + 3_000, via: -1, kind: 'resume_queue' },
      ]
    default:
      return operators ? [{ atMs, via: -1, kind: trouble, job }] : []
  }
}
