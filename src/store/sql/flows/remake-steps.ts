/** Makes steps of a flow again: a new execution follows each, in the same place. */

import type { Remade } from '../../../core/flow/retry-plan.ts'
import type { HotScripts } from '../hot-scripts.ts'
import { executionFrom, text } from '../runtime/rows.ts'
import { change, insertAll, rows, type Script, type ScriptContext } from '../runtime/script.ts'
import { copySteps } from '../steps/step-rows.ts'
import { enqueueExecutions } from '../work/enqueue-executions.ts'
import { retryDraft } from '../work/retry-draft.ts'
import type { HeldStep } from './flow-rows.ts'

const executionsText = `
  SELECT e.*, j.name AS job_name FROM @job_executions e JOIN @jobs j ON j.id = e.job_id WHERE e.id IN ?*`

const retryColumns = { flow_id: 'uuid', name: 'text', generation: 'number', execution_id: 'uuid' } as const

/** The compare-and-set of (flow, step, generation): one execution follows another once. */
const followText = `
  UPDATE @flow_steps SET execution_id = ?, generation = generation + 1
  WHERE flow_id = ? AND name = ? AND execution_id = ?`

const reopenText = `
  UPDATE @flows SET state = 'running', finished_at = NULL, completed = completed - ?, failed = failed - ?,
    cancelled = cancelled - ?
  WHERE id = ?`

export interface Remake {
  readonly flowId: string
  readonly steps: readonly HeldStep[]
  readonly plan: readonly Remade[]
  readonly now: number
  /** Ids that the first steps of the plan are to have. */
  readonly ids?: readonly string[]
  /** Of the first one: what its own steps before this one have done is kept. */
  readonly fromStep?: string | null
}

/** The flow is held. Returns the new executions, in the order of the plan. */
export function* remake(
  { flowId, steps, plan, now, ids = [], fromStep = null }: Remake,
  hot: HotScripts,
  context: ScriptContext,
): Script<string[]> {
  const standing = new Map(steps.map((step) => [step.name, step]))
  const again = plan.flatMap(({ name, openParents }, index) => {
    const step = standing.get(name)
    return step === undefined ? [] : [{ step, openParents, newId: ids[index] ?? context.newId(now) }]
  })
  const oldIds = again.map(({ step }) => step.executionId)
  const old = new Map((yield* rows(executionsText, oldIds)).map((one) => [text(one.id), executionFrom(one)]))
  const drafts = again.flatMap(({ step, openParents, newId }) => {
    const before = old.get(step.executionId)
    const follows = step.after.length > 0
    const ties = { flowId, flowStep: step.name, openParents, follows }
    return before === undefined ? [] : [retryDraft(before, newId, now, ties)]
  })
  yield* enqueueExecutions(drafts, hot)
  for (const { step, newId } of again) {
    const followed: number = yield change(followText, newId, flowId, step.name, step.executionId)
    if (followed !== 1) throw new Error(`Step ${step.name} of flow ${flowId} changed while it was held.`)
  }
  yield* insertAll(
    'flow_retries',
    retryColumns,
    again.map(({ step }) => ({
      flow_id: flowId,
      name: step.name,
      generation: step.generation,
      execution_id: step.executionId,
    })),
  )
  const ended = (state: string) => again.filter(({ step }) => step.state === state).length
  yield change(reopenText, ended('completed'), ended('failed'), ended('cancelled'), flowId)
  for (const [index, { step, newId }] of again.entries()) {
    const before = old.get(step.executionId)
    const named = index === 0 ? fromStep : null
    if (before !== undefined && (before.startedAt !== null || named !== null))
      yield* copySteps(before, newId, named)
  }
  return again.map(({ newId }) => newId)
}
