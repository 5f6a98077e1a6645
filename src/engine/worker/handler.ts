/** How an execution of a job is done in this process, such as by the typed function of `defineJob`, with its input check. */

import type { ReadUsage } from '../../core/attempt/usage.ts'
import type { Cause } from '../../core/execution/execution.ts'
import type { Definition } from '../../core/job/definition.ts'
import type { JobSpec } from '../../core/job/job.ts'
import type { RetryOptions } from '../../core/job/options.ts'
import type { Duration, Instant } from '../../core/schedule/schedule.ts'
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

export interface SecretAccess {
  /**
   * The value of a secret, read now. It is taken out of the result, errors, log lines and progress of this attempt, and a
   * step may not return it.
   */
  get(name: string): Promise<string>
}

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
  readonly secrets: SecretAccess
  /**
   * Runs `fn` once per execution: its result is stored before the next line runs, and on any later attempt, on any node, the
   * stored result is returned. With `transaction`, what `fn` writes commits together with that.
   */
  readonly step: StepCall
  /**
   * Gives up the slot and comes back to this line, also after restarts and deploys. The code before it runs again then:
   * keep effects in steps.
   */
  readonly sleep: (name: string, until: Duration | Date) => Promise<void>
  /** The same until `evertick.signal` answers, or the time is over. */
  readonly waitFor: (name: string, options?: { readonly timeout?: Duration }) => Promise<Answer>
  /** The job's revision under which this execution began, and the one that this attempt runs under. */
  readonly definition: () => Promise<Definition>
}

export interface StepCall {
  <T>(
    name: string,
    fn: (tx: Transaction) => T | Promise<T>,
    options: StepOptions & { readonly transaction: true },
  ): Promise<T>
  <T>(name: string, fn: StepWork<T>, options?: StepOptions & { readonly transaction?: false }): Promise<T>
}

export type StepWork<T> = (step: {
  /** Also aborted when the step takes longer than its timeout. */
  readonly signal: AbortSignal
  /** Which try of the step this is, from 1. */
  readonly attempt: number
}) => T | Promise<T>

export interface StepOptions {
  /** Hands `fn` a transaction, and commits its writes and the memo together: exactly once. */
  readonly transaction?: boolean
  /** Tries of the step itself, in this run. @default one */
  readonly retry?: RetryOptions
  /** Of each try. */
  readonly timeout?: Duration
}

export type Answer =
  | { readonly outcome: 'signal'; readonly payload: unknown; readonly by: string }
  | { readonly outcome: 'timeout' }

/** The attempt, for a handler of our own. */
export interface RunningAttempt {
  /** These values are taken out of all that is kept of it: its result, errors, log lines and progress. */
  hide(secrets: readonly string[]): void
  /** Does so before the handler itself cuts a text. */
  redact(text: string, isCut?: boolean): string
  /** Who can see what it uses; asked when its end is written. */
  measuredBy(usage: ReadUsage): void
}

export interface Handler {
  readonly name: string
  /** The input as the handler takes it, or a promise of it; or an error that names the field. */
  readonly parse: (input: unknown) => unknown
  /** The job's own definition is for handlers that stand in it; a function has all in its context. */
  readonly run: (context: JobContext<never>, spec: JobSpec, attempt: RunningAttempt) => unknown
}
