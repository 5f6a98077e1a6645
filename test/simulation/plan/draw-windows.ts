/** Opening hours that begin and end within a history, and operators who change them. */
import type { Random } from '../world/random.ts'
import type { Era } from './draw-jobs.ts'
import type { JobPlan, Step } from './plan.ts'

const minute = 60_000

type Window = NonNullable<JobPlan['options']['window']>

/** In a fraction of the histories, some of the jobs with ticks. */
export function drawWindows(
  random: Random,
  era: Era,
  jobs: readonly JobPlan[],
  durationMs: number,
): JobPlan[] {
  if (!random.chance(0.35)) return [...jobs]
  return jobs.map((job) => {
    if (job.options.schedule === undefined || !random.chance(0.5)) return job
    return { ...job, options: { ...job.options, window: drawWindow(random, era, job, durationMs) } }
  })
}

export function drawHours(random: Random, era: Era, jobs: readonly JobPlan[], durationMs: number): Step[] {
  return jobs
    .filter(({ options }) => options.window !== undefined && random.chance(0.5))
    .map(
      (job): Step => ({
        atMs: random.integer(0, durationMs),
        via: -1,
        kind: 'edit',
        job: job.name,
        options: { window: drawWindow(random, era, job, durationMs) },
      }),
    )
}

/** Hours are of whole minutes, and a history has a few of them. */
function drawWindow(random: Random, era: Era, { options }: JobPlan, durationMs: number): Window {
  const lines = Array.from({ length: random.integer(1, 2) }, () => {
    const from = Math.floor((era.startAt + random.integer(-minute, durationMs)) / minute) * minute
    return `${clock(from)}-${clock(from + random.integer(1, 2) * minute)}`
  })
  const isOpen = random.chance(0.5)
  const { catchUp } = options
  const policy = typeof catchUp === 'object' ? catchUp.policy : catchUp
  return {
    timezone: 'UTC',
    open: isOpen ? lines : [],
    closed: isOpen ? [] : lines,
    onClosed: policy === 'none' ? 'skip' : random.pick(['skip', 'defer']),
  }
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 16)
}
