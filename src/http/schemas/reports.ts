/** Pictures of the whole: overview, activity, forecast, timeline and heatmap, as the API shows them. */
import { z } from 'zod'
import { causes } from '../../core/execution/execution.ts'
import { executionStates } from '../../core/execution/execution-state.ts'
import { duration, givenInstant, instant, name, nextCursor } from './named.ts'

export const span = { from: givenInstant, to: givenInstant }
export const bucketed = z.strictObject({
  ...span,
  buckets: z.coerce.number().int().min(1).max(500).default(48),
})
export const timelineQuery = z.strictObject({
  ...span,
  job: z.string().min(1).max(200).optional(),
  merge: duration.optional(),
  limit: z.coerce.number().int().min(1).max(2_000).default(500),
  cursor: z.string().max(100).optional(),
})
export const heatmapQuery = z.strictObject({ ...span, timezone: z.string().max(100).optional() })

const missed = { caughtUp: z.int(), coalesced: z.int(), skipped: z.int() }

const away = name(
  'Away',
  z.object({
    from: instant,
    to: instant,
    previousLeader: z.string(),
    leader: z.string(),
    missed: z.object({ found: z.int(), ...missed }),
    jobs: z.array(z.object({ job: z.string(), missed: z.int(), ...missed, reasons: z.array(z.string()) })),
  }),
)

const problem = name(
  'JobProblem',
  z.object({
    job: z.string(),
    why: z.enum(['late', 'failed', 'paused', 'disabled', 'error']),
    since: instant,
    executionId: z.string().optional(),
    sentence: z.string().optional(),
    next: z.string().optional(),
  }),
)

export const overview = name(
  'Overview',
  z.object({
    health: z.object({
      level: z.enum(['good', 'late', 'failing', 'disabled', 'down']),
      late: z.int(),
      failing: z.int(),
      disabled: z.int(),
      sentence: z.string(),
    }),
    counts: z.object({
      jobs: z.object({ total: z.int(), paused: z.int() }),
      running: z.int(),
      waiting: z.int(),
      failedLastDay: z.int(),
      completedLastDay: z.int(),
      countedFrom: instant,
    }),
    leader: z.object({ instance: z.string(), termId: z.int(), leaseUntil: instant }).nullable(),
    nodes: z.object({ alive: z.int(), stale: z.int() }),
    problems: z.array(problem),
    away: away.nullable(),
  }),
)

export const activity = name(
  'Activity',
  z.object({
    from: instant,
    to: instant,
    bucketMs: z.int(),
    buckets: z.array(
      z.object({
        at: instant,
        completed: z.int(),
        failed: z.int(),
        cancelled: z.int(),
        skipped: z.int(),
        coalesced: z.int(),
      }),
    ),
    coveredFrom: instant,
  }),
)

export const forecast = name(
  'Forecast',
  z.object({
    from: instant,
    to: instant,
    bucketMs: z.int(),
    total: z.int(),
    buckets: z.array(z.object({ at: instant, count: z.int() })),
    pileUps: z.array(z.object({ at: instant, count: z.int(), jobs: z.array(z.string()) })),
    jobs: z.array(z.object({ job: z.string(), count: z.int() })),
    truncated: z.boolean(),
  }),
)

export const timeline = name(
  'Timeline',
  z.object({
    from: instant,
    to: instant,
    runs: z.array(
      z.object({
        id: z.string(),
        jobId: z.string(),
        job: z.string(),
        state: z.enum(executionStates),
        cause: z.enum(causes),
        nodeId: z.string().nullable(),
        startedAt: instant,
        finishedAt: instant.nullable(),
        scheduledFor: instant,
        attempt: z.int(),
        count: z.int().optional(),
      }),
    ),
    nextCursor,
  }),
)

export const heatmap = name(
  'Heatmap',
  z.object({
    job: z.string(),
    timezone: z.string(),
    days: z.array(
      z.object({
        day: z.string(),
        hours: z.array(
          z.object({
            at: instant,
            hour: z.int(),
            ran: z.int(),
            late: z.int(),
            caughtUp: z.int(),
            failed: z.int(),
            cancelled: z.int(),
            running: z.int(),
            coalesced: z.int(),
            skipped: z.int(),
          }),
        ),
      }),
    ),
  }),
)
