/**
 * Jobs in the flat words of an interval scheduler that kept its crons: `interval_minutes`, `interval_type`,
 * `schedule_time`, `max_retries`, `is_paused`. One pair of translations, for the facade and for REST.
 *
 * Dual mode: where both are given the interval wins, and the cron is kept with the job, for the way back.
 */
import { EvertickError } from '../../../core/error.ts'
import { parseCron } from '../../../core/schedule/cron/cron-expression.ts'
import { parseDuration } from '../../../core/schedule/duration.ts'
import type { Schedule } from '../../../core/schedule/schedule.ts'
import type { JobView } from '../../views.ts'
import type { CreateJob, UpdateJob } from '../jobs.ts'
import type { ListedJob } from '../list-jobs.ts'
import { keptOf, type LegacyKept, withKept } from './legacy-kept.ts'

export const intervalTypes = ['minutes', 'hours', 'days'] as const
export type IntervalType = (typeof intervalTypes)[number]

export interface LegacyFields {
  /** Every so many minutes, or whatever `interval_type` counts in. @default none */
  readonly interval_minutes?: number | null
  /** What `interval_minutes` counts. @default 'minutes' */
  readonly interval_type?: IntervalType
  /** A cron: when the job is due, unless it has an interval. @default none */
  readonly schedule_time?: string | null
  /** Tries after the first. @default 2 */
  readonly max_retries?: number
  /** Begin paused. @default false */
  readonly is_paused?: boolean
}

/** With neither an interval nor a cron, and no `schedule`, the job runs once, at once. */
export type LegacyJob = CreateJob & LegacyFields
export type LegacyChanges = UpdateJob & Omit<LegacyFields, 'is_paused'>

/** What a job shows beside its own view. */
export interface LegacyView {
  readonly interval_minutes: number | null
  readonly interval_type: IntervalType | null
  readonly schedule_time: string | null
  readonly next_run_at: Date | null
  readonly is_paused: boolean
  readonly max_retries: number
  readonly current_retry_count: number
  /** Of the run that goes on: its execution and its fence, which every write of that run names. */
  readonly lock_token: string | null
  readonly lock_acquired_at: Date | null
}

const unitMs: Readonly<Record<IntervalType, number>> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

/** The job as `jobs.create` takes it. */
export function optionsOfLegacy(job: LegacyJob, now: number): CreateJob {
  const { interval_minutes, interval_type, schedule_time, max_retries, is_paused, ...own } = job
  refuseBoth(is_paused, own.paused, 'is_paused', 'paused')
  const timing = timingOf({
    interval_minutes: interval_minutes ?? null,
    interval_type: interval_type ?? null,
    schedule_time: schedule_time ?? null,
  })
  if (timing !== null) refuseBoth(timing, own.schedule, timing.field, 'schedule')
  const atOnce = timing === null && own.schedule === undefined && own.runNow !== false
  if (atOnce && is_paused === true) throw pausedAtOnce()
  const { runNow, ...rest } = own
  return {
    ...rest,
    // One tick, now: a job that was written has its run, whatever becomes of this process.
    ...(atOnce ? { schedule: { at: new Date(now) } } : runNow === undefined ? {} : { runNow }),
    ...(timing === null ? {} : { schedule: timing.schedule }),
    ...(timing === null ? {} : { metadata: withKept(own.metadata ?? {}, timing.kept) }),
    ...retryOf(max_retries, own.retry),
    ...(is_paused === undefined ? {} : { paused: is_paused }),
  }
}

/** The changes as `jobs.update` takes them. What is not given stays; `null` takes the interval or the cron away. */
export function changesOfLegacy(job: JobView, changes: LegacyChanges): UpdateJob {
  const { interval_minutes, interval_type, schedule_time, max_retries, ...own } = changes
  const before = fieldsOf(job)
  const timed = [interval_minutes, interval_type, schedule_time].some((field) => field !== undefined)
  const timing = timingOf({
    interval_minutes: interval_minutes === undefined ? before.interval_minutes : interval_minutes,
    interval_type: interval_type ?? (interval_minutes === null ? null : before.interval_type),
    schedule_time: schedule_time === undefined ? before.schedule_time : schedule_time,
  })
  if (timed && timing === null) throw nothingLeft(job.name)
  if (timed && timing !== null) refuseBoth(timing, own.schedule, timing.field, 'schedule')
  const kept = timed && timing !== null ? timing.kept : keptOf(job.metadata)
  const keeps = timed || own.metadata !== undefined
  return {
    ...own,
    ...(timed && timing !== null ? { schedule: timing.schedule } : {}),
    ...(keeps ? { metadata: withKept(own.metadata ?? job.metadata, kept) } : {}),
    ...retryOf(max_retries, own.retry),
  }
}

