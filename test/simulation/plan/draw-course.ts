/**
 * Work that is remembered by name: steps, sleeps and waits, by ticks and by enqueues; and what comes between them: signals
 * too early, twice and too late, cancels of sleepers, retries of what failed, and a crash right behind a start.
 */
import type { Random } from '../world/random.ts'
import { drawOptions, type Era } from './draw-jobs.ts'
import { drawPlainWork } from './draw-mixed-queue.ts'
import { type JobPlan, type NodePlan, type Part, partName, type Step } from './plan.ts'

const kinds = { enqueued: 2, ticking: 3, both: 1 } as const

export function drawCourse(random: Random, era: Era): JobPlan[] {
  if (!random.chance(0.5)) return []
  const kind = random.weighted(kinds)
  const retry = { attempts: random.integer(1, 4), base: 200 }
  const work = () => ({
    ...drawPlainWork(random, [0, random.pick([50, 700])]),
    throws: random.pick([0, 0.1, 0.4]),
    parts: drawParts(random),
  })
  const enqueued: JobPlan = { name: 'course', options: { retry }, work: work() }
  const ticking: JobPlan = { name: 'course-ticks', options: drawTicking(random, era), work: work() }
  return [...(kind === 'ticking' ? [] : [enqueued]), ...(kind === 'enqueued' ? [] : [ticking])]
}

/** Mostly often: a sleep meets the next tick, and an outage leaves catch-ups that sleep. */
function drawTicking(random: Random, era: Era): JobPlan['options'] {
  const options = drawOptions(random, era)
  const often = random.pick([{ every: random.integer(3, 15) * 1_000 }, { fixedDelay: 2_000 }])
  return {
    ...options,
    ...(random.chance(0.7) ? { schedule: often } : {}),
    // Where a crash must end it, it may not sleep, and fails at once: seldom worth a history.
    ...(random.chance(0.8) ? { onCrash: 'retry' } : {}),
  }
}

function drawParts(random: Random): Part[] {
  return Array.from({ length: random.integer(1, 4) }, (_, index): Part => {
    const beside = index > 0 && random.chance(0.25)
    switch (random.weighted({ step: 4, sleep: 3, wait: 3 })) {
      case 'step': {
        const transaction = random.chance(0.4)
        // A transaction holds the only writer of a SQLite file.
        const ms = transaction ? 0 : random.pick([0, 30, 1_500])
        const [throws, tries] = [random.pick([0, 0, 0.2]), random.pick([1, 1, 3])]
        return { kind: 'step', beside, transaction, ms, throws, tries }
      }
      case 'sleep':
        return { kind: 'sleep', beside, ms: random.pick([300, 2_000, 8_000, 35_000]) }
      case 'wait':
        return { kind: 'wait', beside, timeoutMs: random.pick([null, 1_000, 10_000, 40_000]) }
    }
  })
}

interface Scene {
  readonly durationMs: number
  readonly nodes: readonly NodePlan[]
  readonly crashes: boolean
  readonly operators: boolean
}

export function drawCourseSteps(random: Random, course: readonly JobPlan[], scene: Scene): Step[] {
  return course.flatMap((job) => {
    const begun = job.options.schedule === undefined ? drawEnqueues(random, job, scene) : []
    return [...begun, ...drawSignals(random, job, begun, scene), ...drawActions(random, job, begun, scene)]
  })
}

function drawEnqueues(random: Random, { name: job }: JobPlan, { durationMs }: Scene): Step[] {
  return Array.from({ length: random.integer(3, 10) }, (): Step => {
    const unique = random.pick([null, 'a', 'b'])
    return { atMs: random.integer(0, durationMs), via: -1, kind: 'enqueue', job, unique }
  })
}

/** Some right behind a start, or when the wait is about to time out; the same one again; and some for what has ended. */
function drawSignals(
  random: Random,
  { name: job, work }: JobPlan,
  begun: readonly Step[],
  { durationMs, nodes }: Scene,
): Step[] {
  const waits = work.parts.flatMap((part, index) =>
    part.kind === 'wait'
      ? [{ name: partName(part, index), endsMs: leastMs(work.parts.slice(0, index + 1)) }]
      : [],
  )
  if (waits.length === 0) return []
  return Array.from({ length: random.integer(3, 12) }, (_, n) => {
    const wait = random.pick(waits)
    const near = begun.length > 0 && random.chance(0.8) ? random.pick(begun).atMs : null
    const soonMs = random.pick([random.integer(0, 1_500), wait.endsMs + random.integer(-100, 500)])
    const atMs = near === null ? random.integer(0, durationMs) : Math.max(0, near + soonMs)
    const signal = {
      kind: 'signal' as const,
      job,
      wait: wait.name,
      id: `${job}-${n}`,
      to: random.pick(['unfinished', 'unfinished', { key: 'a' }, { key: 'b' }, 'ended'] as const),
    }
    const via = () => random.integer(-1, nodes.length - 1)
    const again = random.chance(0.3) ? [{ ...signal, atMs: atMs + random.integer(0, 1_500), via: via() }] : []
    return [{ ...signal, atMs, via: via() }, ...again]
  }).flat()
}

/** How long these take where nothing goes wrong and nobody answers. */
function leastMs(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === 'wait' ? (part.timeoutMs ?? 0) : part.ms), 0)
}

function drawActions(
  random: Random,
  { name: job }: JobPlan,
  begun: readonly Step[],
  { durationMs, nodes, crashes, operators }: Scene,
): Step[] {
  const atMs = () => random.integer(0, durationMs)
  const some = <T>(on: boolean, most: number, draw: () => T): T[] =>
    Array.from({ length: on ? random.integer(0, most) : 0 }, draw)
  const ticking = begun.length === 0
  return [
    ...some<Step>(operators, 2, () => ({ atMs: atMs(), via: -1, kind: 'cancel_execution', job })),
    ...some<Step>(operators, 4, () => ({ atMs: atMs(), via: -1, kind: 'retry_execution', job })),
    ...some<Step>(operators && ticking, 1, () => ({
      atMs: atMs(),
      via: -1,
      kind: 'backfill',
      job,
      agoMs: 30_000,
    })),
    ...some<Step>(operators && ticking, 2, () => ({
      atMs: atMs(),
      via: -1,
      kind: 'pause',
      job,
      forMs: 8_000,
    })),
    ...some<Step>(operators && ticking, 2, () => ({
      atMs: atMs(),
      via: -1,
      kind: 'resume',
      job,
      catchUp: random.pick(['policy', 'all']),
    })),
    ...some<Step>(crashes, 3, () => ({
      atMs: (ticking ? atMs() : random.pick(begun).atMs) + random.integer(0, 2_000),
      kind: 'crash',
      node: random.integer(0, nodes.length - 1),
      forMs: random.pick([500, 5_000]),
    })),
  ]
}
