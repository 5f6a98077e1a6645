/**
 * Step 3 of the flow, the work: an execution is made by a tick, a trigger, a backfill or an enqueue.
 */
import { keysOf, ownValue } from '../table-keys.ts'
import type { ExecutionState } from './execution-state.ts'

/** What created an execution, as a column shows it. */
export const causeWords = {
  schedule: 'Schedule',
  catch_up: 'Catch-up',
  backfill: 'Backfill',
  manual: 'Manual',
  enqueue: 'Enqueued',
} as const
export type Cause = keyof typeof causeWords
export const causes = keysOf(causeWords)

/** Why an execution was cancelled, after "Cancelled: ". */
export const cancelReasons = {
  operator: 'by an operator',
  superseded: 'newer missed runs took its place',
  start_deadline: 'it did not start before its deadline',
  job_cancelled: 'the job was cancelled',
  handler: 'by its handler',
  replaced: 'the next run took its place',
} as const
export type CancelReason = keyof typeof cancelReasons

/** A handler may give a reason of its own. */
export function cancelWords(reason: string): string {
  return ownValue(cancelReasons, reason) ?? reason
}

export interface ExecutionError {
  readonly name: string
  readonly message: string
  readonly stack?: string
  readonly code?: string
}

export interface Execution {
  readonly id: string
  readonly jobId: string
  readonly jobName: string
  readonly cause: Cause
  /** Set only where this execution IS the account of that tick. */
  readonly tickAt: number | null
  readonly account: 'fired' | 'caught_up' | null
  /** What the handler is told: the nominal instant, or when it was asked for. */
  readonly scheduledFor: number
  readonly state: ExecutionState
  readonly readyAt: number
  readonly startBy: number | null
  readonly queue: string
  readonly priority: number
  readonly attempt: number
  readonly maxAttempts: number
  readonly caughtUpIndex: number | null
  readonly caughtUpOf: number | null
  readonly input: unknown
  readonly result: unknown
  readonly error: ExecutionError | null
  readonly cancelReason: string | null
  readonly cancelRequestedAt: number | null
  readonly progress: number | null
  readonly progressNote: string | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly uniqueKey: string | null
  readonly retryOf: string | null
  readonly idempotencyKey: string
  readonly fence: number
  readonly leasedBy: string | null
  readonly leasedUntil: number | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

/** `jobId:nominal instant` for what a tick made, so that every attempt and every retry of it shares one key. */
export function idempotencyKey(cause: Cause, jobId: string, scheduledFor: number, id: string): string {
  return cause === 'schedule' || cause === 'catch_up'
    ? `${jobId}:${new Date(scheduledFor).toISOString()}`
    : id
}

/** Catch-up and backfill run one at a time behind the ticks; unless overlap is `allow`, they wait as a chain. */
export function isChained(cause: Cause): boolean {
  return cause === 'catch_up' || cause === 'backfill'
}
