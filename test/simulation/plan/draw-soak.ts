/** A virtual year: few faults, many changes of the clocks, and a history that must not grow. */
import type { JobOptions } from '../../../src/index.ts'
import { Random } from '../world/random.ts'
import { calm, type JobPlan, type Part, type Plan, type Step } from './plan.ts'

const minute = 60_000
const hour = 60 * minute
export const day = 24 * hour
export const month = 30 * day

const schedules: readonly NonNullable<JobOptions['schedule']>[] = [
  { cron: '30 2 * * *', timezone: 'Europe/Madrid' },
  { cron: '0 1 * * *', timezone: 'America/New_York' },
  { cron: '*/30 * * * *', timezone: 'Australia/Lord_Howe' },
  { cron: '45 2,3 * * *', timezone: 'Pacific/Chatham' },
  { cron: '0 * * * *', timezone: 'Europe/London' },
  { cron: '0 9 * * 1-5', timezone: 'America/Sao_Paulo' },
  { cron: '0 0 1 * *', timezone: 'Asia/Tehran' },
  { every: 20 * minute },
  { fixedDelay: hour },
]

const overlaps = ['skip', 'buffer_one', 'allow', 'buffer_all'] as const

export function drawSoak(seed: number, days = 366): Plan {
  const random = new Random(`evertick soak ${seed}`)
  const durationMs = days * day
  return {
    seed,
    mode: 'soak',
    startAt: Date.UTC(2026, 8, 1),
    durationMs,
    // Nobody need look around every second of a year.
    timing: {
      leaderLeaseMs: 2 * hour,
      heartbeatMs: 40 * minute,
      workerLeaseMs: 30 * minute,
      longestSleepMs: 6 * hour,
      catchUpRate: 10,
    },
    weather: { ...calm, replyLost: 0.0005, refused: 0.0005 },
    // Whoever waits for the lead would look at one every second.
    lifelines: false,
    nodes: Array.from({ length: 2 }, () => ({
      roles: ['scheduler', 'worker'] as const,
      concurrency: 10,
      clock: { skewMs: 0, rate: 1 },
      lacks: null,
    })),
    jobs: schedules.map((schedule, index) => drawJob(random, `job-${index + 1}`, schedule)),
    steps: drawSteps(random, days),
  }
}

/** In one of the jobs: what is remembered must go with its execution. */
const remembered: readonly Part[] = [
  { kind: 'step', beside: false, transaction: true, ms: 0, throws: 0.01, tries: 2 },
  { kind: 'sleep', beside: false, ms: 10 * minute },
  { kind: 'wait', beside: false, timeoutMs: minute },
]

function drawJob(random: Random, name: string, schedule: NonNullable<JobOptions['schedule']>): JobPlan {
  return {
    name,
    options: {
      schedule,
      overlap: random.pick(overlaps),
      catchUp: { policy: random.pick(['none', 'latest', 'all']), maxMissedRuns: random.pick([1, 5]) },
      retention: { executions: 50, age: 2 * day, ledger: 20 * day },
      retry: { attempts: 2 },
    },
    work: {
      durationsMs: [100, 3_000],
      throws: 0.02,
      snoozes: 0.01,
      retries: 0.01,
      transactional: random.chance(0.5),
      transactionMs: 0,
      heeds: true,
      enqueues: null,
      parts: 'cron' in schedule && schedule.cron === '0 * * * *' ? remembered : [],
    },
  }
}

function drawSteps(random: Random, days: number): Step[] {
  const steps: Step[] = []
  const names = schedules.map((_, index) => `job-${index + 1}`)
  const atMs = () => random.integer(0, (days - 1) * day)
  for (let index = 0; index < days / 7; index += 1) {
    const node = random.integer(0, 1)
    const forMs = random.pick([minute, 5 * hour, 2 * day])
    steps.push({ atMs: atMs(), kind: random.pick(['crash', 'stop', 'freeze'] as const), node, forMs })
    const by = { atMs: atMs(), via: -1, job: random.pick(names) }
    steps.push({ ...by, kind: 'pause', forMs: random.pick([hour, day]) })
    steps.push({ ...by, atMs: atMs(), kind: 'trigger', force: false })
    steps.push({ ...by, atMs: atMs(), kind: 'backfill', agoMs: day })
    steps.push({ ...by, atMs: atMs(), kind: 'edit', options: { description: `edit ${index}` } })
  }
  return steps.toSorted((a, b) => a.atMs - b.atMs)
}
