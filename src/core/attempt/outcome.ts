/**
 * Step 4 of the flow, a try: how an attempt ended, and what that makes of its execution.
 */
import type { CancelReason, Cause, ExecutionError } from '../execution/execution.ts'
import { isChained } from '../execution/execution.ts'
import { never, type Rest } from '../execution/step.ts'
import type { RetrySpec } from '../job/options.ts'
import type { CrashPolicy, OverlapPolicy } from '../job/policies.ts'
import { backoffMs } from './backoff.ts'
import { keptError } from './kept-error.ts'

/** How a try ended, as its history says it. */
export const attemptOutcomes = [
  'completed',
  'error',
  'failed',
  'crashed',
  'refused',
  'snoozed',
  'rested',
  'cancelled',
] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

/** What a handler may return or throw to say how it ended. */
export type Outcome =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: ExecutionError }
  | { readonly kind: 'retry'; readonly afterMs: number | null; readonly error: ExecutionError }
  | { readonly kind: 'snooze'; readonly afterMs: number }
  /** It gives its slot up for sleeps and waits; null: until a signal comes. */
  | { readonly kind: 'rest'; readonly until: number | null; readonly rest: Rest }
  /** `told`: whoever ended it has reported it already, so the log need not. */
  | { readonly kind: 'fail'; readonly error: ExecutionError; readonly told?: true }
  /** What ran it is gone. Not an error: nobody knows how far it came, so the job's `onCrash` decides. */
  | { readonly kind: 'crash'; readonly error: ExecutionError }
  | { readonly kind: 'cancel'; readonly reason: CancelReason; readonly note: string | null }

/** How a handler ends, by what it returns or throws. A rest is told by a call of `ctx`. */
export type HandlerOutcome = Exclude<Outcome, { readonly kind: 'rest' }>

/** What the store writes for the execution. */
export type Ending =
  | { readonly state: 'completed'; readonly result: unknown }
  | { readonly state: 'failed'; readonly error: ExecutionError; readonly crashed?: true }
  | { readonly state: 'cancelled'; readonly reason: CancelReason; readonly error: ExecutionError | null }
  | {
      readonly state: 'retrying' | 'blocked' | 'pending'
      readonly readyAt: number
      readonly error: ExecutionError | null
      /** A snooze or a rest does not count as a try: its attempt is given back. */
      readonly countsAttempt: boolean
      /** What it rests for: a sleep or wait that is over by then brings it back at once. */
      readonly rest?: Rest
      readonly crashed?: true
    }

export interface Tried {
  readonly attempt: number
  readonly maxAttempts: number
  readonly cause: Cause
  readonly retry: RetrySpec
  readonly overlap: OverlapPolicy
  readonly onCrash: CrashPolicy
  /** The job's next tick, where its runs must not overlap. */
  readonly nextTickAt: number | null
  /** After a crash: extra delay, because others crashed with it. */
  readonly apartMs?: number
}

export function endingOf(outcome: Outcome, tried: Tried, now: number, random: number): Ending {
  switch (outcome.kind) {
    case 'done':
      return { state: 'completed', result: outcome.result }
    case 'fail':
      return { state: 'failed', error: keptError(outcome.error) }
    case 'cancel':
      return { state: 'cancelled', reason: outcome.reason, error: noteError(outcome.note) }
    case 'snooze':
      return { ...waiting(tried, now + outcome.afterMs), error: null, countsAttempt: false }
    case 'rest': {
      const { until, rest } = outcome
      return { ...waiting(tried, until ?? never), error: null, countsAttempt: false, rest }
    }
    case 'crash': {
      const tries = tried.onCrash === 'fail' ? { ...tried, maxAttempts: 0 } : tried
      return { ...afterError(outcome.error, null, tries, now, random), crashed: true }
    }
    case 'retry':
      return afterError(outcome.error, outcome.afterMs, tried, now, random)
    case 'error':
      return afterError(outcome.error, null, tried, now, random)
  }
}

function afterError(
  kept: ExecutionError,
  askedMs: number | null,
  tried: Tried,
  now: number,
  random: number,
): Extract<Ending, { readonly crashed?: true }> {
  const error = keptError(kept)
  if (tried.attempt >= tried.maxAttempts) return { state: 'failed', error }
  const waitMs =
    askedMs ?? backoffMs(tried.retry, tried.attempt, random, now, tried.nextTickAt, tried.apartMs)
  return { ...waiting(tried, now + waitMs), error, countsAttempt: true }
}

/** A retry of the chain waits as `blocked`; otherwise it would delay ticks. */
function waiting(tried: Tried, readyAt: number): { state: 'retrying' | 'blocked'; readyAt: number } {
  const chained = isChained(tried.cause) && tried.overlap !== 'allow'
  return { state: chained ? 'blocked' : 'retrying', readyAt }
}

function noteError(note: string | null): ExecutionError | null {
  return note === null ? null : keptError({ name: 'Cancelled', message: note })
}

/** The error kept for an attempt whose process went away. */
export const crashError: ExecutionError = {
  name: 'LeaseExpired',
  message: 'The worker stopped renewing its lease: it crashed, hung or lost the database.',
  code: 'lease_expired',
}
