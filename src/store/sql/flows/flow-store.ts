import type { FlowStore } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { tellingWithin } from '../work/enqueue-executions.ts'
import { cancelFlow, retryFlow } from './change-flow.ts'
import { createFlow } from './create-flow.ts'
import { findFlow, listFlows, readParents } from './read-flows.ts'

export function flowStore({ driver, hot, context, read, writeAndTell, tellWithin }: Scripts): FlowStore {
  return {
    createFlow: (flow, within) =>
      within === undefined
        ? writeAndTell(() => createFlow(flow, hot), 'work')
        : driver.within(within, () => tellingWithin(createFlow(flow, hot), tellWithin)),
    listFlows: (query) => read(() => listFlows(query)),
    findFlow: (id) => read(() => findFlow(id)),
    readParents: (executionId) => read(() => readParents(executionId)),
    cancelFlow: (id, by) => writeAndTell(() => cancelFlow(id, by), 'work'),
    retryFlow: (id, retry, by) => writeAndTell(() => retryFlow(id, retry, by, hot, context), 'work'),
  }
}
