/** The policies of a job as its user writes them, checked once, into the complete spec that is stored. */
import { z } from 'zod'
import { EvertickError } from '../core/error.ts'
import type { HandlerSpec } from '../core/job/handler.ts'
import {
  type CatchUpPolicy,
  type CatchUpSpec,
  catchUpPolicies,
  type JobSpec,
  type OverlapPolicy,
  overlapPolicies,
} from '../core/job/job.ts'
import { storable } from '../core/payload.ts'
import { parseDuration } from '../core/schedule/duration.ts'
import { parseInstant } from '../core/schedule/instant.ts'
import type { Duration, Instant, Schedule } from '../core/schedule/schedule.ts'
import { parseSchedule } from '../core/schedule/schedule-spec.ts'
import { checked } from './checked.ts'

export interface CatchUpOptions {
  /** What becomes of missed ticks. @default 'latest' */
  readonly policy?: CatchUpPolicy
  /** How many of the newest missed ticks run, with `all`. At most 1,000. @default 100 */
  readonly maxMissedRuns?: number
  /** Ticks missed longer ago than this do not run. @default no limit */
  readonly window?: Duration
  /** A tick that is late by no more than this simply fired. @default '60s' */
  readonly grace?: Duration
}

export interface RetryOptions {
  /** How often an execution is tried in all. @default 3 */
  readonly attempts?: number
  /** The first back-off. @default '1s' */
  readonly base?: Duration
  /** Each back-off is this many times the last. @default 2 */
  readonly factor?: number
  /** The longest back-off. @default '1h' */
  readonly max?: Duration
  /** 0 to 1: how much of the back-off is random. @default 0 */
  readonly jitter?: number
}

export interface RetentionOptions {
  /** How many executions of the job are kept. @default 100 */
  readonly executions?: number
  /** How long executions are kept. @default '30d' */
  readonly age?: Duration
}

/** Everything about a job but its name, handler and input. */
export interface JobOptions {
  /** When the job is due. @default never by itself */
  readonly schedule?: Schedule
  /** What becomes of ticks that were missed. @default 'latest' */
  readonly catchUp?: CatchUpPolicy | CatchUpOptions
  /** What becomes of a tick while the run before still goes on. @default 'skip' */
  readonly overlap?: OverlapPolicy
  /** How many runs may go on together; not with `allow`. @default 1 */
  readonly maxConcurrent?: number
  readonly retry?: RetryOptions
  /** What a crashed attempt means: another try, or failure at once (at most once). @default 'retry' */
  readonly onCrash?: 'retry' | 'fail'
  /** An attempt that takes longer is aborted and counts as failed. @default none */
  readonly timeout?: Duration
  /** An execution that could not start in this time is cancelled. @default none */
  readonly startDeadline?: Duration
  /** Ticks start up to this much later, always the same for the same tick. @default 0 */
  readonly jitter?: Duration
  /** -1,000 to 1,000; larger goes first. @default 0 */
  readonly priority?: number
  /** @default 'default' */
  readonly queue?: string
  /** No tick before this instant. */
  readonly startAt?: Instant
  /** No tick at or after this instant. */
  readonly endAt?: Instant
  /** The schedule ends after this many runs. */
  readonly maxRuns?: number
  readonly retention?: RetentionOptions
  readonly tags?: readonly string[]
  readonly description?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

const duration = z.union([z.number(), z.string()]).describe("Milliseconds, or text such as '15m' or '1h30m'")
const instant = z.union([z.date(), z.string()])
const name = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !text.includes('\0'), 'has a NUL in it')

export const catchUpShape = z.strictObject({
  policy: z.enum(catchUpPolicies).optional(),
  maxMissedRuns: z.int().min(1).max(1_000).optional(),
  window: duration.optional(),
  grace: duration.optional(),
})

/** The HTTP API takes the same, but for what JSON cannot say. */
export const jobOptionShape = {
  schedule: z.unknown().optional(),
  catchUp: z.union([z.enum(catchUpPolicies), catchUpShape]).optional(),
  overlap: z.enum(overlapPolicies).optional(),
  maxConcurrent: z.int().min(1).max(1_000).optional(),
  retry: z
    .strictObject({
      attempts: z.int().min(1).max(1_000).optional(),
      base: duration.optional(),
      factor: z.number().min(1).max(100).optional(),
      max: duration.optional(),
      jitter: z.number().min(0).max(1).optional(),
    })
    .optional(),
  onCrash: z.enum(['retry', 'fail']).optional(),
  timeout: duration.optional(),
  startDeadline: duration.optional(),
  jitter: duration.optional(),
  priority: z.int().min(-1_000).max(1_000).optional(),
  queue: name.optional(),
  startAt: instant.optional(),
  endAt: instant.optional(),
  maxRuns: z.int().min(1).optional(),
  retention: z.strictObject({ executions: z.int().min(1).optional(), age: duration.optional() }).optional(),
  tags: z.array(z.string().min(1).max(100)).max(50).optional(),
  description: z.string().max(2_000).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
}

const options = z.strictObject(jobOptionShape)
export const jobOptionNames = Object.keys(jobOptionShape)
const nestedNames = [
  'policy',
  'maxMissedRuns',
  'window',
  'grace',
  'attempts',
  'base',
  'factor',
  'max',
  'executions',
  'age',
]