export function legacyView(view: ListedJob): LegacyView {
  const running = view.lastExecution?.state === 'running' ? view.lastExecution : null
  return {
    ...fieldsOf(view),
    next_run_at: view.nextRunAt,
    is_paused: view.isPaused,
    max_retries: view.retry.attempts - 1,
    current_retry_count: view.currentRetryCount,
    lock_token: running === null ? null : `${running.id}:${running.fence}`,
    lock_acquired_at: running?.startedAt ?? null,
  }
}

type Timing = Pick<LegacyView, 'interval_minutes' | 'interval_type' | 'schedule_time'>

function fieldsOf({ schedule, metadata }: ListedJob): Timing {
  const kept = keptOf(metadata)
  const cron = schedule !== null && 'cron' in schedule ? schedule.cron : null
  const schedule_time = cron ?? kept.schedule_time ?? null
  if (schedule === null || !('every' in schedule)) {
    return { interval_minutes: null, interval_type: null, schedule_time }
  }
  const everyMs = parseDuration(schedule.every, 'schedule.every')
  // The unit that it was written in, as long as it still divides the interval.
  const asked = kept.interval_type ?? 'minutes'
  const type = everyMs % unitMs[asked] === 0 ? asked : 'minutes'
  return { interval_minutes: everyMs / unitMs[type], interval_type: type, schedule_time }
}

/** The schedule that counts, and what is kept beside it; null where there is neither interval nor cron. */
function timingOf(fields: Timing): { schedule: Schedule; kept: LegacyKept; field: string } | null {
  const { interval_minutes: count, interval_type, schedule_time } = fields
  if (schedule_time !== null) parseCron(schedule_time)
  if (count === null) {
    if (interval_type !== null) throw typeAlone()
    return schedule_time === null
      ? null
      : { schedule: { cron: schedule_time }, kept: {}, field: 'schedule_time' }
  }
  const type = interval_type ?? 'minutes'
  const ms = unitMs[type] as number | undefined
  if (ms === undefined) throw unknownType(type)
  if (!Number.isSafeInteger(count * ms) || count <= 0) throw badInterval(count)
  const kept = {
    ...(type === 'minutes' ? {} : { interval_type: type }),
    ...(schedule_time === null ? {} : { schedule_time, every: count * ms }),
  }
  return { schedule: { every: count * ms }, kept, field: 'interval_minutes' }
}

function retryOf(maxRetries: number | undefined, retry: CreateJob['retry']): Pick<CreateJob, 'retry'> {
  if (maxRetries === undefined) return {}
  refuseBoth(maxRetries, retry?.attempts, 'max_retries', 'retry.attempts')
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0 || maxRetries > 999) {
    throw invalid('max_retries', `max_retries is ${maxRetries}; it must be a whole number from 0 to 999.`)
  }
  return { retry: { ...retry, attempts: maxRetries + 1 } }
}

function refuseBoth(one: unknown, other: unknown, field: string, otherField: string): void {
  if (one === undefined || other === undefined) return
  throw invalid(field, `${field} and ${otherField} say the same thing twice.`, 'Leave one of them out.')
}

function pausedAtOnce(): EvertickError {
  return invalid(
    'is_paused',
    'A job with neither an interval nor a cron runs once at once; it cannot begin paused.',
    'Give it interval_minutes or schedule_time, or runNow: false and trigger it later.',
  )
}

function nothingLeft(name: string): EvertickError {
  return invalid(
    'interval_minutes',
    `Job "${name}" would have neither an interval nor a cron.`,
    'Give it one of them, or pause or cancel it.',
  )
}

function typeAlone(): EvertickError {
  return invalid(
    'interval_type',
    'interval_type says what interval_minutes counts, but there is none.',
    'Add interval_minutes, or leave interval_type out.',
  )
}

function unknownType(type: string): EvertickError {
  return invalid('interval_type', `interval_type is "${type}".`, `It is one of: ${intervalTypes.join(', ')}.`)
}

function badInterval(count: number): EvertickError {
  return invalid(
    'interval_minutes',
    `interval_minutes is ${count}; it must be a number above 0.`,
    'For 90 seconds write 1.5, or schedule: { every: … }.',
  )
}

function invalid(field: string, message: string, next?: string): EvertickError {
  return new EvertickError('invalid_option', message, { field, ...(next === undefined ? {} : { next }) })
}
