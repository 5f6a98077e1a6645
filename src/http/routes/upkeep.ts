/** Maintenance of jobs: reset a cursor, convert crons to intervals, apply a list of jobs, export them, list sources. */
import { z } from 'zod'
import { exportCrontab } from '../../app/crontab/export-crontab.ts'
import { applyList } from '../../app/job/managed/apply-list.ts'
import { exportJobs } from '../../app/job/managed/export-jobs.ts'
import { listSources } from '../../app/source/list-sources.ts'
import { endpoint } from '../endpoint.ts'
import * as definitions from '../schemas/definitions.ts'
import * as schema from '../schemas/job.ts'
import { reference } from '../schemas/named.ts'
import * as upkeep from '../schemas/upkeep.ts'

const tag = 'Jobs'

export const upkeepRoutes = [
  endpoint({
    method: 'post',
    path: '/jobs/convert',
    role: 'admin',
    heavy: true,
    tag,
    summary: 'Convert evenly spaced crons to intervals; `back` undoes it',
    body: z.strictObject({ dryRun: z.boolean().default(false), back: z.boolean().default(false) }),
    bodyOptional: true,
    answers: upkeep.converted,
    run: async ({ evertick, body, by }) => await evertick.jobs.convert({ ...body, ...by }),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/apply',
    role: 'admin',
    heavy: true,
    tag,
    summary: 'Bring the jobs of one owner to a list: create, update, and with prune delete; all or nothing',
    body: definitions.applyRequest,
    takes: 'payload',
    answers: definitions.applied,
    run: async ({ app, body, by }) => await applyList(app, body, by),
  }),
  endpoint({
    method: 'post',
    path: '/jobs/{id}/reset-cursor',
    role: 'admin',
    tag,
    summary: 'Reset a cursor that a wrong clock moved into the future',
    params: reference,
    answers: schema.job,
    run: async ({ evertick, params, by }) => await evertick.jobs.resetCursor(params.id, by),
  }),
  endpoint({
    method: 'get',
    path: '/export/crontab',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'The jobs as a crontab, and those it cannot express',
    query: z.strictObject({ format: z.enum(['user', 'system']).optional() }),
    answers: upkeep.exportedCrontab,
    run: async ({ app, query }) => await exportCrontab(app, query),
  }),
  endpoint({
    method: 'get',
    path: '/export/jobs',
    role: 'viewer',
    heavy: true,
    tag,
    summary:
      'The jobs as a list that can be applied, without their history, page by page; or those of `names`',
    query: definitions.exportQuery,
    answers: definitions.exportedJobs,
    run: async ({ app, query }) => await exportJobs(app, query),
  }),
  endpoint({
    method: 'get',
    path: '/sources',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'The jobs that sync others from an API, with what their last syncs did',
    query: definitions.sourcesQuery,
    answers: definitions.sourceList,
    run: async ({ app, query }) => await listSources(app, query),
  }),
]
