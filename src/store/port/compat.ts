/** What only the APIs of `compat/` need. */

import type { Execution, ExecutionError } from '../../core/execution/execution.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { FinishedRun } from '../../core/history/statistics.ts'
import type { Job } from '../../core/job/job.ts'
import type { Claim } from './work.ts'

export interface CompatStore {
  /** Makes an execution that runs already, under the caller's own lease. Ended by `finishAttempts`, like any other. */
  beginExecution(begin: BeginExecution): Promise<Claim>
  /** New metadata for what is held. False where the claim is no longer the caller's. */
  describeExecution(claim: Claim, metadata: Readonly<Record<string, unknown>>): Promise<boolean>
  /** Removes what is older than this of one job, by the rules of retention; returns how many executions were removed. */
  purgeJob(reference: string, ageMs: number, now: number): Promise<number>
  /** What has begun, newest first: by when it began, not by when it was made. */
  listRuns(query: RunQuery): Promise<RunRow[]>
  /** Of each job its newest, at most `limit`. */
  finishedRuns(query: RunQuery): Promise<FinishedRun[]>
  /** The log as a table, for `SchedulerLeaderLogModel`: it does not change who leads. */
  insertLeaderLog(values: LeaderLogValues, now: number): Promise<LeaderLogRow>
  /** How many rows it changed. */
  updateLeaderLog(where: LeaderLogValues, values: LeaderLogValues, now: number): Promise<number>
  findLeaderLog(query: LeaderLogQuery): Promise<LeaderLogRow[]>
  /** Decided by the mark's row: its fence only grows, and what is enqueued stays so. */
  claimMark(request: MarkRequest): Promise<MarkClaim>
  /** False where a later leader has claimed it meanwhile. */
  finishMark(request: MarkRequest): Promise<boolean>
  /** Removes up to `limit` marks that have expired, and says how many. */
  purgeMarks(now: number, limit: number): Promise<number>
  /**
   * Executions that another system had, finished or not. Each names a mark: decided by its key, in the same transaction, so
   * that one is adopted once, whatever becomes of it here. Returns the marks of those that were new.
   */
  adoptExecutions(request: AdoptRequest): Promise<readonly string[]>
  /** Which of these marks are there. */
  knownMarks(marks: readonly string[]): Promise<readonly string[]>
  /** Terms that another system kept: decided by their ids, which are below those of our own. Returns how many were new. */
  adoptTerms(terms: readonly AdoptedTerm[]): Promise<number>
  /** Which of these ids are there. */
  knownTerms(ids: readonly number[]): Promise<readonly number[]>
  /** Frees the locks of this prefix whose time was over at `now`, and no other: decided by `expires_at`. */
  clearExpiredLocks(prefix: string, now: number): Promise<number>
}

/** A run that its caller performs itself, under its own lease. */
export interface BeginExecution {
  readonly id: string
  /** The job's id or name. */
  readonly job: string
  readonly holder: string
  readonly leaseMs: number
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly now: number
}

/** Runs of the jobs that carry all these tags, deleted ones too. */
export interface RunQuery {
  readonly tags: readonly string[]
  /** Of one job only, by id or name. */
  readonly job?: string
  readonly states?: readonly ExecutionState[]
  /** Begun at or after, and before. */
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

export interface RunRow {
  readonly job: Job
  readonly execution: Execution
}

export interface AdoptRequest {
  /** Of which job, by its name. */
  readonly job: string
  readonly executions: readonly AdoptedExecution[]
  readonly now: number
}

export interface AdoptedExecution {
  readonly id: string
  readonly mark: string
  readonly state: Extract<ExecutionState, 'pending' | 'retrying' | 'completed' | 'failed' | 'cancelled'>
  readonly attempt: number
  readonly input: unknown
  readonly result: unknown
  readonly error: ExecutionError | null
  readonly metadata: Readonly<Record<string, unknown>>
  /** Left out where an unfinished execution has it already. */
  readonly uniqueKey: string | null
  /** Who held it last. */
  readonly leasedBy: string | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

export interface AdoptedTerm extends Omit<LeaderLogRow, 'created_at' | 'updated_at'> {
  readonly created_at: number
  readonly updated_at: number
}

/** A row of `scheduler_leader_log` under its columns' own names; instants in milliseconds. */
export interface LeaderLogRow {
  readonly id: number
  readonly leader_instance: string
  readonly start_time: number
  readonly stop_time: number | null
  readonly last_heartbeat: number | null
  readonly handled_missed_tasks: boolean
  readonly created_at: number | null
  readonly updated_at: number | null
}

export type LeaderLogColumn = keyof LeaderLogRow

export type LeaderLogValues = Partial<LeaderLogRow>

export interface LeaderLogQuery {
  /** All must hold; null is matched by null. */
  readonly where: LeaderLogValues
  readonly orderBy: readonly { readonly column: LeaderLogColumn; readonly order: 'asc' | 'desc' }[]
  readonly limit?: number
}

/** A leader is about to put a task into a queue that is not ours. */
export interface MarkRequest {
  /** `taskId:scheduleTime`. */
  readonly mark: string
  readonly fence: number
  readonly now: number
  readonly expiresAt: number
}

/**
 * `claimed`: it was free. `repeated`: somebody claimed it but never said that it is enqueued, so it may be.
 * `enqueued`: it is. `stale`: a later leader has claimed it.
 */
export type MarkClaim = 'claimed' | 'repeated' | 'enqueued' | 'stale'
