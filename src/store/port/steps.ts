/** What is remembered of an execution by name: steps, sleeps, waits and the signals that answer them. */
import type { Step, StepKind, StepOutcome } from '../../core/execution/step.ts'
import type { ChangeContext } from './jobs.ts'
import type { Claim, CompleteWithin } from './work.ts'

export interface StepStore {
  /** Oldest first. */
  listSteps(executionId: string): Promise<Step[]>
  /**
   * Decided by (id, fence) of a running execution: a superseded holder writes nothing. Returns the ids of those. No
   * execution appears twice. What was decided before stays as it is.
   */
  recordSteps(records: readonly StepRecord[]): Promise<string[]>
  /** Runs the step's writes and its memo as one transaction. */
  stepWithin<T>(request: StepWithin<T>): Promise<T>
  /** Decided by the row of the wait: the first signal or timeout that is written stands. */
  signalExecution(target: SignalTarget, signal: NewSignal, context: ChangeContext): Promise<Signalled>
}

export interface StepRecord extends Claim {
  readonly name: string
  readonly kind: StepKind
  readonly attempt: number
  readonly tries: number
  readonly begunAt: number
  readonly endsAt: number | null
  /** Null: it is open from now on. */
  readonly decided: {
    readonly at: number
    readonly outcome: StepOutcome
    /** JSON. */
    readonly result: string | null
  } | null
}

export interface StepWithin<T> extends Pick<CompleteWithin<T>, 'maxMs' | 'clock' | 'run'> {
  readonly claim: Claim
  /** The memo to write once `run` has resolved. */
  readonly record: (result: T) => StepRecord
}

/** An execution by its id, or the unfinished one of a job that was enqueued under this unique key. */
export type SignalTarget = string | { readonly job: string; readonly key: string }

export interface NewSignal {
  /** The same id is one signal, however often it is sent. */
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly payload: string | null
}

export interface Signalled {
  readonly executionId: string
  /** False where this signal had been taken before. */
  readonly taken: boolean
}
