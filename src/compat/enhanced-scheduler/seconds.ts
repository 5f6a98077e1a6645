/** Intervals as the enhanced scheduler writes them: a number is in seconds. */
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'

/** Seconds as a number, or a duration as text: `60`, `'60s'` and `'1m'` are the same. */
export type Seconds = number | Exclude<Duration, number>

export function secondsToMs(value: Seconds, field: string): number {
  const ms = typeof value === 'number' ? value * 1_000 : parseDuration(value, field)
  if (Number.isFinite(ms) && ms >= 1) return Math.round(ms)
  throw new EvertickError('invalid_option', `${field} is ${String(value)}; it must be greater than 0.`, {
    field,
    next: `Write ${field}: 60 for a minute, or '60s'.`,
  })
}
