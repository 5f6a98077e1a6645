/** Executions that wait for one another: flows, made and changed as a whole. */
import type { ExecutionError } from '../../core/execution/execution.ts'
import type { ExecutionState, FinalState } from '../../core/execution/execution-state.ts'
import type { FlowState, FlowStep } from '../../core/flow/flow.ts'
import type { ChangeContext } from './jobs.ts'
import type { CallerTransaction, NewExecution } from './work.ts'

export interface FlowStore {
  /** All of it, or nothing where one of its jobs takes no work. */
  createFlow(flow: NewFlow, within?: CallerTransaction): Promise<void>
  /** Newest first. */
  listFlows(query: FlowQuery): Promise<Flow[]>
  findFlow(id: string): Promise<FlowWithSteps | null>
  /** The steps that the execution comes after, by name: all of them have ended. */
  readParents(executionId: string): Promise<FlowParent[]>
  /** Decided by the flow's row, which whoever ends a step of it holds, too. */
  cancelFlow(id: string, context: ChangeContext): Promise<FlowWithSteps>
  /**
   * Makes these steps, and what comes after them, again; all that did not complete where none is named. Decided by the
   * flow's row: of two at once the second finds them unfinished.
   */
  retryFlow(id: string, retry: FlowRetry, context: ChangeContext): Promise<FlowWithSteps>
}

export interface NewFlow {
  readonly id: string
  readonly name: string | null
  readonly createdAt: number
  readonly steps: readonly NewFlowStep[]
}

export interface NewFlowStep extends FlowStep {
  readonly execution: NewExecution
}

export interface FlowQuery {
  readonly state?: FlowState
  readonly name?: string
  readonly limit: number
  readonly afterId?: string
}

export interface Flow {
  readonly id: string
  readonly name: string | null
  readonly state: FlowState
  readonly steps: number
  /** Of them, how many have ended so; the others are unfinished. */
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly createdAt: number
  readonly finishedAt: number | null
}

export interface FlowWithSteps extends Flow {
  /** In the order in which they were written. */
  readonly graph: readonly StepOfFlow[]
}

/** A step with its newest execution. */
export interface StepOfFlow extends FlowStep {
  readonly executionId: string
  readonly job: string
  readonly state: ExecutionState
  /** From 1; it grows with each retry. */
  readonly generation: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

export interface FlowRetry {
  /** The step to begin with; null for all that did not complete. */
  readonly from: string | null
}

export interface FlowParent {
  readonly name: string
  readonly executionId: string
  readonly state: FinalState
  readonly result: unknown
  readonly error: ExecutionError | null
}
