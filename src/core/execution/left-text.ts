import { formatDuration } from '../schedule/duration.ts'

/** How long until an instant, in whole seconds. */
export function leftText(until: number, now: number): string {
  return formatDuration(Math.max(1_000, Math.ceil((until - now) / 1_000) * 1_000))
}
