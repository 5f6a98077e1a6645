/** `/flows` and `/batches`: executions that belong together. */
import { batchView } from '../../app/batch/batches.ts'
import { endpoint } from '../endpoint.ts'
import { requestMetadata } from '../request-metadata.ts'
import * as schema from '../schemas/flow.ts'
import { reference } from '../schemas/named.ts'

const flows = 'Flows'
const batches = 'Batches'

export const flowRoutes = [
  endpoint({
    method: 'get',
    path: '/flows',
    role: 'viewer',
    tag: flows,
    summary: 'List flows, newest first',
    query: schema.flowQuery,
    answers: schema.flowList,
    run: async ({ evertick, query }) => await evertick.flows.list(query),
  }),
  endpoint({
    method: 'post',
    path: '/flows',
    role: 'operator',
    tag: flows,
    summary: 'Enqueue steps that wait for one another: all of them, or none',
    body: schema.newFlow,
    takes: 'payload',
    answers: schema.madeFlow,
    status: 201,
    idempotent: true,
    replay: async ({ app }, id) => {
      const flow = await app.store.flows.findFlow(id)
      if (flow === null) return null
      return { id, executions: Object.fromEntries(flow.graph.map((step) => [step.name, step.executionId])) }
    },
    run: async (call) => {
      const { steps, ...flow } = call.body
      const own = Object.entries(steps).map(([step, { options, ...given }]) => {
        const metadata = requestMetadata(call, options?.metadata)
        return [step, { ...given, options: { ...options, metadata } }] as const
      })
      return await call.maker.flow({ ...flow, steps: Object.fromEntries(own) })
    },
  }),
  endpoint({
    method: 'get',
    path: '/flows/{id}',
    role: 'viewer',
    tag: flows,
    summary: 'One flow, with its steps and how they stand',
    params: reference,
    answers: schema.flowDetail,
    run: async ({ evertick, params }) => await evertick.flows.get(params.id),
  }),
  endpoint({
    method: 'post',
    path: '/flows/{id}/cancel',
    role: 'operator',
    tag: flows,
    summary: 'Cancel a flow: what waits ends, and what runs is asked to stop',
    params: reference,
    answers: schema.flowDetail,
    run: async ({ evertick, params, by }) => await evertick.flows.cancel(params.id, by),
  }),
  endpoint({
    method: 'post',
    path: '/flows/{id}/retry',
    role: 'operator',
    tag: flows,
    summary: 'Run a part of a flow again: what did not complete, or a step with all that comes after it',
    params: reference,
    body: schema.retryFlow,
    bodyOptional: true,
    answers: schema.flowDetail,
    status: 202,
    run: async ({ evertick, params, body, by }) => await evertick.flows.retry(params.id, { ...body, ...by }),
  }),
  endpoint({
    method: 'get',
    path: '/batches',
    role: 'viewer',
    tag: batches,
    summary: 'List batches, newest first',
    query: schema.batchQuery,
    answers: schema.batchList,
    run: async ({ evertick, query }) => await evertick.batches.list(query),
  }),
  endpoint({
    method: 'post',
    path: '/batches',
    role: 'operator',
    tag: batches,
    summary: 'Enqueue many as a batch, with what runs once all have ended: all of them, or none',
    body: schema.newBatch,
    takes: 'payload',
    answers: schema.batch,
    status: 201,
    idempotent: true,
    replay: async ({ app }, id) => {
      const batch = await app.store.batches.findBatch(id)
      return batch === null ? null : batchView(batch)
    },
    run: async (call) => {
      const { items, onDone, ...batch } = call.body
      const own = ({ options, ...item }: (typeof items)[number]) => {
        const metadata = requestMetadata(call, options?.metadata)
        return { ...item, options: { ...options, metadata } }
      }
      const follows = onDone === undefined ? {} : { onDone: own(onDone) }
      const { id } = await call.maker.enqueueMany(items.map(own), { batch: { ...batch, ...follows } })
      return await call.evertick.batches.get(id)
    },
  }),
  endpoint({
    method: 'get',
    path: '/batches/{id}',
    role: 'viewer',
    tag: batches,
    summary: 'How far a batch is',
    params: reference,
    answers: schema.batch,
    run: async ({ evertick, params }) => await evertick.batches.get(params.id),
  }),
]