export interface SpecContext {
  readonly name: string
  /** A function's name, or a handler that is checked already. */
  readonly handler: string | HandlerSpec
  readonly input?: unknown
  readonly inputSchema?: JobSpec['inputSchema']
  /** Of input and metadata, as JSON. */
  readonly maxPayloadBytes: number
  /** The zone of a cron that names none. */
  readonly timezone: string
  /** The anchor of an interval that names none. */
  readonly createdAt: number
}

export function jobSpec(written: JobOptions, context: SpecContext): JobSpec {
  const what = `Job "${context.name}"`
  const given = checked(options, written, 'invalid_definition', what, [...jobOptionNames, ...nestedNames])
  const ms = (value: Duration | number | string | undefined, field: string) =>
    value === undefined ? null : parseDuration(value, field)
  const at = (value: Instant | undefined, field: string) =>
    value === undefined ? null : parseInstant(value, field)
  const overlap = given.overlap ?? 'skip'
  const catchUp = catchUpSpec(given.catchUp)
  const spec: JobSpec = {
    schedule:
      written.schedule === undefined
        ? null
        : parseSchedule(written.schedule, {
            timezone: context.timezone,
            createdAt: context.createdAt,
            hashKey: context.name,
          }),
    handler:
      typeof context.handler === 'string' ? { type: 'function', name: context.handler } : context.handler,
    catchUp,
    overlap,
    maxConcurrent: given.maxConcurrent ?? 1,
    retry: {
      attempts: given.retry?.attempts ?? 3,
      baseMs: ms(given.retry?.base, 'retry.base') ?? 1_000,
      factor: given.retry?.factor ?? 2,
      maxMs: ms(given.retry?.max, 'retry.max') ?? 3_600_000,
      jitter: given.retry?.jitter ?? 0,
    },
    onCrash: given.onCrash ?? 'retry',
    timeoutMs: ms(given.timeout, 'timeout'),
    startDeadlineMs: ms(given.startDeadline, 'startDeadline'),
    jitterMs: ms(given.jitter, 'jitter') ?? 0,
    priority: given.priority ?? 0,
    queue: given.queue ?? 'default',
    startAt: at(given.startAt, 'startAt'),
    endAt: at(given.endAt, 'endAt'),
    maxRuns: given.maxRuns ?? null,
    retention: {
      executions: given.retention?.executions ?? 100,
      ageMs: ms(given.retention?.age, 'retention.age') ?? 30 * 86_400_000,
    },
    tags: given.tags ?? [],
    description: given.description ?? null,
    metadata: storable(given.metadata ?? {}, 'metadata', context.maxPayloadBytes),
    input: storable(context.input, 'input', context.maxPayloadBytes) ?? null,
    inputSchema: context.inputSchema ?? null,
  }
  refuseContradictions(spec, given.maxConcurrent !== undefined, what)
  return spec
}

function catchUpSpec(given: CatchUpPolicy | z.output<typeof catchUpShape> | undefined): CatchUpSpec {
  const written = typeof given === 'string' ? { policy: given } : (given ?? {})
  return {
    policy: written.policy ?? 'latest',
    maxMissedRuns: written.maxMissedRuns ?? 100,
    windowMs: written.window === undefined ? null : parseDuration(written.window, 'catchUp.window'),
    graceMs: written.grace === undefined ? 60_000 : parseDuration(written.grace, 'catchUp.grace'),
  }
}

/** Options that cannot be meant together. */
function refuseContradictions(spec: JobSpec, limitsConcurrency: boolean, what: string): void {
  const refuse = (field: string, message: string, next: string) => {
    throw new EvertickError('invalid_definition', `${what}: ${message}`, { field, next })
  }
  if (spec.overlap === 'allow' && limitsConcurrency) {
    refuse('maxConcurrent', 'maxConcurrent has no meaning with overlap "allow".', 'Leave one of them out.')
  }
  if (spec.overlap === 'cancel_running' && spec.catchUp.policy === 'all') {
    refuse(
      'overlap',
      'overlap "cancel_running" would cancel its own catch-ups with catchUp "all".',
      'Use catchUp "latest".',
    )
  }
  if (spec.schedule?.kind === 'fixed_delay' && (spec.startAt !== null || spec.endAt !== null)) {
    refuse(
      'startAt',
      'startAt and endAt have no meaning with fixedDelay.',
      'Use every or cron, or pause and resume it.',
    )
  }
  if (spec.startAt !== null && spec.endAt !== null && spec.endAt <= spec.startAt) {
    refuse('endAt', 'endAt is not after startAt.', 'Give a later endAt.')
  }
}

/** An instant in the past is a mistake, unless catching up would run it. */
export function refusePastInstant(spec: JobSpec, jobName: string, now: number): void {
  const { schedule, catchUp } = spec
  if (schedule?.kind !== 'at' || schedule.at > now) return
  const late = now - schedule.at
  const runs =
    late <= catchUp.graceMs ||
    (catchUp.policy !== 'none' && (catchUp.windowMs === null || late <= catchUp.windowMs))
  if (runs) return
  throw new EvertickError(
    'invalid_schedule',
    `Job "${jobName}" is due at ${new Date(schedule.at).toISOString()}, which has passed.`,
    {
      field: 'schedule.at',
      next: 'Give a later instant, or a catchUp that runs it.',
    },
  )
}
