/** The jobs of a history: schedules on both sides of a change of the clocks, and every policy. */
import type { CatchUpPolicy, CrashPolicy, OverlapPolicy } from '../../../src/core/job/policies.ts'
import type { JobOptions } from '../../../src/index.ts'
import type { Random } from '../world/random.ts'
import type { JobPlan, Work } from './plan.ts'

export interface Era {
  readonly startAt: number
  readonly timezone: string
  /** Crons that fall on the change. */
  readonly crons: readonly string[]
}

/** Each a few minutes before clocks change somewhere, but for the last, which is an ordinary night. */
export const eras: readonly Era[] = [
  era('2027-03-28T00:56:30Z', 'Europe/Madrid', ['30 2 * * *', '*/2 * * * *', '0 3 * * *', '* 2 * * *']),
  era('2026-10-25T00:57:00Z', 'Europe/Madrid', ['30 2 * * *', '*/2 * * * *', '0 3 * * *', '1 2,3 * * *']),
  era('2027-03-14T06:57:00Z', 'America/New_York', ['15 2 * * *', '*/20 * * * * *', '0 3 * * *']),
  era('2026-11-01T05:57:00Z', 'America/New_York', ['0 1 * * *', '*/3 * * * *', '30 1 * * *', '2 1 * * *']),
  era('2027-04-03T14:57:00Z', 'Australia/Lord_Howe', ['45 1 * * *', '* * * * *', '0 2 * * *']),
  era('2026-10-03T15:27:00Z', 'Australia/Lord_Howe', ['15 2 * * *', '*/5 * * * *', '30 2 * * *']),
  era('2027-04-03T13:57:00Z', 'Pacific/Chatham', ['47 2 * * *', '41,47 * * * *', '50 3 * * *']),
  era('2026-12-31T23:57:30Z', 'UTC', ['0 0 1 1 *', '* * * * *', '@hourly', '*/7 * * * * *']),
]

function era(start: string, timezone: string, crons: readonly string[]): Era {
  return { startAt: Date.parse(start), timezone, crons }
}

export function drawJobs(random: Random, era: Era): JobPlan[] {
  const count = random.integer(1, 5)
  const names = Array.from({ length: count }, (_, index) => `job-${index + 1}`)
  return names.map((name) => ({
    name,
    options: drawOptions(random, era),
    work: drawWork(random, name === names.at(-1) ? null : (names.at(-1) ?? null)),
  }))
}

/** The crowd is due every so often, from the beginning of every history on. */
export const crowdEveryMs = 10_000

/** Jobs that are all due at one instant, more than the workers have slots for: some are reserved before it. */
export function drawCrowd(random: Random): JobPlan[] {
  if (!random.chance(0.3)) return []
  return Array.from({ length: random.integer(4, 9) }, (_, index) => ({
    name: `crowd-${index + 1}`,
    options: {
      schedule: { every: crowdEveryMs, anchor: 'epoch' },
      overlap: random.pick(['skip', 'cancel_running', 'allow']),
      ...maybe(random, 0.1, { onCrash: 'fail' }),
    },
    work: { ...drawWork(random, null), durationsMs: random.pick([[0], [0, 50, 400]]) },
  }))
}

export function drawSchedule(random: Random, era: Era): NonNullable<JobOptions['schedule']> {
  switch (random.weighted({ every: 5, cron: 3, second: 2, fixedDelay: 2, at: 1 })) {
    case 'every':
      return { every: random.pick([random.integer(1_000, 5_000), random.integer(5_000, 40_000), 60_000]) }
    case 'cron':
      return { cron: random.pick(era.crons), timezone: era.timezone }
    case 'second':
      return {
        cron: random.pick(['*/5 * * * * *', '*/13 * * * * *', '30 * * * * *', '* * * * *']),
        timezone: 'UTC',
      }
    case 'fixedDelay':
      return { fixedDelay: random.integer(1_000, 30_000) }
    case 'at':
      return { at: new Date(era.startAt + random.integer(5_000, 180_000)).toISOString() }
  }
}

type Weights<Choice extends string> = Readonly<Record<Choice, number>>

/** A new policy does not compile until it is drawn. */
const overlaps: Weights<OverlapPolicy> = {
  skip: 5,
  buffer_one: 2,
  buffer_all: 2,
  cancel_running: 2,
  allow: 3,
}
const catchUps: Weights<CatchUpPolicy> = { none: 2, latest: 4, all: 4 }
const crashes: Weights<CrashPolicy> = { retry: 3, fail: 1 }

/** Folded almost at once, and passed by the ledger soon after; folded within the history. */
const brief = { executions: 1, age: 3_000, ledger: 60_000 }
const short = { executions: 5, age: 10_000 }

export function drawOptions(random: Random, era: Era): JobOptions {
  const overlap = random.weighted(overlaps)
  const policy = random.weighted(overlap === 'cancel_running' ? { ...catchUps, all: 0 } : catchUps)
  return {
    schedule: drawSchedule(random, era),
    overlap,
    catchUp: {
      policy,
      maxMissedRuns: random.pick([1, 3, 20]),
      grace: random.pick([1_000, 5_000, 60_000]),
      ...maybe(random, 0.15, { window: random.pick([20_000, 120_000]) }),
    },
    ...(overlap === 'allow' ? {} : maybe(random, 0.3, { maxConcurrent: 2 })),
    retry: {
      attempts: random.integer(1, 4),
      base: random.pick([200, 1_000, 5_000]),
      jitter: random.pick([0, 0.5]),
    },
    onCrash: random.weighted(crashes),
    retention: random.chance(0.4) ? random.pick([brief, short]) : { executions: 10_000 },
    ...maybe(random, 0.2, { timeout: random.pick([1_500, 6_000]) }),
    ...maybe(random, 0.2, { startDeadline: random.pick([3_000, 30_000]) }),
    ...maybe(random, 0.15, { jitter: 2_000 }),
    ...maybe(random, 0.1, { maxRuns: random.integer(2, 12) }),
    ...maybe(random, 0.2, { priority: random.integer(-5, 5) }),
  }
}

function maybe<T extends object>(random: Random, probability: number, options: T): T | object {
  return random.chance(probability) ? options : {}
}

function drawWork(random: Random, last: string | null): Work {
  return {
    durationsMs: random.pick([[0], [0, 50, 400], [0, 400, 3_000], [700, 7_000], [2_000, 12_000, 45_000]]),
    throws: random.pick([0, 0, 0.1, 0.5]),
    snoozes: random.pick([0, 0, 0.1]),
    retries: random.pick([0, 0, 0.1]),
    transactional: random.chance(0.5),
    transactionMs: random.chance(0.1) ? random.pick([200, 2_500]) : 0,
    heeds: random.chance(0.8),
    // Only forward, or two jobs would feed each other for ever.
    enqueues: random.chance(0.15) ? last : null,
    parts: [],
  }
}
