/** `/jobs/{id}/pause` and its like: what an operator does to a job. */
import { z } from 'zod'
import type { JobState } from '../../core/job/job-state.ts'
import type { Evertick } from '../../evertick.ts'
import { endpoint } from '../endpoint.ts'
import { replayedExecution } from '../idempotency.ts'
import { requestMetadata } from '../request-metadata.ts'
import { execution } from '../schemas/execution.ts'
import * as schema from '../schemas/job.ts'
import { duration, givenInstant, metadata, payload, reference } from '../schemas/named.ts'

const tag = 'Jobs'

/** Replays an action whose first reply was lost: null if the job is not in the state that it leads to. */
function replayedIn(state: JobState) {
  return async ({
    evertick,
    params,
  }: {
    readonly evertick: Evertick
    readonly params: { readonly id: string }
  }) => {
    const job = await evertick.jobs.get(params.id)
    return job.state === state ? job : null
  }
}

export const jobActionRoutes = [
  endpoint({
    method: 'post',
    path: '/jobs/{id}/rotate-check-in',
    role: 'admin',
    tag,
    summary: 'Make a new address for the check-ins of a job that runs elsewhere; it is in this answer only',
    params: reference,
    answers: schema.checkInAddress,
    run: async ({ evertick, params, by }) => await evertick.jobs.rotateCheckIn(params.id, by),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/pause',
    role: 'operator',
    tag,
    summary: 'Pause a job',
    params: reference,
    body: z.strictObject({
      reason: z.string().max(2_000).optional(),
      until: z.union([givenInstant, duration]).optional(),
    }),
    bodyOptional: true,
    answers: schema.job,
    idempotent: true,
    replay: replayedIn('paused'),
    run: async ({ evertick, params, body, by }) => await evertick.jobs.pause(params.id, { ...body, ...by }),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/resume',
    role: 'operator',
    tag,
    summary: 'Resume a job; `catchUp` says what to do with the ticks of the pause',
    params: reference,
    body: z.strictObject({ catchUp: z.enum(['skip', 'policy', 'latest', 'all']).default('skip') }),
    bodyOptional: true,
    answers: schema.job,
    idempotent: true,
    replay: replayedIn('active'),
    run: async ({ evertick, params, body, by }) => await evertick.jobs.resume(params.id, { ...body, ...by }),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/cancel',
    role: 'operator',
    tag,
    summary: 'Cancel a job: its schedule ends, and its unfinished executions are cancelled',
    params: reference,
    answers: schema.job,
    idempotent: true,
    replay: replayedIn('cancelled'),
    run: async ({ evertick, params, by }) => await evertick.jobs.cancel(params.id, by),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/retry',
    role: 'operator',
    tag,
    summary: 'Retry the last execution, if it failed',
    params: reference,
    answers: execution,
    status: 202,
    idempotent: true,
    replay: replayedExecution,
    run: async ({ maker, params, by }) => await maker.jobs.retry(params.id, by),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/trigger',
    role: 'operator',
    tag,
    summary: 'Run the job now, in addition to its ticks',
    params: reference,
    body: z.strictObject({
      input: payload.optional(),
      force: z.boolean().default(false),
      metadata: metadata.default({}),
    }),
    takes: 'payload',
    bodyOptional: true,
    answers: execution,
    status: 202,
    idempotent: true,
    replay: replayedExecution,
    run: async (call) => {
      const metadata = requestMetadata(call, call.body.metadata)
      return await call.maker.jobs.trigger(call.params.id, { ...call.body, metadata, ...call.by })
    },
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/backfill',
    role: 'operator',
    tag,
    summary: 'Create an execution for every tick in [from, to)',
    params: reference,
    body: z.strictObject({
      from: givenInstant,
      to: givenInstant,
      dryRun: z.boolean().default(false),
      limit: z.int().min(1).max(100_000).default(1_000),
      order: z.enum(['oldest_first', 'newest_first']).default('oldest_first'),
    }),
    answers: schema.backfill,
    idempotent: true,
    run: async ({ evertick, params, body, by }) =>
      await evertick.jobs.backfill(params.id, { ...body, ...by }),
  }),
]
