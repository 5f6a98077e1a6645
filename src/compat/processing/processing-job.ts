/** An execution in the words of the lease-based workers: a row of `processing_jobs`. */
import type { Execution } from '../../core/execution/execution.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { Transaction } from '../../store/store.ts'

export type ProcessingJobStatus = 'pending' | 'processing' | 'retry' | 'done' | 'failed'

export interface ProcessingJob<Payload = unknown> {
  readonly id: string
  /** What `createJob` was given as `job_id`, else the id. */
  readonly job_id: string
  readonly status: ProcessingJobStatus
  /** The worker that holds it, or null. */
  readonly locked_by: string | null
  /** When that worker's lease ends. */
  readonly locked_until: Date | null
  /** How many have begun. */
  readonly attempts: number
  readonly last_error: string | null
  readonly created_at: Date
  /** When it last began, ended or was given back. */
  readonly updated_at: Date
  readonly queue: string
  readonly payload: Payload
  readonly result: unknown
}

/** What `processJob` is given. */
export interface ActiveProcessingJob<Payload = unknown> extends ProcessingJob<Payload> {
  /** Aborted when the worker stops without more patience, the job is cancelled, or its lease has passed to another. */
  readonly signal: AbortSignal
  /**
   * Commits what `fn` writes together with the end of this job: both happen, or neither, so that a crash duplicates
   * nothing. Once per attempt; what `fn` returns is the job's result.
   */
  readonly transaction: <T>(fn: (tx: Transaction) => Promise<T>) => Promise<T>
}

/** Exhaustive by type; the view `processing_jobs` says the same in SQL. */
const statuses: Readonly<Record<ExecutionState, ProcessingJobStatus>> = {
  blocked: 'pending',
  pending: 'pending',
  running: 'processing',
  retrying: 'retry',
  sleeping: 'retry',
  waiting: 'retry',
  completed: 'done',
  failed: 'failed',
  cancelled: 'failed',
}

export const processingJobStatuses = [...new Set(Object.values(statuses))]

/** The engine's states that a status stands for. */
export function statesOf(status: ProcessingJobStatus): ExecutionState[] {
  return (Object.keys(statuses) as ExecutionState[]).filter((state) => statuses[state] === status)
}

/** `givenBackAt` is when its last failed attempt ended: the execution's own row does not say. */
export function processingJobOf(execution: Execution, givenBackAt: number | null): ProcessingJob {
  const { id, state, leasedUntil, createdAt } = execution
  const { job_id: jobId } = execution.metadata
  const began = state === 'running' ? execution.startedAt : null
  return {
    id,
    job_id: typeof jobId === 'string' ? jobId : id,
    status: statuses[state],
    locked_by: state === 'running' ? execution.leasedBy : null,
    locked_until: leasedUntil === null ? null : new Date(leasedUntil),
    attempts: execution.attempt,
    last_error: lastErrorOf(execution),
    created_at: new Date(createdAt),
    updated_at: new Date(execution.finishedAt ?? began ?? givenBackAt ?? createdAt),
    queue: execution.queue,
    payload: execution.input,
    result: execution.result,
  }
}

/** A job as it begins. */
export function newProcessingJob(
  id: string,
  jobId: string | null,
  queue: string,
  payload: unknown,
  now: number,
): ProcessingJob {
  return {
    id,
    job_id: jobId ?? id,
    status: 'pending',
    locked_by: null,
    locked_until: null,
    attempts: 0,
    last_error: null,
    created_at: new Date(now),
    updated_at: new Date(now),
    queue,
    payload,
    result: null,
  }
}

function lastErrorOf({ error, cancelReason }: Execution): string | null {
  return error?.message ?? (cancelReason === null ? null : `cancelled: ${cancelReason}`)
}
