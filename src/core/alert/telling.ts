/** When a rule's news may be told: together, and not in its quiet hours. */
import { zoneOffsets } from '../schedule/timezone.ts'
import type { AlertRule, QuietHours } from './alert-rule.ts'

/** What opens within this time is one message: ten thousand jobs that fail at once are one piece of news. */
export const gatherMs = 10_000

/** A message lists so many, and counts the rest. */
export const listedAlerts = 20

/** `oldestAt`: since when the first of it is untold. */
export function mayTell(rule: Pick<AlertRule, 'quiet'> | null, oldestAt: number, now: number): boolean {
  return now - oldestAt >= gatherMs && !isQuiet(rule?.quiet ?? null, now)
}

const dayMinutes = 1_440

export function isQuiet(quiet: QuietHours | null, now: number): boolean {
  if (quiet === null) return false
  const { offsetMs } = zoneOffsets(quiet.timezone).segmentAt(now)
  const minute = Math.floor((now + offsetMs) / 60_000) % dayMinutes
  const { from, to } = quiet
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}
