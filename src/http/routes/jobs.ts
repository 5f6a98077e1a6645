/** `/jobs`: everything that can be done with a job. */
import { z } from 'zod'
import { Evertick } from '../../app/evertick.ts'
import { changesOfLegacy, type LegacyChanges, type LegacyJob, optionsOfLegacy } from '../../app/legacy-job.ts'
import type { JobView } from '../../app/views.ts'
import { EvertickError } from '../../core/error.ts'
import { type Endpoint, endpoint, Reply } from '../endpoint.ts'
import { filterText, jobsBy } from '../list-filter.ts'
import { execution, executionList } from '../schemas/execution.ts'
import * as schema from '../schemas/job.ts'
import { duration, givenInstant, metadata, page, payload, reference } from '../schemas/named.ts'

const tag = 'Jobs'
/** A week of minutes, and more than anybody reads. */
const mostTicks = 10_000

/** What changes with every edit: the caller says by it what it has seen. */
function etagOf({ id, revision }: JobView): string {
  return `"${id}:${revision}"`
}

function withEtag(job: JobView, status = 200, headers: Record<string, string> = {}): Reply {
  return new Reply(job, { status, headers: { etag: etagOf(job), ...headers } })
}

/** What an edit is for. A mark that is not this job's at all is refused like one that is too old. */
function seenRevision(ifMatch: string | null, job: JobView): { revision?: number } {
  if (ifMatch === null || ifMatch === '*') return {}
  const [, id, revision] = /^(?:W\/)?"(.+):(\d+)"$/.exec(ifMatch) ?? []
  return { revision: id === job.id ? Number(revision) : -1 }
}

/** The body as the library takes it: what is checked there is not checked here again. */
function named<Body extends object>({
  handler,
  ...rest
}: Body & { readonly handler?: { readonly name: string } }) {
  return { ...rest, ...(handler === undefined ? {} : { handler: handler.name }) }
}

export const jobRoutes: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/jobs',
    role: 'viewer',
    tag,
    summary: 'List jobs, by name',
    query: z.strictObject({ filter: filterText, sort: z.literal('name').default('name'), ...page }),
    answers: schema.jobList,
    run: async ({ evertick, query: { filter, sort: _byName, ...rest } }) =>
      await evertick.jobs.list({ ...jobsBy(filter), ...rest }),
  }),
  endpoint({
    method: 'post',
    path: '/jobs',
    role: 'admin',
    tag,
    summary: 'Create a job',
    body: schema.newJob,
    answers: schema.job,
    status: 201,
    repeatable: true,
    run: async ({ evertick, body, actor }) => {
      const created = await evertick.jobs.create(
        optionsOfLegacy(named(body) as LegacyJob, Evertick.appOf(evertick).clock.now()),
        { actor },
      )
      return withEtag(created, 201, { location: `/api/v1/jobs/${created.id}` })
    },
  }),
  endpoint({
    method: 'post',
    path: '/jobs/bulk',
    role: 'operator',
    tag,
    summary: 'The same action on all jobs that match',
    body: z.strictObject({
      action: z.enum(['pause', 'resume', 'cancel', 'delete', 'trigger']),
      filter: z.string().max(500),
      reason: z.string().max(2_000).optional(),
      dryRun: z.boolean().default(false),
    }),
    answers: schema.bulk,
    run: async ({ evertick, body, actor, principal }) => {
      if (body.action === 'delete' && principal?.role !== 'admin') {
        throw new EvertickError('forbidden', 'Deleting jobs needs the role admin.')
      }
      const { action, dryRun, reason } = body
      return await evertick.jobs.bulk(action, jobsBy(body.filter), {
        actor,
        dryRun,
        ...(reason === undefined ? {} : { reason }),
      })
    },
  }),
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
    summary: 'Change what is given, and keep the rest; If-Match guards against an edit meanwhile',
    params: reference,
    body: schema.jobChanges,
    answers: schema.job,
    run: async ({ evertick, params, body, actor, request }) => {
      const before = await evertick.jobs.get(params.id)
      const seen = seenRevision(request.headers.get('if-match'), before)
      const changes = changesOfLegacy(before, named(body) as LegacyChanges)
      return withEtag(await evertick.jobs.update(params.id, changes, { actor, ...seen }))
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
    run: async ({ evertick, params, actor }) => await evertick.jobs.delete(params.id, { actor }),
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
    run: async ({ evertick, params, body, actor }) =>
      await evertick.jobs.pause(params.id, { ...body, actor }),
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
    run: async ({ evertick, params, body, actor }) =>
      await evertick.jobs.resume(params.id, { ...body, actor }),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/cancel',
    role: 'operator',
    tag,
    summary: 'End the schedule, and cancel what is unfinished',
    params: reference,
    answers: schema.job,
    run: async ({ evertick, params, actor }) => await evertick.jobs.cancel(params.id, { actor }),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/retry',
    role: 'operator',
    tag,
    summary: 'Run the newest failed execution again',
    params: reference,
    answers: execution,
    status: 202,
    repeatable: true,
    run: async ({ evertick, params, actor }) => await evertick.jobs.retry(params.id, { actor }),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/trigger',
    role: 'operator',
    tag,
    summary: 'Run the job now; it costs no tick',
    params: reference,
    body: z.strictObject({
      input: payload.optional(),
      force: z.boolean().default(false),
      metadata: metadata.default({}),
    }),
    bodyOptional: true,
    answers: execution,
    status: 202,
    repeatable: true,
    run: async ({ evertick, params, body, actor }) =>
      await evertick.jobs.trigger(params.id, { ...body, actor }),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/backfill',
    role: 'operator',
    tag,
    summary: 'An execution for every tick of [from, to)',
    params: reference,
    body: z.strictObject({
      from: givenInstant,
      to: givenInstant,
      dryRun: z.boolean().default(false),
      limit: z.int().min(1).max(100_000).default(1_000),
      order: z.enum(['oldest_first', 'newest_first']).default('oldest_first'),
    }),
    answers: schema.backfill,
    repeatable: true,
    run: async ({ evertick, params, body, actor }) =>
      await evertick.jobs.backfill(params.id, { ...body, actor }),
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
    tag,
    summary: 'What became of every due tick, and why',
    params: reference,
    query: z.strictObject({
      from: givenInstant,
      to: givenInstant,
      limit: z.coerce.number().int().min(1).max(mostTicks).default(1_000),
    }),
    answers: schema.ticks,
    run: async ({ evertick, params, query }) => await evertick.jobs.explain(params.id, query),
  }),
  endpoint({
    method: 'get',
    path: '/jobs/{id}/upcoming',
    role: 'viewer',
    tag,
    summary: 'The next due instants',
    params: reference,
    query: z.strictObject({ count: z.coerce.number().int().min(1).max(1_000).default(10) }),
    answers: schema.upcoming,
    run: async ({ evertick, params, query }) => ({
      upcoming: await evertick.jobs.upcoming(params.id, query),
    }),
  }),
  endpoint({
    method: 'get',
    path: '/jobs/{id}/revisions',
    role: 'viewer',
    tag,
    summary: 'Every definition that the job had',
    params: reference,
    answers: schema.revisions,
    run: async ({ evertick, params }) => ({ revisions: await evertick.jobs.revisions(params.id) }),
  }),
]
