import { idOrNone } from '../../../core/id.ts'
import type { Flow, FlowParent, FlowQuery, FlowWithSteps } from '../../store.ts'
import { errorFrom, finalStateOf, json, text } from '../runtime/rows.ts'
import { type Row, row, rows, type Script } from '../runtime/script.ts'
import { Where } from '../runtime/where.ts'
import { flowFrom, readSteps } from './flow-rows.ts'

export function* listFlows({ state, name, limit, afterId }: FlowQuery): Script<Flow[]> {
  const where = new Where('1 = 1')
  if (state !== undefined) where.and('state = ?', state)
  if (name !== undefined) where.and('name = ?', name)
  if (afterId !== undefined) where.and('id < ?', idOrNone(afterId))
  const text = `SELECT * FROM @flows WHERE ${where.text} ORDER BY id DESC LIMIT ?`
  return (yield* rows(text, ...where.params, limit)).map(flowFrom)
}

export function* findFlow(id: string): Script<FlowWithSteps | null> {
  const flow = yield* row('SELECT * FROM @flows WHERE id = ?', idOrNone(id))
  if (flow === null) return null
  const graph = (yield* readSteps(text(flow.id))).map(({ jobId: _, ...step }) => step)
  return { ...flowFrom(flow), graph }
}

/** By the names that the step keeps of them, which are as many as it has. */
const ownText = 'SELECT flow_id, parents FROM @flow_steps WHERE execution_id = ?'
const parentsText = `
  SELECT s.name, s.position, e.id, e.state, e.result, e.error FROM @flow_steps s
  JOIN @finished_executions e ON e.id = s.execution_id
  WHERE s.flow_id = ? AND s.name IN ?* ORDER BY s.position`

export function* readParents(executionId: string): Script<FlowParent[]> {
  const step = yield* row(ownText, idOrNone(executionId))
  if (step === null) return []
  const names = json(step.parents) as string[]
  return names.length === 0 ? [] : (yield* rows(parentsText, text(step.flow_id), names)).map(parentFrom)
}

function parentFrom(parent: Row): FlowParent {
  return {
    name: text(parent.name),
    executionId: text(parent.id),
    state: finalStateOf(parent.state),
    result: json(parent.result),
    error: errorFrom(parent.error),
  }
}
