import type { NewFlow } from '../../store.ts'
import type { HotScripts } from '../hot-scripts.ts'
import { insertAll, insertRow, type Script } from '../runtime/script.ts'
import { enqueueExecutions } from '../work/enqueue-executions.ts'

const stepColumns = {
  flow_id: 'uuid',
  name: 'text',
  position: 'number',
  execution_id: 'uuid',
  parents: 'text',
  on_failure: 'text',
  generation: 'number',
} as const

const edgeColumns = { flow_id: 'uuid', parent: 'text', child: 'text' } as const

/** Each step is an enqueue; what comes after another waits from the start. */
export function* createFlow({ id, name, createdAt, steps }: NewFlow, hot: HotScripts): Script<void> {
  const drafts = steps.map(({ name: flowStep, after, execution }) => ({
    ...execution,
    ties: { flowId: id, flowStep, openParents: after.length, follows: after.length > 0 },
  }))
  yield* enqueueExecutions(drafts, hot)
  const counts = { completed: 0, failed: 0, cancelled: 0 }
  yield* insertRow('flows', {
    id,
    name,
    state: 'running',
    steps: steps.length,
    ...counts,
    created_at: createdAt,
    finished_at: null,
  })
  yield* insertAll(
    'flow_steps',
    stepColumns,
    steps.map((step, position) => ({
      flow_id: id,
      name: step.name,
      position,
      execution_id: step.execution.id,
      parents: JSON.stringify(step.after),
      on_failure: step.onFailure,
      generation: 1,
    })),
  )
  yield* insertAll(
    'flow_edges',
    edgeColumns,
    steps.flatMap(({ name: child, after }) => after.map((parent) => ({ flow_id: id, parent, child }))),
  )
}
