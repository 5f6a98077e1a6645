/**
 * A "schedule" of the enhanced scheduler is a job of the engine that carries a domain. Only this file knows both. Its id is
 * the job's name. What its handler needs (domain, configuration, profile) is the job's input, and also in tags, so that it
 * can be searched for. A disabled schedule is a paused job.
 */
import { createHash } from 'node:crypto'
import type { AppContext } from '../../app/app-context.ts'
import { jobSpec } from '../../app/job/job-options.ts'
import { jobView, scheduleView } from '../../app/views.ts'
import { EvertickError } from '../../core/error.ts'
import type { Execution } from '../../core/execution/execution.ts'
import type { Job, JobSpec } from '../../core/job/job.ts'
import type { JobOptions } from '../../core/job/options.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import { type HistoryStatus, statusOf } from './history-entry.ts'

export const frequencies = ['hourly', 'daily', 'weekly', 'monthly', 'yearly'] as const
export type ScheduleFrequency = (typeof frequencies)[number]

/** What may be said of a schedule, and changed later. One of `cron`, `every` and `frequency` says when it is due. */
export interface ScheduleFields
  extends Pick<JobOptions, 'catchUp' | 'overlap' | 'retry' | 'timeout' | 'retention'> {
  readonly domain: string
  /** @default null */
  readonly domainConfigId?: string | null
  /** Which of several configurations its runs use. @default null */
  readonly profile?: string | null
  readonly cron?: string
  readonly every?: Duration
  readonly frequency?: ScheduleFrequency
  /** Of the cron or frequency. @default the node's, which is UTC unless it says otherwise */
  readonly timezone?: string
  /** @default true */
  readonly enabled?: boolean
  /** @default {} */
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface CreateSchedule extends ScheduleFields {
  /** Its name in the engine, too. @default the domain and a part that is its own */
  readonly scheduleId?: string
}

export type UpdateSchedule = Partial<ScheduleFields>

export interface ScheduleRecord {
  readonly scheduleId: string
  /** The engine's id of the job, of which `scheduleId` is the name. */
  readonly jobId: string
  readonly domain: string
  readonly domainConfigId: string | null
  readonly profile: string | null
  /** A frequency is stored as the cron that it stands for. */
  readonly cron: string | null
  readonly every: Duration | null
  readonly timezone: string
  readonly enabled: boolean
  readonly lastRun: Date | null
  readonly nextRun: Date | null
  readonly lastStatus: HistoryStatus | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const scheduleFieldNames = [
  'domain',
  'domainConfigId',
  'profile',
  'cron',
  'every',
  'frequency',
  'timezone',
  'enabled',
  'metadata',
  'catchUp',
  'overlap',
  'retry',
  'timeout',
  'retention',
] as const satisfies readonly (keyof ScheduleFields)[]

/** Every schedule's handler, whatever its domain. */
export const scheduleHandler = 'run-schedule'
/** A queue of their own, so that the workers for schedules are counted apart. */
export const scheduleQueue = 'schedules'
const scheduleTag = 'schedule'
const longestTag = 100

interface ScheduleInput {
  readonly domain: string
  readonly domainConfigId: string | null
  readonly profile: string | null
}

export const tagsOfAll: readonly string[] = [scheduleTag]
export const domainTag = (domain: string) => tag('domain', domain)
export const configTag = (id: string) => tag('config', id)

/** A text that is too long for a tag stands there as its hash. */
function tag(kind: string, text: string): string {
  const plain = `${kind}:${text}`
  if (plain.length <= longestTag) return plain
  return `${kind}:sha256:${createHash('sha256').update(text).digest('hex')}`
}

export function isSchedule({ spec }: Pick<Job, 'spec'>): boolean {
  return spec.tags.includes(scheduleTag)
}

export function inputOf({ input }: Pick<JobSpec, 'input'>): ScheduleInput {
  return input as ScheduleInput
}

/** The engine's options of a new schedule. A failed run is failed, as on the page: it is tried once unless asked. */
export function newOptions(fields: ScheduleFields): { options: JobOptions; input: ScheduleInput } {
  refuseDomain(fields.domain)
  const { domain, domainConfigId = null, profile = null } = fields
  const input = { domain, domainConfigId, profile }
  const options = {
    queue: scheduleQueue,
    ...policiesOf(fields),
    retry: { attempts: 1, ...fields.retry },
    schedule: scheduleOf(fields),
    tags: tagsOf(input, []),
    metadata: fields.metadata ?? {},
  }
  return { options, input }
}

/** The spec of a schedule that is changed; what is not given stays. */
export function changedSpec(
  { name, spec, createdAt }: Job,
  fields: UpdateSchedule,
  { timezone, maxPayloadBytes }: Pick<AppContext, 'timezone' | 'maxPayloadBytes'>,
): JobSpec {
  if (fields.domain !== undefined) refuseDomain(fields.domain)
  const before = inputOf(spec)
  const input = {
    domain: fields.domain ?? before.domain,
    domainConfigId: fields.domainConfigId === undefined ? before.domainConfigId : fields.domainConfigId,
    profile: fields.profile === undefined ? before.profile : fields.profile,
  }
  const changes: JobOptions = {
    ...policiesOf(fields),
    ...(fields.retry === undefined ? {} : { retry: fields.retry }),
    ...(changesTicks(fields) ? { schedule: scheduleOf(withZone(fields, spec)) } : {}),
    ...(fields.metadata === undefined ? {} : { metadata: fields.metadata }),
    tags: tagsOf(input, spec.tags),
  }
  const { handler } = spec
  return jobSpec(changes, { name, handler, input, maxPayloadBytes, timezone, createdAt }, spec)
}

export function recordOf(job: Job, last: Execution | null, now: number): ScheduleRecord {
  const schedule = job.spec.schedule === null ? null : scheduleView(job.spec.schedule)
  const view = jobView(job, null, now)
  const startedAt = last?.startedAt ?? null
  return {
    scheduleId: job.name,
    jobId: job.id,
    ...inputOf(job.spec),
    cron: schedule !== null && 'cron' in schedule ? schedule.cron : null,
    every: schedule !== null && 'every' in schedule ? schedule.every : null,
    timezone: view.timezone,
    enabled: job.state === 'active',
    lastRun: startedAt === null ? null : new Date(startedAt),
    nextRun: view.nextRunAt,
    lastStatus: last === null ? null : statusOf(last),
    metadata: job.spec.metadata,
    createdAt: view.createdAt,
    updatedAt: view.updatedAt,
  }
}

/** Of what its owner says of it: runs change nothing here. */
export function hashOf({ spec, state }: Job): string {
  return createHash('sha256')
    .update(JSON.stringify([spec, state === 'active']))
    .digest('hex')
}

function changesTicks({ cron, every, frequency, timezone }: UpdateSchedule): boolean {
  return [cron, every, frequency, timezone].some((field) => field !== undefined)
}

/** A new zone alone is that of the cron that is there; a new cron alone stays in its zone. */
function withZone(fields: UpdateSchedule, { schedule }: JobSpec): UpdateSchedule {
  if (schedule?.kind !== 'cron' || fields.every !== undefined) return fields
  const timed = fields.cron !== undefined || fields.frequency !== undefined
  return { timezone: schedule.timezone, ...fields, ...(timed ? {} : { cron: schedule.cron }) }
}

function scheduleOf({
  cron,
  every,
  frequency,
  timezone,
}: UpdateSchedule): NonNullable<JobOptions['schedule']> {
  const given = [cron, every, frequency].filter((field) => field !== undefined)
  if (given.length !== 1) {
    throw new EvertickError(
      'invalid_schedule',
      'A schedule needs exactly one of cron, every and frequency.',
      {
        field: 'cron',
        next: "Write cron: '0 3 * * *', every: '15m' or frequency: 'daily'.",
      },
    )
  }
  if (every !== undefined) {
    if (timezone === undefined) return { every }
    throw new EvertickError('invalid_schedule', 'timezone cannot be combined with every.', {
      field: 'timezone',
      next: 'Leave it out, or use a cron.',
    })
  }
  return { cron: cron ?? nicknameOf(frequency), ...(timezone === undefined ? {} : { timezone }) }
}

function nicknameOf(frequency: unknown): string {
  if (frequencies.some((known) => known === frequency)) return `@${String(frequency)}`
  throw new EvertickError('invalid_schedule', `${JSON.stringify(frequency)} is not a valid frequency.`, {
    field: 'frequency',
    next: `Use one of ${frequencies.join(', ')}, or a cron.`,
  })
}

function policiesOf({ catchUp, overlap, timeout, retention }: UpdateSchedule): JobOptions {
  return {
    ...(catchUp === undefined ? {} : { catchUp }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(retention === undefined ? {} : { retention }),
  }
}

/** Tags that others have given it stay. */
function tagsOf({ domain, domainConfigId }: ScheduleInput, before: readonly string[]): string[] {
  const others = before.filter((text) => text !== scheduleTag && !/^(?:domain|config):/.test(text))
  const config = domainConfigId === null ? [] : [configTag(domainConfigId)]
  return [scheduleTag, domainTag(domain), ...config, ...others]
}

function refuseDomain(domain: unknown): void {
  if (typeof domain === 'string' && domain !== '' && domain.length <= 1_000) return
  throw new EvertickError('invalid_option', 'domain must be a string of 1 to 1,000 characters.', {
    field: 'domain',
  })
}
