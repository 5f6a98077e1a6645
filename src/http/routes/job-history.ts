/** `/jobs/{id}/ticks` and its like: what a job has done, what it will do, and why. */
import { z } from 'zod'
import { previewSchedule } from '../../app/job/preview-schedule.ts'
import { endpoint } from '../endpoint.ts'
import { executionList, why } from '../schemas/execution.ts'
import * as schema from '../schemas/job.ts'
import { givenInstant, page, reference } from '../schemas/named.ts'

const tag = 'Jobs'
/** A week of minutes, which is more than anybody reads. */
const mostTicks = 10_000
/** A day of minutes, and the one that has just begun. */
const usualTicks = 1_441
const dayMs = 86_400_000

export const jobHistoryRoutes = [
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
    path: '/jobs/{id}/usage',
    role: 'viewer',
    tag,
    summary: 'Peak memory and CPU time of the newest runs that were watched, newest first',
    params: reference,
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1_000).default(200) }),
    answers: schema.jobUsage,
    run: async ({ evertick, params, query }) => ({ runs: await evertick.jobs.usage(params.id, query) }),
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
