/** What people do to a flow as a whole: cancel it, or run a part of it again. */
import { EvertickError } from '../../../core/error.ts'
import { flowNotFound } from '../../../core/flow/flow.ts'
import { shortList } from '../../../core/flow/flow-graph.ts'
import { retryPlan, stepsToRetry } from '../../../core/flow/retry-plan.ts'
import { idOrNone } from '../../../core/id.ts'
import type { ChangeContext, Flow, FlowRetry, FlowWithSteps } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import type { HotScripts } from '../hot-scripts.ts'
import { text } from '../runtime/rows.ts'
import { hold, rows, run, type Script, type ScriptContext } from '../runtime/script.ts'
import { settleEnded } from '../work/end-execution.ts'
import { cancelWaiting } from '../work/ended.ts'
import { holdToStop } from '../work/reserves.ts'
import { isUnfinished } from '../work/states.ts'
import { type HeldStep, holdFlow, readSteps } from './flow-rows.ts'
import { findFlow } from './read-flows.ts'
import { remake } from './remake-steps.ts'

export function* cancelFlow(id: string, { now, actor, origin }: ChangeContext): Script<FlowWithSteps> {
  const flow = yield* holdFlow(idOrNone(id))
  if (flow === null) throw flowNotFound(id)
  if (flow.state !== 'running')
    throw new EvertickError(
      'invalid_transition',
      `Flow ${flow.id} is ${flow.state}: there is nothing to cancel.`,
      {
        transition: { state: flow.state, asked: 'cancelled', actions: ['retry'] },
      },
    )
  const open = yield* rows(
    `SELECT e.id FROM @flow_steps s JOIN @live_executions e ON e.id = s.execution_id
     WHERE s.flow_id = ? AND ${isUnfinished.replaceAll('state', 'e.state')}`,
    flow.id,
  )
  const ids = open.map((execution) => text(execution.id))
  yield* holdToStop('id IN ?*', ids)
  const stopped = yield* cancelWaiting('operator', now, 'id IN ?*', ids)
  yield* run(
    `UPDATE @live_executions SET cancel_requested_at = ?, cancel_reason = 'operator'
     WHERE id IN ?* AND state = 'running' AND cancel_requested_at IS NULL`,
    now,
    ids,
  )
  yield* settleEnded(stopped, now)
  const entry = { at: now, actor, origin, action: 'flow.cancel', subject: flow.id, before: null }
  yield* writeAuditLog({ ...entry, after: { steps: ids.length } })
  return yield* readFlow(flow.id)
}

export function* retryFlow(
  id: string,
  { from }: FlowRetry,
  by: ChangeContext,
  hot: HotScripts,
  context: ScriptContext,
): Script<FlowWithSteps> {
  yield* holdJobs(yield* readSteps(idOrNone(id)))
  const flow = yield* holdFlow(idOrNone(id))
  if (flow === null) throw flowNotFound(id)
  const steps = yield* readSteps(flow.id)
  const roots = from === null ? stepsToRetry(steps) : [from]
  refuseNoRoots(flow, steps, roots)
  const plan = retryPlan(steps, roots)
  const made = yield* remake({ flowId: flow.id, steps, plan, now: by.now }, hot, context)
  yield* writeAuditLog({
    at: by.now,
    actor: by.actor,
    origin: by.origin,
    action: 'flow.retry',
    subject: flow.id,
    before: null,
    after: { ...(from === null ? {} : { from }), executions: made.length },
  })
  return yield* readFlow(flow.id)
}

function refuseNoRoots({ id, state }: Flow, steps: readonly HeldStep[], roots: readonly string[]): void {
  const [named] = roots
  if (named === undefined)
    throw new EvertickError('invalid_transition', `Flow ${id} has no step that failed or was cancelled.`, {
      next: 'Name a step to run it and all that comes after it again.',
      transition: { state, asked: 'running', actions: state === 'running' ? ['cancel'] : [] },
    })
  const names = steps.map(({ name }) => name)
  if (names.includes(named)) return
  throw new EvertickError('invalid_option', `Flow ${id} has no step "${named}".`, {
    field: 'from',
    next: `Its steps are: ${shortList(names, 20)}.`,
  })
}

/** Before the flow, and so that retention folds nothing of it meanwhile. */
export function* holdJobs(steps: readonly HeldStep[]): Script<void> {
  const ids = [...new Set(steps.map(({ jobId }) => jobId))]
  if (ids.length > 0) yield* hold('SELECT id FROM @jobs WHERE id IN ?* ORDER BY id FOR UPDATE', ids)
}

function* readFlow(id: string): Script<FlowWithSteps> {
  const flow = yield* findFlow(id)
  if (flow === null) throw flowNotFound(id)
  return flow
}
