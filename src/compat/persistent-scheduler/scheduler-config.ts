/** The options of `Scheduler` and `PersistentScheduler`, and of the jobs that they are given: checked once, here. */
import { z } from 'zod'
import { checked } from '../../app/config/checked.ts'
import { refuseName } from '../../app/job/define-job.ts'
import { EvertickError } from '../../core/error.ts'
import { parseSchedule } from '../../core/schedule/schedule-spec.ts'
import { parseTimezone } from '../../core/schedule/timezone.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Logger } from '../../engine/logger.ts'
import type { JobContext } from '../../engine/worker/handler.ts'

export interface SchedulerConfig {
  /** Told of every failed task that has no `onError` of its own. @default the failure is logged */
  readonly onError?: (error: unknown, jobName: string) => void
  /** @default to standard error, with what was missed and what is caught up */
  readonly logger?: Logger
  /** @default the host's clock */
  readonly clock?: Clock
}

export interface PersistentSchedulerConfig extends SchedulerConfig {
  /** A JSON file, or the URL of a database: `sqlite:…`, `postgres://…`, `mysql://…`. @default '.scheduler-state.json' */
  readonly stateFile?: string
  /** Whether jobs that do not say so catch up. @default true */
  readonly defaultCatchUp?: boolean
  /** How many of the newest missed runs are caught up by jobs that do not say so; at most 1,000. @default 5 */
  readonly defaultMaxMissedRuns?: number
  /** Milliseconds: the file is written at least this often; figures of a database are read this often. @default 30000 */
  readonly saveInterval?: number
}

export interface ScheduleJobConfig {
  readonly name: string
  /** A cron of five fields, or six with seconds. */
  readonly schedule: string
  /** Its argument says for which instant it runs, and why. */
  readonly task: (context: JobContext) => unknown
  /** Told of every failed run; scheduling goes on. @default the scheduler's `onError` */
  readonly onError?: (error: unknown) => void
  /** An IANA name. @default the host's zone when the job was first scheduled */
  readonly timezone?: string
  /** Whether a run that is due while the last one goes on is skipped. @default true */
  readonly protect?: boolean
}

export interface PersistentScheduleJobConfig extends ScheduleJobConfig {
  /** Whether runs missed while no process ran are caught up. @default the scheduler's `defaultCatchUp` */
  readonly catchUp?: boolean
  /** How many of them at most: the newest. @default the scheduler's `defaultMaxMissedRuns` */
  readonly maxMissedRuns?: number
}

export interface CatchUpDefaults {
  readonly catchUp: boolean
  readonly maxMissedRuns: number
}

export interface PersistentConfig {
  readonly stateFile: string
  readonly defaults: CatchUpDefaults
  readonly saveIntervalMs: number
}

/** A job as this process has given it. */
export interface GivenJob {
  readonly name: string
  readonly cron: string
  /** null: the stored zone, or else the host's. */
  readonly timezone: string | null
  readonly catchUp: boolean
  readonly maxMissedRuns: number
  readonly protect: boolean
  readonly task: (context: JobContext) => unknown
  readonly onError: ((error: unknown) => void) | null
}

const anyFunction = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === 'function',
  'must be a function',
)
const anyObject = z.custom<object>(
  (value) => typeof value === 'object' && value !== null,
  'must be an object',
)
export const missedRuns = z.int().min(1).max(1_000).optional()

const base = { onError: anyFunction.optional(), logger: anyObject.optional(), clock: anyObject.optional() }
const persistent = {
  ...base,
  stateFile: z.string().min(1).optional(),
  defaultCatchUp: z.boolean().optional(),
  defaultMaxMissedRuns: missedRuns,
  saveInterval: z.int().min(1).max(86_400_000).optional(),
}
const plainJob = {
  name: z.unknown(),
  schedule: z.string(),
  task: anyFunction,
  onError: anyFunction.optional(),
  timezone: z.string().optional(),
  protect: z.boolean().optional(),
}
const persistentJob = { ...plainJob, catchUp: z.boolean().optional(), maxMissedRuns: missedRuns }

export function checkSchedulerConfig(config: SchedulerConfig): void {
  checked(z.strictObject(base), config, 'invalid_config', 'Scheduler', Object.keys(base))
}

export function parsePersistentConfig(config: PersistentSchedulerConfig): PersistentConfig {
  const names = Object.keys(persistent)
  const given = checked(z.strictObject(persistent), config, 'invalid_config', 'PersistentScheduler', names)
  return {
    stateFile: given.stateFile ?? '.scheduler-state.json',
    defaults: { catchUp: given.defaultCatchUp ?? true, maxMissedRuns: given.defaultMaxMissedRuns ?? 5 },
    saveIntervalMs: given.saveInterval ?? 30_000,
  }
}

/** `defaults` are null where nothing is caught up: then the options about it are unknown ones. */
export function parseJob(config: PersistentScheduleJobConfig, defaults: CatchUpDefaults | null): GivenJob {
  const shape = defaults === null ? plainJob : persistentJob
  checked(z.strictObject(shape), config, 'invalid_definition', 'The job', Object.keys(shape))
  refuseName(config.name)
  const { name, schedule, timezone } = config
  refuseOtherSchedules(schedule)
  const zone = timezone === undefined ? null : parseTimezone(timezone, 'timezone')
  parseSchedule({ cron: schedule }, { createdAt: 0, hashKey: name })
  return {
    name,
    cron: schedule.trim(),
    timezone: zone,
    catchUp: config.catchUp ?? defaults?.catchUp ?? false,
    maxMissedRuns: config.maxMissedRuns ?? defaults?.maxMissedRuns ?? 1,
    protect: config.protect ?? true,
    task: config.task,
    onError: config.onError ?? null,
  }
}

function refuseOtherSchedules(schedule: string): void {
  if (schedule.trim() !== '') return
  throw new EvertickError('invalid_cron', 'The schedule is empty.', {
    field: 'schedule',
    next: "Write a cron such as '0 8 * * *'.",
  })
}
