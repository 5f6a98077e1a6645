/** Arguments of the lease methods, checked at the edge. */

import type { Ending } from '../../core/attempt/outcome.ts'
import { EvertickError } from '../../core/error.ts'
import type { Execution } from '../../core/execution/execution.ts'
import { errorFrom } from '../../engine/worker/outcome-signal.ts'

/** How a lease may be given back. */
export type ReleaseStatus = 'done' | 'failed' | 'retry'
const releaseStatuses: readonly ReleaseStatus[] = ['done', 'failed', 'retry']

/** A year: longer is a slip of units. */
const longestSeconds = 366 * 86_400

export function parseSeconds(seconds: number, field: string): number {
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= longestSeconds) return Math.ceil(seconds * 1_000)
  throw new EvertickError('invalid_option', `${field} is ${seconds}; it must be a number of seconds.`, {
    field,
    next: 'Give more than 0 and at most a year.',
  })
}

export function wholeNumber(value: number, field: string, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value
  throw new EvertickError('invalid_option', `${field} is ${value}.`, {
    field,
    next: `Give a whole number from ${least} to ${most}.`,
  })
}

export function refuseBadRelease(status: ReleaseStatus, error: unknown): void {
  if (!releaseStatuses.includes(status)) {
    throw new EvertickError('invalid_option', `A lease cannot be released with the status "${status}".`, {
      field: 'status',
      next: `Use ${releaseStatuses.join(', ')}.`,
    })
  }
  if (status !== 'done' || error === null || error === undefined) return
  throw new EvertickError('invalid_option', 'A job that is done has no error.', {
    field: 'error',
    next: 'Leave the error out, or release it with failed or retry.',
  })
}

/** What is to be retried has failed once its attempts are used up. */
export function releaseEnding(
  status: ReleaseStatus,
  error: unknown,
  { attempt, maxAttempts }: Pick<Execution, 'attempt' | 'maxAttempts'>,
  now: number,
): Ending {
  if (status === 'done') return { state: 'completed', result: null }
  const kept =
    error === null || error === undefined
      ? { name: 'Error', message: 'released without an error' }
      : errorFrom(error)
  if (status === 'failed' || attempt >= maxAttempts) return { state: 'failed', error: kept }
  return { state: 'retrying', readyAt: now, error: kept, countsAttempt: true }
}
