/** Flows as the library returns them and as JSON shows them. */
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { FlowState, OnFailure } from '../../core/flow/flow.ts'
import { stepsToRetry } from '../../core/flow/retry-plan.ts'
import type { Flow, FlowWithSteps, StepOfFlow } from '../../store/store.ts'

export interface FlowView {
  readonly id: string
  readonly name: string | null
  readonly state: FlowState
  readonly counts: FlowCounts
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

/** How many steps it has, and how many have ended how. */
export interface FlowCounts {
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
}

export interface FlowDetail extends FlowView {
  /** In the order in which they were written. */
  readonly steps: readonly FlowStepView[]
  /** What is legal now. */
  readonly actions: readonly FlowAction[]
}

export type FlowAction = 'cancel' | 'retry'

export interface FlowStepView {
  readonly name: string
  readonly job: string
  readonly after: readonly string[]
  readonly onFailure: OnFailure
  readonly executionId: string
  readonly state: ExecutionState
  /** How often it was run again. */
  readonly retries: number
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly durationMs: number | null
}

export function flowView(flow: Flow): FlowView {
  const { id, name, state, steps: total, completed, failed, cancelled, createdAt, finishedAt } = flow
  return {
    id,
    name,
    state,
    counts: { total, completed, failed, cancelled },
    createdAt: new Date(createdAt),
    finishedAt: finishedAt === null ? null : new Date(finishedAt),
  }
}

export function flowDetail(flow: FlowWithSteps): FlowDetail {
  const { state, graph } = flow
  return {
    ...flowView(flow),
    steps: graph.map(stepView),
    actions: [
      ...(state === 'running' ? (['cancel'] as const) : []),
      ...(stepsToRetry(graph).length > 0 ? (['retry'] as const) : []),
    ],
  }
}

function stepView({
  name,
  job,
  after,
  onFailure,
  executionId,
  state,
  generation,
  ...at
}: StepOfFlow): FlowStepView {
  const { startedAt, finishedAt } = at
  return {
    name,
    job,
    after,
    onFailure,
    executionId,
    state,
    retries: generation - 1,
    startedAt: startedAt === null ? null : new Date(startedAt),
    finishedAt: finishedAt === null ? null : new Date(finishedAt),
    durationMs: startedAt === null || finishedAt === null ? null : finishedAt - startedAt,
  }
}
