/** Jobs, their ticks, revisions and figures, as the API shows them; and what a caller may write. */
import { z } from 'zod'
import { address, handlerShape, headers } from '../../app/handler/handler-shape.ts'
import { intervalTypes } from '../../app/job/legacy/legacy-job.ts'
import { jobIncludes, jobSorts } from '../../app/job/list-jobs.ts'
import { scheduleShape, shownShapes, writtenShapes } from '../../app/job/option-shapes.ts'
import { executionStates } from '../../core/execution/execution-state.ts'
import { webhookExtras, webhookFormats } from '../../core/job/handler.ts'
import { healthStates } from '../../core/job/health.ts'
import { jobStates } from '../../core/job/job-state.ts'
import { jobStatuses } from '../../core/job/job-status.ts'
import { execution, usage } from './execution.ts'
import {
  duration,
  filterText,
  flag,
  givenInstant,
  instant,
  name,
  nextCursor,
  page,
  payload,
} from './named.ts'

export const schedule = name('Schedule', scheduleShape({ duration, instant: givenInstant }))

const handler = name('Handler', handlerShape)
/** A webhook is made and changed as such: as a handler it is only shown. */
const shownHandler = name(
  'ShownHandler',
  z.union([
    handlerShape,
    z.object({
      type: z.literal('webhook'),
      format: z.enum(webhookFormats),
      url: address,
      events: z.array(z.string()),
      jobs: z.array(z.string()),
      tags: z.array(z.string()),
      include: z.array(z.enum(webhookExtras)),
      body: z.string().nullable(),
      link: z.string().nullable(),
      headers,
    }),
  ]),
)

export const note = name('Note', z.string().describe('Kept as a line of the log'))
export const checkInAddress = name(
  'CheckInAddress',
  z.object({
    token: z.string().describe('Shown once: the database has only its hash'),
    path: z.string().describe('`/ping/…`, below the address of the server'),
  }),
)

const health = name(
  'JobHealth',
  z.object({
    state: z.enum(healthStates),
    sentence: z.string(),
    failures: z.int().optional(),
    next: z.string().optional(),
  }),
)

export const job = name(
  'Job',
  z.object({
    id: z.string(),
    name: z.string(),
    status: z.enum(jobStatuses),
    state: z.enum(jobStates),
    health,
    schedule: schedule.nullable(),
    scheduleText: z.string().nullable(),
    timezone: z.string(),
    handler: shownHandler,
    nextRunAt: instant.nullable(),
    accountedUntil: instant,
    lastRunAt: instant.nullable(),
    lastExecution: execution.nullable(),
    currentRetryCount: z.int(),
    isPaused: z.boolean(),
    pausedAt: instant.nullable(),
    pausedReason: z.string().nullable(),
    pausedUntil: instant.nullable(),
    pausedBy: z.string().nullable(),
    ...shownShapes({ duration, instant }),
    input: payload,
    inputSchema: z.record(z.string(), z.unknown()).nullable(),
    revision: z.int(),
    managedBy: z.string(),
    overrides: z.array(z.string()),
    actions: z.array(z.string()),
    createdAt: instant,
    updatedAt: instant,
  }),
)

const recentTick = name(
  'RecentTick',
  z.object({
    scheduledFor: instant,
    account: z.string(),
    reason: z.string().optional(),
    state: z.string().optional(),
    executionId: z.string().optional(),
    durationMs: z.number().optional(),
    latenessMs: z.number().optional(),
    folded: z.literal(true).optional(),
    count: z.int().optional(),
  }),
)

const { input: _, ...shownInLists } = job.shape
const listedJob = name(
  'ListedJob',
  z.object({
    ...shownInLists,
    lastExecution: execution.omit({ input: true, result: true }).nullable(),
    recentTicks: z.array(recentTick).optional(),
    durations: z.object({ p50Ms: z.number().nullable(), p95Ms: z.number().nullable() }).optional(),
  }),
)

export const jobList = name(
  'JobList',
  z.object({
    jobs: z.array(listedJob),
    nextCursor,
    total: z.int().optional(),
    totalIsAtLeast: z.boolean().optional(),
  }),
)

