/** `/executions`: single units of work. */
import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { executionsBy, filterText } from '../list-filter.ts'
import * as schema from '../schemas/execution.ts'
import { page, reference } from '../schemas/named.ts'

const tag = 'Executions'

export const executionRoutes: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/executions',
    role: 'viewer',
    tag,
    summary: 'List executions, newest first',
    query: z.strictObject({
      filter: filterText,
      sort: z.literal('-createdAt').default('-createdAt'),
      ...page,
    }),
    answers: schema.executionList,
    run: async ({ evertick, query: { filter, sort: _newestFirst, ...rest } }) =>
      await evertick.executions.list({ ...executionsBy(filter), ...rest }),
  }),
  endpoint({
    method: 'post',
    path: '/executions',
    role: 'operator',
    tag,
    summary: 'Enqueue work',
    body: schema.newExecution,
    answers: schema.enqueued,
    status: 201,
    repeatable: true,
    run: async ({ evertick, body }) => {
      const { job, input, ...options } = body
      return await evertick.enqueue(job, input, options)
    },
  }),
  endpoint({
    method: 'get',
    path: '/executions/{id}',
    role: 'viewer',
    tag,
    summary: 'One execution, with its attempts',
    params: reference,
    answers: schema.executionDetail,
    run: async ({ evertick, params }) => await evertick.executions.get(params.id),
  }),
  endpoint({
    method: 'get',
    path: '/executions/{id}/logs',
    role: 'viewer',
    tag,
    summary: 'What its handler has logged',
    params: reference,
    answers: schema.logs,
    run: async ({ evertick, params }) => ({ logs: await evertick.executions.logs(params.id) }),
  }),
  endpoint({
    method: 'post',
    path: '/executions/{id}/cancel',
    role: 'operator',
    tag,
    summary: 'Cancel it; one that runs is asked to stop',
    params: reference,
    answers: schema.execution,
    run: async ({ evertick, params, actor }) => await evertick.executions.cancel(params.id, { actor }),
  }),
  endpoint({
    method: 'post',
    path: '/executions/{id}/retry',
    role: 'operator',
    tag,
    summary: 'Make a new one of a final one',
    params: reference,
    answers: schema.execution,
    status: 202,
    repeatable: true,
    run: async ({ evertick, params, actor }) => await evertick.executions.retry(params.id, { actor }),
  }),
]
