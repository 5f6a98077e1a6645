/** How an execution of a job is done in this process, such as by the typed function of `defineJob`, with its input check. */
import type { Cause } from '../../core/execution/execution.ts'
import type { JobSpec } from '../../core/job/job.ts'
import type { Instant } from '../../core/schedule/schedule.ts'
import type { CallerTransaction, Transaction } from '../../store/store.ts'

export interface EnqueueOptions {
  /** Not before this instant. @default at once */
  readonly runAt?: Instant
  /** Larger goes first. @default the job's */
  readonly priority?: number
  /** @default the job's */
  readonly queue?: string
  /** While an unfinished execution of the job has this key, no second one is made. */
  readonly unique?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The caller's own transaction: the execution exists if and only if it commits. */
  readonly tx?: CallerTransaction
}

export interface EnqueueResult {
  readonly id: string
  /** False where an unfinished execution with the same unique key stands for this one. */
  readonly created: boolean
}

/** A job as a producer names it: its definition, or its name. */
export type JobReference = string | { readonly name: string }

export interface ExecutionLog {
  debug(message: string, details?: object): void
  info(message: string, details?: object): void
  warn(message: string, details?: object): void
  error(message: string, details?: object): void
}

/** What a handler is given. */
export interface JobContext<Input = unknown> {
  readonly input: Input
  /** The nominal instant of the tick, or when the execution was asked for. */
  readonly scheduledFor: Date
  /** Milliseconds between `scheduledFor` and the start of this attempt. */
  readonly lateness: number
  readonly cause: Cause
  /** k of n, for catch-ups and backfills. */
  readonly caughtUp: { readonly index: number; readonly of: number } | null
  readonly attempt: number
  /** The same over all attempts: give it to the other side, so that it can tell a repeat. */
  readonly idempotencyKey: string
  readonly executionId: string
  readonly job: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** Aborted on timeout, cancel, shutdown, or when the lease has passed to another worker. */
  readonly signal: AbortSignal
  readonly log: ExecutionLog
  /** 0 to 1. Written at most once a second. */
  readonly progress: (fraction: number, note?: string) => Promise<void>
  /**
   * Commits what `fn` writes together with the completion of this execution: both happen, or neither. Once per attempt;
   * what `fn` returns is the execution's result.
   */
  readonly transaction: <T>(fn: (tx: Transaction) => Promise<T>) => Promise<T>
  readonly enqueue: (job: JobReference, input?: unknown, options?: EnqueueOptions) => Promise<EnqueueResult>
}

export interface Handler {
  readonly name: string
  /** The input as the handler takes it, or a promise of it; or an error that names the field. */
  readonly parse: (input: unknown) => unknown
  /** The job's own definition is for handlers that stand in it; a function has all in its context. */
  readonly run: (context: JobContext<never>, spec: JobSpec) => unknown
}
