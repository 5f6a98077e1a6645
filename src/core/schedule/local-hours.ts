/** The hours of a zone's clock, as stretches of real time: a day that loses or repeats an hour has 23 or 25 of them. */
import { dayMs, formatDay } from './civil-day.ts'
import type { ZoneOffsets } from './timezone.ts'

export interface LocalHour {
  readonly startAt: number
  /** Exclusive. */
  readonly endAt: number
  /** `2027-03-28`, on the zone's clock. */
  readonly day: string
  /** 0 to 23; a repeated hour comes twice. */
  readonly hour: number
}

const hourMs = 3_600_000

/** Every hour that `[from, to)` touches. A jump of half an hour cuts one in two. */
export function localHours(zone: ZoneOffsets, from: number, to: number): LocalHour[] {
  const hours: LocalHour[] = []
  for (let at = hourBegin(zone, from); at < to; ) {
    const { offsetMs, endAt: segmentEnd } = zone.segmentAt(at)
    const local = at + offsetMs
    const day = Math.floor(local / dayMs)
    const hour = Math.floor((local - day * dayMs) / hourMs)
    const endAt = Math.min(day * dayMs + (hour + 1) * hourMs - offsetMs, segmentEnd)
    hours.push({ startAt: at, endAt, day: formatDay(day), hour })
    at = endAt
  }
  return hours
}

function hourBegin(zone: ZoneOffsets, at: number): number {
  const { offsetMs, startAt } = zone.segmentAt(at)
  return Math.max(at - ((((at + offsetMs) % hourMs) + hourMs) % hourMs), startAt)
}
