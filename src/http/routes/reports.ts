/** Reports on the whole system. All of them only read. */
import { z } from 'zod'
import { previewSchedule } from '../../app/job/preview-schedule.ts'
import { endpoint } from '../endpoint.ts'
import { schedule, schedulePreview, tagList } from '../schemas/job.ts'
import { givenInstant, reference } from '../schemas/named.ts'
import * as schema from '../schemas/reports.ts'

const tag = 'Reports'

export const reportRoutes = [
  endpoint({
    method: 'get',
    path: '/overview',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'Overall health, current problems, and what happened while there was no leader',
    answers: schema.overview,
    run: async ({ evertick }) => await evertick.reports.overview(),
  }),
  endpoint({
    method: 'get',
    path: '/activity',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'How executions ended over a span, and ticks without an execution',
    query: schema.bucketed,
    answers: schema.activity,
    run: async ({ evertick, query }) => await evertick.reports.activity(query),
  }),
  endpoint({
    method: 'get',
    path: '/forecast',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'Upcoming ticks of all active jobs, and where many coincide',
    query: schema.bucketed,
    answers: schema.forecast,
    run: async ({ evertick, query }) => await evertick.reports.forecast(query),
  }),
  endpoint({
    method: 'get',
    path: '/timeline',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'The runs that overlap a span, newest first',
    query: schema.timelineQuery,
    answers: schema.timeline,
    run: async ({ evertick, query }) => await evertick.reports.timeline(query),
  }),
  endpoint({
    method: 'get',
    path: '/jobs/{id}/heatmap',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'A job’s ticks by day and hour in a time zone',
    params: reference,
    query: schema.heatmapQuery,
    answers: schema.heatmap,
    run: async ({ evertick, params, query }) => await evertick.reports.heatmap(params.id, query),
  }),
  endpoint({
    method: 'post',
    path: '/schedules/preview',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'A schedule in words, its next instants, and warnings',
    body: z.strictObject({
      schedule,
      from: givenInstant.optional(),
      count: z.int().min(1).max(1_000).default(10),
      name: z.string().min(1).max(200).optional(),
    }),
    answers: schedulePreview,
    run: async ({ app, body: { schedule: given, from, ...rest } }) => {
      const start = from === undefined ? new Date(app.clock.now()) : new Date(from)
      return previewSchedule(given, { from: start, ...rest })
    },
  }),
  endpoint({
    method: 'get',
    path: '/tags',
    role: 'viewer',
    tag,
    summary: 'The tags of jobs, the most frequent first',
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1_000).default(200) }),
    answers: tagList,
    run: async ({ evertick, query }) => ({ tags: await evertick.jobs.tags(query) }),
  }),
]
