/** Jobs that come after other jobs: what an end has led to, and what no end settles. */
import type { Arrival, JoinState, NotMadeReason } from '../../core/dependency/join.ts'
import type { AfterEnd } from '../../core/job/after.ts'
import type { JobState } from '../../core/job/job-state.ts'
import type { Aftermath } from './work.ts'

export interface DependencyStore {
  /**
   * Closes joins that miss a parent, and periods that are over; places runs that found their job held. Decided by the
   * join's row, which an end that meets it holds, too.
   */
  closeJoins(now: number, limit: number): Promise<ClosedJoins>
  /** Both sides of a job. */
  readDependencies(jobId: string): Promise<Dependencies>
  /** What its parents have come to, the latest first. */
  listJoins(jobId: string, limit: number): Promise<JoinRow[]>
  /** All jobs that come after others, or are waited for. */
  readGraph(): Promise<GraphEdge[]>
  /** A slice of those of which nothing is kept any more, from one key on; the key of the next slice, or null. */
  purgeJoins(before: number, after: string | null): Promise<string | null>
}

export interface ClosedJoins extends Aftermath {
  readonly closed: number
  readonly placed: number
}

export interface Relative {
  readonly job: string
  readonly on: AfterEnd
  /** Null where there is no such job. */
  readonly state: JobState | null
}

export interface Dependencies {
  readonly parents: readonly Relative[]
  readonly children: readonly Relative[]
}

export interface GraphEdge {
  readonly parent: string
  readonly child: string
  readonly on: AfterEnd
}

export interface JoinRow {
  readonly state: JoinState
  readonly reason: NotMadeReason | null
  readonly mode: 'all' | 'any'
  /** Of a period: it is from `scheduledFor` until here. */
  readonly periodTo: number | null
  readonly rootId: string | null
  readonly scheduledFor: number
  readonly parents: readonly Arrival[]
  readonly executionId: string | null
  readonly openedAt: number
  readonly closedAt: number | null
}
