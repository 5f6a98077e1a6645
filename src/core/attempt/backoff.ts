/** How long a failed attempt waits for the next. */
import type { RetrySpec } from '../job/options.ts'

/**
 * `base * factor^(attempt-1)`, capped. `nextTickAt` is given for jobs whose runs must not overlap: the wait then takes at
 * most half of what is left until the next tick, so that a waiting retry never costs one.
 * `random` is a number in [0, 1) from the caller.
 */
export function backoffMs(
  retry: RetrySpec,
  attempt: number,
  random: number,
  now: number,
  nextTickAt: number | null,
  apartMs = 0,
): number {
  const grown = Math.min(retry.maxMs, retry.baseMs * retry.factor ** Math.max(0, attempt - 1))
  const jittered = grown * (1 - retry.jitter * random)
  const cap = nextTickAt === null ? Number.POSITIVE_INFINITY : Math.max(0, (nextTickAt - now) / 2)
  return Math.floor(Math.min(jittered + apartMs, cap))
}

/** More than a claim looks ahead. */
const crashedApartMs = 250
const longestSpreadMs = 10_000

/**
 * Executions that crashed together come back one after another. At the same instant they would share a process again, and
 * one that brings its process down would take the same neighbours with it at every try, until their attempts are spent.
 */
export function apartAfterCrashMs(index: number, of: number): number {
  return Math.floor(index * Math.min(crashedApartMs, longestSpreadMs / Math.max(1, of)))
}