const orders = jobSorts.flatMap((sort) => [sort, `-${sort}`] as const)

export const jobListQuery = z.strictObject({
  filter: filterText,
  sort: z.enum(orders).default('name'),
  ...page,
  total: flag.default(false),
  include: z
    .string()
    .max(100)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(jobIncludes)))
    .optional(),
})

export const tagList = name(
  'TagList',
  z.object({ tags: z.array(z.object({ tag: z.string(), jobs: z.int() })) }),
)

/** What may be written, at creation and in an edit. */
const options = {
  ...writtenShapes({ duration, instant: givenInstant }),
  schedule: schedule.optional(),
  handler: z.union([z.string().min(1).max(200).describe('A function, by its name'), handler]).optional(),
  input: payload.optional(),
}

/** Of interval schedulers: the interval wins; with neither, and no `schedule`, the job runs once, at once. */
const legacy = {
  interval_minutes: z.int().min(1).max(5_256_000).nullable().optional(),
  interval_type: z.enum(intervalTypes).optional(),
  schedule_time: z.string().max(256).nullable().optional(),
  max_retries: z.int().min(0).max(999).optional(),
}

export const newJob = name(
  'NewJob',
  z.strictObject({
    name: z.string().min(1).max(200),
    ...options,
    ...legacy,
    is_paused: z.boolean().optional(),
    runNow: z.boolean().optional(),
    paused: z.boolean().optional(),
  }),
)

export const jobChanges = name('JobChanges', z.strictObject({ ...options, ...legacy }))

export const stats = name(
  'Stats',
  z.object({
    total: z
      .int()
      .describe(
        'Finished runs that the ledger knows of; durations are of those whose details are still kept',
      ),
    completed: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    successRate: z.number().nullable(),
    avgDurationMs: z.number().nullable(),
    p50Ms: z.number().nullable(),
    p95Ms: z.number().nullable(),
    p99Ms: z.number().nullable(),
    lastExecution: execution.nullable(),
  }),
)

export const jobUsage = name(
  'JobUsage',
  z.object({
    runs: z.array(
      z.object({ executionId: z.string(), state: z.enum(executionStates), startedAt: instant, ...usage }),
    ),
  }),
)

const tick = name(
  'Tick',
  z.object({
    scheduledFor: instant,
    account: z.string(),
    reason: z.string().optional(),
    executionId: z.string().optional(),
    state: z.string().optional(),
    cancelReason: z.string().optional(),
    folded: z.literal(true).optional(),
    count: z.int().optional(),
    to: instant.optional(),
  }),
)

export const newestTicks = name('NewestTicks', z.object({ ticks: z.array(tick) }))

export const ticks = name(
  'Ticks',
  z.object({
    job: z.string(),
    ticks: z.array(tick),
    ranges: z.array(
      z.object({
        from: instant,
        to: instant,
        count: z.int(),
        account: z.string(),
        reason: z.string().optional(),
        state: z.string().optional(),
        executionId: z.string().optional(),
      }),
    ),
    unaccounted: z.int(),
    truncated: z.boolean(),
  }),
)

export const upcoming = name(
  'Upcoming',
  z.object({
    upcoming: z.array(instant),
    description: z.string().nullable(),
    warnings: z.array(z.string()),
  }),
)

export const schedulePreview = name(
  'SchedulePreview',
  z.object({ description: z.string(), next: z.array(instant), warnings: z.array(z.string()) }),
)

export const revisions = name(
  'Revisions',
  z.object({
    revisions: z.array(
      z.object({
        revision: z.int(),
        from: instant,
        options: z.record(z.string(), z.unknown()),
        handler: shownHandler,
        changedBy: z.string(),
        changedAt: instant,
        tzVersion: z.string(),
      }),
    ),
  }),
)

export const backfill = name(
  'Backfill',
  z.object({
    ticks: z.int(),
    created: z.int(),
    first: instant.nullable(),
    last: instant.nullable(),
  }),
)

export const bulk = name(
  'Bulk',
  z.object({
    matched: z.int(),
    changed: z.int(),
    failed: z.array(z.object({ job: z.string(), message: z.string() })),
    first: z.array(z.string()).optional(),
  }),
)
