/** `/jobs`: a job is listed, made, read, changed and deleted. */
import { changesOfLegacy, optionsOfLegacy } from '../../app/job/legacy/legacy-job.ts'
import type { JobView } from '../../app/views.ts'
import { endpoint, Reply } from '../endpoint.ts'
import * as schema from '../schemas/job.ts'
import { reference } from '../schemas/named.ts'
import { bulkRoute } from './bulk.ts'

const tag = 'Jobs'

/** Changes with every edit: the caller uses it to say which revision it has seen. */
function etagOf({ id, revision }: JobView): string {
  return `"${id}:${revision}"`
}

function withEtag(job: JobView, status = 200, headers: Record<string, string> = {}): Reply<JobView> {
  return new Reply(job, { status, headers: { etag: etagOf(job), ...headers } })
}

function createdJob(job: JobView): Reply<JobView> {
  return withEtag(job, 201, { location: `/api/v1/jobs/${job.id}` })
}

/** The revision that an edit is for. An ETag of another job is refused like one that is too old. */
function seenRevision(ifMatch: string | null, job: JobView): { revision?: number } {
  if (ifMatch === null || ifMatch.trim() === '*') return {}
  const marks = ifMatch.split(',').map((mark) => mark.trim().replace(/^W\//, ''))
  // A list names all revisions that the caller accepts: the job must be at one of them.
  return { revision: marks.includes(etagOf(job)) ? job.revision : -1 }
}

export const jobRoutes = [
  endpoint({
    method: 'get',
    path: '/jobs',
    role: 'viewer',
    tag,
    summary:
      'List jobs, without their inputs, and without what their last executions were given and returned',
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
]
