/** The retry of an execution that is a step of a flow is that of the step: what comes after it is made again, too. */
import { EvertickError } from '../../../core/error.ts'
import type { Execution } from '../../../core/execution/execution.ts'
import { retryPlan } from '../../../core/flow/retry-plan.ts'
import type { Retry } from '../../store.ts'
import type { HotScripts } from '../hot-scripts.ts'
import type { Script, ScriptContext } from '../runtime/script.ts'
import { holdJobs } from './change-flow.ts'
import { holdFlow, readSteps } from './flow-rows.ts'
import { remake } from './remake-steps.ts'

/** Before its own job: the jobs of all its steps, then the flow. */
export function* holdFlowOf({ flowId }: Execution): Script<void> {
  if (flowId === null) return
  yield* holdJobs(yield* readSteps(flowId))
  yield* holdFlow(flowId)
}

/** False where it is no step, or its flow is no longer kept. The flow is held. */
export function* retryStep(
  { id, flowId, flowStep }: Execution,
  { id: newId, fromStep }: Retry,
  now: number,
  hot: HotScripts,
  context: ScriptContext,
): Script<boolean> {
  const steps = flowId === null ? [] : yield* readSteps(flowId)
  if (flowId === null || flowStep === null || steps.length === 0) return false
  const step = steps.find(({ name }) => name === flowStep)
  if (step === undefined || step.executionId !== id) throw followed(id, flowStep, step?.executionId)
  const plan = retryPlan(steps, [flowStep])
  yield* remake({ flowId, steps, plan, now, ids: [newId], fromStep }, hot, context)
  return true
}

function followed(id: string, step: string, by = 'another one'): EvertickError {
  return new EvertickError(
    'invalid_transition',
    `Step "${step}" was run again after execution ${id}, as ${by}.`,
    {
      next: 'Retry that one.',
    },
  )
}
