/** A stretch of time that runs of several jobs are joined by: a day or an hour of a zone's clock, or a fixed span. */
import { EvertickError } from '../error.ts'
import { dayMs } from '../schedule/civil-day.ts'
import { parseDuration } from '../schedule/duration.ts'
import { localHours } from '../schedule/local-hours.ts'
import { parseTimezone, type ZoneOffsets, zoneOffsets } from '../schedule/timezone.ts'
import type { Per } from './edge.ts'

export interface Period {
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

const shortest = 60_000

/** Or a coded error that names the field. */
export function checkedPer({ length, timezone }: Per): Per {
  if (length === 'day' || length === 'hour')
    return { length, timezone: parseTimezone(timezone, 'per.timezone') }
  const ms = parseDuration(length, 'per.length')
  if (ms >= shortest) return { length, timezone: parseTimezone(timezone, 'per.timezone') }
  throw new EvertickError('invalid_definition', `per is ${length}; a period is at least 1m.`, {
    field: 'per.length',
    next: "Use 'day', 'hour' or a duration such as '90m'.",
  })
}

export function periodOf({ length, timezone }: Per, at: number): Period {
  if (length === 'hour') {
    const [hour] = localHours(zoneOffsets(timezone), at, at + 1)
    return { from: hour?.startAt ?? at, to: hour?.endAt ?? at + 1 }
  }
  if (length === 'day') {
    const zone = zoneOffsets(timezone)
    const from = dayBegin(zone, at)
    // No day is shorter than 12 hours or longer than 36.
    return { from, to: dayBegin(zone, from + 1.5 * dayMs) }
  }
  const ms = parseDuration(length, 'per.length')
  const from = Math.floor(at / ms) * ms
  return { from, to: from + ms }
}

/** The first instant of the day that the zone's clock shows: midnight, or the end of a gap that swallows it. */
function dayBegin(zone: ZoneOffsets, at: number): number {
  let segment = zone.segmentAt(at)
  const midnight = Math.floor((at + segment.offsetMs) / dayMs) * dayMs
  while (midnight - segment.offsetMs < segment.startAt) {
    const before = zone.segmentAt(segment.startAt - 1)
    if (segment.startAt + before.offsetMs <= midnight) return segment.startAt
    segment = before
  }
  return midnight - segment.offsetMs
}
