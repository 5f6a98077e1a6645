/** `/executions`: single units of work. */
import { z } from 'zod'
import { executionOrders } from '../../app/execution/executions.ts'
import { endpoint } from '../endpoint.ts'
import { replayedExecution } from '../idempotency.ts'
import { requestMetadata } from '../request-metadata.ts'
import * as schema from '../schemas/execution.ts'
import { filterText, page, reference } from '../schemas/named.ts'

const tag = 'Executions'

export const executionRoutes = [
  endpoint({
    method: 'get',
    path: '/executions',
    role: 'viewer',
    tag,
    summary: 'List executions, newest or oldest first',
    query: z.strictObject({
      filter: filterText,
      sort: z.enum(executionOrders).default('-createdAt'),
      ...page,
    }),
    answers: schema.executionList,
    run: async ({ evertick, query }) => await evertick.executions.list(query),
  }),
  endpoint({
    method: 'post',
    path: '/executions',
    role: 'operator',
    tag,
    summary: 'Enqueue work',
    body: schema.newExecution,
    takes: 'payload',
    answers: schema.enqueued,
    status: 201,
    idempotent: true,
    replay: async (call, id) => ((await replayedExecution(call, id)) === null ? null : { id, created: true }),
    run: async (call) => {
      const { job, input, metadata, ...options } = call.body
      return await call.maker.enqueue(job, input, { ...options, metadata: requestMetadata(call, metadata) })
    },
  }),
  endpoint({
    method: 'get',
    path: '/executions/{id}',
    role: 'viewer',
    tag,
    summary: 'One execution, with its attempts and steps',
    params: reference,
    answers: schema.executionDetail,
    run: async ({ evertick, params }) => await evertick.executions.get(params.id),
  }),
  endpoint({
    method: 'get',
    path: '/executions/{id}/why',
    role: 'viewer',
    tag,
    summary: 'What an execution waits for, or how it ended, in one sentence with the next step',
    params: reference,
    answers: schema.why,
    run: async ({ evertick, params }) => await evertick.executions.why(params.id),
  }),
  endpoint({
    method: 'get',
    path: '/executions/{id}/logs',
    role: 'viewer',
    tag,
    summary: 'What its handler logged',
    params: reference,
    answers: schema.logs,
    run: async ({ evertick, params }) => ({ logs: await evertick.executions.logs(params.id) }),
  }),
  endpoint({
    method: 'post',
    path: '/executions/{id}/cancel',
    role: 'operator',
    tag,
    summary: 'Cancel an execution; a running one is asked to stop',
    params: reference,
    answers: schema.execution,
    idempotent: true,
    replay: async ({ app, params }) => {
      const execution = await replayedExecution({ app }, params.id)
      return execution?.state === 'cancelled' || execution?.cancelRequestedAt != null ? execution : null
    },
    run: async ({ evertick, params, by }) => await evertick.executions.cancel(params.id, by),
  }),
  endpoint({
    method: 'post',
    path: '/executions/{id}/retry',
    role: 'operator',
    tag,
    summary: 'Retry a finished execution as a new one, all of it or from a step on',
    params: reference,
    body: schema.retryRequest,
    bodyOptional: true,
    answers: schema.execution,
    status: 202,
    idempotent: true,
    replay: replayedExecution,
    run: async ({ maker, params, body, by }) => await maker.executions.retry(params.id, { ...body, ...by }),
  }),
  endpoint({
    method: 'post',
    path: '/executions/{id}/signals',
    role: 'operator',
    tag,
    summary: 'Answer a wait of an execution, also before it waits; the same id is one signal',
    params: reference,
    body: schema.newSignal,
    takes: 'payload',
    answers: schema.signalled,
    idempotent: true,
    run: async ({ maker, params, body, by }) => {
      const { name, payload, ...id } = body
      return await maker.signal(params.id, name, payload, { ...id, ...by })
    },
  }),
]
