/** `/limits`: limits that the cluster shares, by name. */
import { endpoint } from '../endpoint.ts'
import * as schema from '../schemas/limit.ts'

const tag = 'Shared limits'

export const limitRoutes = [
  endpoint({
    method: 'get',
    path: '/limits',
    role: 'viewer',
    tag,
    summary: 'Limits that jobs share, and how much runs and waits under each',
    answers: schema.limits,
    run: async ({ evertick }) => ({ limits: await evertick.limits.list() }),
  }),
  endpoint({
    method: 'post',
    path: '/limits',
    role: 'admin',
    tag,
    summary: 'Set a limit: a new one, or new numbers',
    body: schema.newLimit,
    answers: schema.limit,
    run: async ({ evertick, body: { name, ...numbers }, by }) =>
      await evertick.limits.set(name, { ...numbers, ...by }),
  }),
  endpoint({
    method: 'delete',
    path: '/limits/{name}',
    role: 'admin',
    tag,
    summary: 'Delete a limit: jobs that name it go on without a bound',
    params: schema.limitReference,
    answers: null,
    status: 204,
    run: async ({ evertick, params, by }) => await evertick.limits.delete(params.name, by),
  }),
]
