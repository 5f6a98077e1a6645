/** Days in a time zone: when each begins, and which are an hour shorter or longer. */
import { dayMs } from '../../../src/core/schedule/civil-day.ts'
import { zoneOffsets } from '../../../src/core/schedule/timezone.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

/** The local time of a zone, in milliseconds as if it were UTC. */
export function localMs(at: number, zone: string): number {
  return at + zoneOffsets(zone).segmentAt(at).offsetMs
}

/** The instant at which a zone has this local time; if the clocks skip it, the moment of the skip. */
export function instantOf(local: number, zone: string): number {
  const offsets = zoneOffsets(zone)
  const guess = local - offsets.segmentAt(local).offsetMs
  const at = local - offsets.segmentAt(guess).offsetMs
  return localMs(at, zone) < local ? offsets.segmentAt(at).endAt : at
}

/** Days since 1970-01-01 in the zone. */
export function dayNumber(at: number, zone: string): number {
  return Math.floor(localMs(at, zone) / dayMs)
}

export function startOfDay(day: number, zone: string): number {
  return instantOf(day * dayMs, zone)
}

/** How much longer than 24 hours a day is: an hour more or less if the clocks change. */
export function dayExcessMs(day: number, zone: string): number {
  return startOfDay(day + 1, zone) - startOfDay(day, zone) - dayMs
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** "November 2026". */
export function monthWords(day: number): string {
  return monthFormat.format(day * dayMs)
}

/** "23 h day: clocks go forward"; null on an ordinary day. */
export function clockChangeWords(day: number, zone: string): string | null {
  const excess = dayExcessMs(day, zone)
  if (excess === 0) return null
  const hours = (dayMs + excess) / hourMs
  return `${hours} h day: clocks go ${excess < 0 ? 'forward' : 'back'}`
}
