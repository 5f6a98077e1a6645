/** The flows and batches of a server under the names of the library. */
import type { BatchView } from '../../app/batch/batches.ts'
import type { FlowDetail, FlowStepView, FlowView } from '../../app/flow/flow-view.ts'
import type { FlowDetail as RemoteFlow } from '../../client/flows.ts'
import type { Client } from '../../client/index.ts'
import type { System } from '../system.ts'
import { gathered } from './lists.ts'
import { withoutActor } from './remote-jobs.ts'
import { type Instants, viewOf, viewsOf } from './views.ts'

const flowInstants: Instants<FlowView> = { createdAt: true, finishedAt: true }
const stepInstants: Instants<FlowStepView> = { startedAt: true, finishedAt: true }
const batchInstants: Instants<BatchView> = { createdAt: true, doneAt: true }

export function remoteFlows({ flows }: Client): System['flows'] {
  return {
    list: async (asked) => {
      const { limit = 100, cursor, ...query } = { ...asked }
      return await gathered(limit, cursor, async (place) => {
        const page = await flows.list({ ...query, ...place })
        return { ...page, items: page.flows }
      }).then(({ items, nextCursor }) => ({ flows: viewsOf<FlowView>(items, flowInstants), nextCursor }))
    },
    get: async (id) => detailOf(await flows.get(id)),
    cancel: async (id) => detailOf(await flows.cancel(id)),
    retry: async (id, options) => detailOf(await flows.retry(id, withoutActor(options))),
  }
}

function detailOf({ steps, ...flow }: RemoteFlow): FlowDetail {
  return {
    ...viewOf<Omit<FlowDetail, 'steps'>>(flow, flowInstants),
    steps: viewsOf<FlowStepView>(steps, stepInstants),
  }
}

export function remoteBatches({ batches }: Client): System['batches'] {
  return {
    list: async (asked) => {
      const { limit = 100, cursor } = { ...asked }
      return await gathered(limit, cursor, async (place) => {
        const page = await batches.list(place)
        return { ...page, items: page.batches }
      }).then(({ items, nextCursor }) => ({ batches: viewsOf<BatchView>(items, batchInstants), nextCursor }))
    },
    get: async (id) => viewOf<BatchView>(await batches.get(id), batchInstants),
  }
}
