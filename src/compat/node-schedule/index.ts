/** `evertick/node-schedule`: node-schedule's calls on Evertick's engine, so that what a process missed is known. */
import { EvertickError } from '../../core/error.ts'
import type { JobOptions } from '../../core/job/options.ts'
import { Job, type JobCallback, scheduledJobs } from './job.ts'
import type { JobSpec } from './job-spec.ts'
import { keeper, type NodeScheduleOptions } from './keeper.ts'

export type { JobOptions } from '../../core/job/options.ts'
export { type Invocation, Job, type JobCallback, scheduledJobs } from './job.ts'
export type { DateRangeSpec, JobSpec } from './job-spec.ts'
export type { NodeScheduleOptions } from './keeper.ts'
export {
  Range,
  type Recurrence,
  type RecurrenceFields,
  RecurrenceRule,
  type RecurrenceSegment,
} from './recurrence-rule.ts'

/** Before the first job: where jobs are kept, and what becomes of missed invocations. */
export function configure(options: NodeScheduleOptions): void {
  keeper.configure(options)
}

/**
 * Runs the function by the schedule; null where it has no invocation left. A job with a name is known again after a
 * restart: what it missed meanwhile follows `catchUp`. One without a name begins anew.
 */
export function scheduleJob(
  name: string,
  spec: JobSpec,
  work: JobCallback,
  before?: () => unknown,
): Job | null
export function scheduleJob(
  name: string,
  spec: JobSpec,
  options: JobOptions,
  work: JobCallback,
  before?: () => unknown,
): Job | null
export function scheduleJob(spec: JobSpec, work: JobCallback, before?: () => unknown): Job | null
export function scheduleJob(...given: unknown[]): Job | null {
  const { name, spec, options, work, before } = readArguments(given)
  const job = new Job(name, work, before, options)
  return job.schedule(spec) ? job : null
}

/** By the job itself or by its name. */
export function rescheduleJob(job: Job | string, spec: JobSpec): Job | null {
  const scheduled = typeof job === 'string' ? scheduledByName(job) : job
  return scheduled.reschedule(spec) ? scheduled : null
}

function scheduledByName(name: string): Job {
  const job = scheduledJobs[name]
  if (job !== undefined) return job
  throw new EvertickError('job_not_found', `No job is named "${name}".`, {
    next: 'Pass the job itself: a job that has run at its date can no longer be found by name.',
  })
}

/** False where there is no such job. */
export function cancelJob(job: Job | string): boolean {
  const scheduled = typeof job === 'string' ? scheduledJobs[job] : job
  return scheduled?.cancel() ?? false
}

/** Waits for what runs. Jobs with a name stay in the database: the next process finds what was missed. */
export async function gracefulShutdown(): Promise<void> {
  for (const job of Object.values(scheduledJobs)) job.leave()
  await keeper.stop()
}

/** Resolves when every call so far is in the database. */
export async function ready(): Promise<void> {
  await keeper.ready()
}

interface Arguments {
  readonly name: string | null
  readonly spec: JobSpec
  readonly options: JobOptions
  readonly work: JobCallback
  readonly before: (() => unknown) | undefined
}

function readArguments(given: readonly unknown[]): Arguments {
  if (given.length < 2) throw new RangeError('Invalid number of arguments')
  const name =
    given.length >= 3 && typeof given[0] === 'string' && typeof given[1] !== 'function' ? given[0] : null
  const [spec, next, ...rest] = name === null ? given : given.slice(1)
  const options = typeof next === 'function' ? {} : (next as JobOptions)
  const [work, before] = typeof next === 'function' ? [next, rest[0]] : rest
  if (typeof work !== 'function') throw new RangeError('The job method must be a function.')
  refuseOptions(options, name)
  return {
    name,
    spec: spec as JobSpec,
    options,
    work: work as JobCallback,
    before: before as (() => unknown) | undefined,
  }
}

function refuseOptions(options: JobOptions, name: string | null): void {
  const [unknown] = Object.keys(options).filter((key) => key !== 'catchUp')
  if (unknown !== undefined) {
    throw new EvertickError('invalid_option', `scheduleJob has no option "${unknown}".`, {
      field: unknown,
      next: 'The only option is catchUp.',
    })
  }
  if (options.catchUp === undefined || name !== null) return
  throw new EvertickError('invalid_option', 'A job without a name cannot be caught up after a restart.', {
    field: 'catchUp',
    next: "Give it a name: scheduleJob('name', spec, { catchUp }, fn).",
  })
}
