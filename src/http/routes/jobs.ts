/** `/jobs`: everything that can be done with a job. */
import { z } from 'zod'
import { changesOfLegacy, optionsOfLegacy } from '../../app/job/legacy-job.ts'
import { previewSchedule } from '../../app/job/preview-schedule.ts'
import type { JobView } from '../../app/views.ts'
import type { JobState } from '../../core/job/job-state.ts'
import type { Evertick } from '../../evertick.ts'
import { endpoint, Reply } from '../endpoint.ts'
import { replayedExecution } from '../idempotency.ts'
import { requestMetadata } from '../request-metadata.ts'
import { execution, executionList, why } from '../schemas/execution.ts'
import * as schema from '../schemas/job.ts'
import { duration, givenInstant, metadata, page, payload, reference } from '../schemas/named.ts'
import { bulkRoute } from './bulk.ts'

const tag = 'Jobs'
/** A week of minutes, and more than anybody reads. */
const mostTicks = 10_000
/** A day of minutes, and the one that has just begun. */
const usualTicks = 1_441
const dayMs = 86_400_000

/** What changes with every edit: the caller says by it what it has seen. */
function etagOf({ id, revision }: JobView): string {
  return `"${id}:${revision}"`
}

function withEtag(job: JobView, status = 200, headers: Record<string, string> = {}): Reply<JobView> {
  return new Reply(job, { status, headers: { etag: etagOf(job), ...headers } })
}

function createdJob(job: JobView): Reply<JobView> {
  return withEtag(job, 201, { location: `/api/v1/jobs/${job.id}` })
}

/** What an edit is for. A mark that is not this job's at all is refused like one that is too old. */
function seenRevision(ifMatch: string | null, job: JobView): { revision?: number } {
  if (ifMatch === null || ifMatch.trim() === '*') return {}
  const marks = ifMatch.split(',').map((mark) => mark.trim().replace(/^W\//, ''))
  // The list says what the caller can live with: what matters is whether the job is still at one of them.
  return { revision: marks.includes(etagOf(job)) ? job.revision : -1 }
}

/** An action whose earlier try never said how it ended: the job is where it was to go, or it goes there now. */
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

export const jobRoutes = [
  endpoint({
    method: 'get',
    path: '/jobs',
    role: 'viewer',
    tag,
    summary: 'List jobs',
    query: schema.jobListQuery,
    answers: schema.jobList,
    run: async ({ evertick, query }) => await evertick.jobs.list(query),
  }),
  endpoint({
    method: 'post',
    path: '/jobs',
    role: 'admin',
    tag,
    summary: 'Create a job',
    body: schema.newJob,
    takes: 'payload',
    answers: schema.job,
    status: 201,
    idempotent: true,
    replay: async ({ evertick, app, maker, body, by }, id) => {
      const made = await app.store.jobs.findJob(id)
      if (made === null) return null
      const { executions } = await evertick.executions.list({ job: id, limit: 1 })
      if (body.runNow === true && executions.length === 0) await maker.jobs.trigger(id, by)
      return createdJob(await evertick.jobs.get(id))
    },
    run: async ({ app, maker, body, by }) =>
      createdJob(await maker.jobs.create(optionsOfLegacy(body, app.clock.now()), by)),
  }),
  bulkRoute,
  endpoint({
    method: 'get',
    path: '/jobs/{id}',
    role: 'viewer',
    tag,
    summary: 'One job',
    params: reference,
    answers: schema.job,
    run: async ({ evertick, params }) => withEtag(await evertick.jobs.get(params.id)),
  }),
  endpoint({
    method: 'patch',
    path: '/jobs/{id}',
    role: 'admin',
    tag,
    summary: 'Change the given options and keep the rest; If-Match guards against concurrent edits',
    params: reference,
    body: schema.jobChanges,
    takes: 'payload',
    answers: schema.job,
    run: async ({ evertick, params, body, by, request }) => {
      const before = await evertick.jobs.get(params.id)
      const seen = seenRevision(request.headers.get('if-match'), before)
      const changes = changesOfLegacy(before, body)
      return withEtag(await evertick.jobs.update(params.id, changes, { ...by, ...seen }))
    },
  }),
  endpoint({
    method: 'delete',
    path: '/jobs/{id}',
    role: 'admin',
    tag,
    summary: 'Cancel a job, and hide it',
    params: reference,
    answers: null,
    status: 204,
    run: async ({ evertick, params, by }) => await evertick.jobs.delete(params.id, by),
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
  endpoint({
    method: 'get',
    path: '/jobs/{id}/why',
    role: 'viewer',
    tag,
    summary: 'Why the job is not running, in one sentence with the next step',
    params: reference,
    answers: why,
    run: async ({ evertick, params }) => await evertick.jobs.why(params.id),
  }),
  endpoint({
    method: 'get',
    path: '/jobs/{id}/executions',
    role: 'viewer',
    tag,
    summary: 'Executions of a job, newest first',
    params: reference,
    query: z.strictObject(page),
    answers: executionList,
    run: async ({ evertick, params, query }) => {
      const { id } = await evertick.jobs.get(params.id)
      return await evertick.executions.list({ job: id, ...query })
    },
  }),
  endpoint({
    method: 'get',
    path: '/jobs/{id}/stats',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'Counts, success rate and durations',
    params: reference,
    answers: schema.stats,
    run: async ({ evertick, params }) => await evertick.jobs.stats(params.id),
  }),
  endpoint({
    method: 'get',
    path: '/jobs/{id}/ticks',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'What became of every due tick, and why; by default in the last 24 hours',
    params: reference,
    query: z.strictObject({
      from: givenInstant.optional(),
      to: givenInstant.optional(),
      limit: z.coerce.number().int().min(1).max(mostTicks).default(usualTicks),
    }),
    answers: schema.ticks,
    run: async ({ evertick, app, params, query }) => {
      const to = new Date(query.to ?? app.clock.now())
      const from = query.from ?? new Date(to.getTime() - dayMs)
      return await evertick.jobs.explain(params.id, { ...query, from, to })
    },
  }),
  endpoint({
    method: 'get',
    path: '/jobs/{id}/ticks/newest',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'The newest due ticks, newest last',
    params: reference,
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1_000).default(20) }),
    answers: schema.newestTicks,
    run: async ({ evertick, params, query }) => ({ ticks: await evertick.jobs.ticks(params.id, query) }),
  }),
  endpoint({
    method: 'get',
    path: '/jobs/{id}/upcoming',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'The next due instants, the schedule in words, and warnings',
    params: reference,
    query: z.strictObject({ count: z.coerce.number().int().min(1).max(1_000).default(10) }),
    answers: schema.upcoming,
    run: async ({ evertick, app, params, query }) => {
      const { name, schedule, scheduleText } = await evertick.jobs.get(params.id)
      const from = new Date(app.clock.now())
      return {
        upcoming: await evertick.jobs.upcoming(params.id, query),
        description: scheduleText,
        warnings: schedule === null ? [] : previewSchedule(schedule, { from, count: 1, name }).warnings,
      }
    },
  }),
  endpoint({
    method: 'get',
    path: '/jobs/{id}/revisions',
    role: 'viewer',
    tag,
    summary: 'Every definition that the job has had',
    params: reference,
    answers: schema.revisions,
    run: async ({ evertick, params }) => ({ revisions: await evertick.jobs.revisions(params.id) }),
  }),
]
