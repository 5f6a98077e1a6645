/**
 * A thousand scheduled jobs: every kind of schedule, overlap and catch-up beside each other. One in ten is due every few
 * seconds, the others two or three times a minute: about a hundred ticks a second, so that a leader is always at work.
 */
import { catchUpPolicies, overlapPolicies } from '../../../src/core/job/policies.ts'
import type { CreateJob, Evertick } from '../../../src/index.ts'

export const thousand = 1_000
const handlers = ['quick', 'quick', 'short', 'short', 'booked', 'booked', 'long'] as const
const atOnce = 8

export async function createThousandJobs(evertick: Evertick): Promise<void> {
  const jobs = Array.from({ length: thousand }, (_, index) => jobOf(index))
  const creators = Array.from({ length: atOnce }, async () => {
    for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) await evertick.jobs.create(job)
  })
  await Promise.all(creators)
}

function jobOf(index: number): CreateJob {
  const overlap = pick(overlapPolicies, index)
  const policy = overlap === 'cancel_running' ? 'latest' : pick(catchUpPolicies, index)
  return {
    name: `job-${index}`,
    handler: pick(handlers, index),
    schedule: scheduleOf(index),
    overlap,
    // For some of them, a failover is long enough to miss a tick.
    catchUp: { policy, maxMissedRuns: 3, ...(index % 4 === 0 ? { grace: '1s' } : {}) },
    retry: { attempts: 20, base: 50, factor: 1 },
    retention: { executions: 10_000 },
  }
}

function scheduleOf(index: number): NonNullable<CreateJob['schedule']> {
  const everyMs = (index % 10 === 0 ? 2_000 : 20_000) + ((index * 37) % 10) * (index % 10 === 0 ? 300 : 2_000)
  if (index % 17 === 0) return { fixedDelay: everyMs }
  if (index % 19 === 0) return { cron: `*/${Math.round(everyMs / 1_000)} * * * * *` }
  return { every: everyMs }
}

function pick<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T
}
