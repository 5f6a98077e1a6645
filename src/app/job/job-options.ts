/** The policies of a job as its user writes them, checked once, into the complete spec that is stored. */
import { z } from 'zod'
import { EvertickError } from '../../core/error.ts'
import type { HandlerSpec } from '../../core/job/handler.ts'
import type { JobSpec } from '../../core/job/job.ts'
import type { JobOptions } from '../../core/job/options.ts'
import { storedOptions } from '../../core/job/options-codec.ts'
import { webhookQueue } from '../../core/notice/webhook.ts'
import { storable } from '../../core/payload.ts'
import { parseSchedule } from '../../core/schedule/schedule-spec.ts'
import { checked } from '../config/checked.ts'
import { optionNames, writtenShapes } from './option-shapes.ts'

const options = z.strictObject({
  schedule: z.unknown().optional(),
  ...writtenShapes({
    duration: z.union([z.number(), z.string()]),
    instant: z.union([z.date(), z.string()]),
  }),
})

export interface SpecContext {
  readonly name: string
  /** A function's name, or a handler that is checked already. */
  readonly handler: string | HandlerSpec
  readonly input?: unknown
  readonly inputSchema?: JobSpec['inputSchema']
  /** The limit of input and metadata, as JSON. */
  readonly maxPayloadBytes: number
  /** The zone of a cron that names none. */
  readonly timezone: string
  /** The anchor of an interval that names none. */
  readonly createdAt: number
}

/** `before`: what an edit changes; what it does not name stays as it is. */
export function jobSpec(written: JobOptions, context: SpecContext, before?: JobSpec): JobSpec {
  const what = `Job "${context.name}"`
  checked(options, written, 'invalid_definition', what, optionNames)
  const { handler } = context
  const isCheckIn = typeof handler === 'object' && handler.type === 'check_in'
  // While one tick waits for its check-in, the next one is due all the same.
  const usual: JobOptions = isCheckIn && before === undefined ? { overlap: 'allow' } : {}
  const stored = storedOptions({ ...usual, ...written }, before)
  const spec: JobSpec = {
    ...stored,
    schedule:
      written.schedule === undefined ? (before?.schedule ?? null) : scheduleSpec(written.schedule, context),
    handler: typeof handler === 'string' ? { type: 'function', name: handler } : handler,
    // To `allow` a limit has no meaning: only one that is asked for contradicts it.
    maxConcurrent: stored.overlap === 'allow' ? (written.maxConcurrent ?? 1) : stored.maxConcurrent,
    metadata: storable(stored.metadata, 'metadata', context.maxPayloadBytes),
    input: storable(context.input, 'input', context.maxPayloadBytes) ?? null,
    inputSchema: context.inputSchema ?? null,
  }
  refuseContradictions(spec, written.maxConcurrent !== undefined, what)
  return spec
}

function scheduleSpec(
  written: NonNullable<JobOptions['schedule']>,
  context: SpecContext,
): JobSpec['schedule'] {
  const { timezone, createdAt, name } = context
  return parseSchedule(written, { timezone, createdAt, hashKey: name })
}

/** Options that cannot be meant together. */
function refuseContradictions(spec: JobSpec, limitsConcurrency: boolean, what: string): void {
  const refuse = (field: string, message: string, next: string) => {
    throw new EvertickError('invalid_definition', `${what}: ${message}`, { field, next })
  }
  if (spec.queue === webhookQueue && spec.handler.type !== 'webhook') {
    refuse('queue', `the queue "${webhookQueue}" is for webhooks.`, 'Choose another queue.')
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
  const calls = spec.handler.type === 'http' || spec.handler.type === 'source'
  if (calls && Object.values(spec.quota).some((limit) => limit !== null)) {
    refuse('quota', 'a call of a URL has no quota.', 'Leave it out; timeout limits how long a call may take.')
  }
  if (spec.handler.type === 'check_in') {
    if (spec.schedule === null || spec.schedule.kind === 'fixed_delay') {
      refuse('schedule', 'a job that waits for check-ins needs ticks.', 'Give it a cron, every or at.')
    }
    if (spec.onCrash === 'fail') {
      refuse('onCrash', 'onCrash "fail" has no meaning where nothing runs here.', 'Leave it out.')
    }
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
