/** Flows and their steps in the database. */
import { flowStates, onFailures } from '../../../core/flow/flow.ts'
import type { Flow, StepOfFlow } from '../../store.ts'
import { json, number, oneOf, optionalNumber, optionalText, shownState, text } from '../runtime/rows.ts'
import { type Row, row, rows, type Script } from '../runtime/script.ts'
import { restText } from '../steps/step-rows.ts'

const flowStateOf = oneOf('state of a flow', flowStates)
export const onFailureOf = oneOf('policy of a step', onFailures)

export function flowFrom(flow: Row): Flow {
  return {
    id: text(flow.id),
    name: optionalText(flow.name),
    state: flowStateOf(flow.state),
    steps: number(flow.steps),
    completed: number(flow.completed),
    failed: number(flow.failed),
    cancelled: number(flow.cancelled),
    createdAt: number(flow.created_at),
    finishedAt: optionalNumber(flow.finished_at),
  }
}

/** Whoever ends, cancels or makes again a part of flows holds them first, in the order of their ids. */
export function* holdFlow(id: string): Script<Flow | null> {
  const flow = yield* row('SELECT * FROM @flows WHERE id = ? FOR UPDATE', id)
  return flow === null ? null : flowFrom(flow)
}

/** LEFT, or MariaDB begins with the jobs. */
const stepsText = `
  SELECT s.name, s.position, s.parents, s.on_failure, s.generation, s.execution_id, e.state, e.job_id,
    j.name AS job_name, e.started_at, e.finished_at, e.waits_for, ${restText} AS rests_for
  FROM @flow_steps s JOIN @job_executions e ON e.id = s.execution_id LEFT JOIN @jobs j ON j.id = e.job_id
  WHERE s.flow_id = ? ORDER BY s.position`

export interface HeldStep extends StepOfFlow {
  readonly jobId: string
}

export function* readSteps(flowId: string): Script<HeldStep[]> {
  return (yield* rows(stepsText, flowId)).map((step) => ({
    name: text(step.name),
    after: json(step.parents) as string[],
    onFailure: onFailureOf(step.on_failure),
    executionId: text(step.execution_id),
    job: optionalText(step.job_name) ?? '',
    jobId: text(step.job_id),
    state: shownState(step),
    generation: number(step.generation),
    startedAt: optionalNumber(step.started_at),
    finishedAt: optionalNumber(step.finished_at),
  }))
}
