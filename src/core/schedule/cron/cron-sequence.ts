import { EvertickError } from '../../error.ts'
import type { TickSequence } from '../schedule.ts'
import { type ZoneOffsets, zoneOffsets } from '../timezone.ts'
import type { OffsetSegment } from '../zone-segments.ts'
import { type CronCalendar, cronCalendar } from './cron-calendar.ts'
import { parseCron } from './cron-expression.ts'

/** The ticks of a cron text in a zone. `hashKey`, the job's name, decides the values of `H`. */
export function cronSequence(cron: string, timezone: string, hashKey?: string): TickSequence {
  const expression = parseCron(cron, hashKey)
  if (expression.hashed && hashKey === undefined) {
    throw new EvertickError(
      'invalid_cron',
      `"H" takes its value from the job's name, and no name was given`,
      {
        field: 'cron',
        next: 'Pass the name of the job.',
      },
    )
  }
  const calendar = cronCalendar(expression)
  const zone = zoneOffsets(timezone)
  return expression.realInstants ? realInstants(calendar, zone) : fixedTimes(calendar, zone)
}

/**
 * Fixed times, after Debian cron: each named local time comes once, at the first instant at which the zone's clock
 * shows it or, where a gap swallows it, something later. That instant never decreases with the local time, so the
 * whole rule is one function (`instantOf`) and its inverse (`reached`): gaps merge, folds count once, by themselves.
 */
export function fixedTimes(calendar: CronCalendar, zone: ZoneOffsets): TickSequence {
  /** The latest local time that the clock has shown up to and including `instant`. */
  function reached(instant: number, segment: OffsetSegment): number {
    return Math.max(instant + segment.offsetMs, segment.peak - 1)
  }

  /** The first instant at which the clock shows `local` or later. `near` is a guess at its segment. */
  function instantOf(local: number, near: OffsetSegment): number {
    const { offsetMs, startAt, endAt } = near
    if (local >= near.peak && local >= startAt + offsetMs && local < endAt + offsetMs) return local - offsetMs
    let segment = zone.segmentAt(local - offsetReach)
    while (local >= segment.endAt + segment.offsetMs) segment = zone.segmentAt(segment.endAt)
    return Math.max(segment.startAt, local - segment.offsetMs)
  }

  return {
    next(instant) {
      const at = wholeInstant(instant)
      const segment = zone.segmentAt(at)
      const local = calendar.atOrAfter(reached(at, segment) + 1)
      return local === null ? null : instantOf(local, segment)
    },
    previous(instant) {
      const at = wholeInstant(instant, Math.ceil) - 1
      const segment = zone.segmentAt(at)
      const local = calendar.before(reached(at, segment) + 1)
      return local === null ? null : instantOf(local, segment)
    },
    count(from, to) {
      const start = wholeInstant(from, Math.ceil) - 1
      const end = wholeInstant(to, Math.ceil) - 1
      if (start >= end) return 0
      const startSegment = zone.segmentAt(start)
      const first = reached(start, startSegment) + 1
      let total = calendar.count(first, reached(end, zone.segmentAt(end)) + 1)
      // All times that a gap swallows, and the one at its end, are one tick.
      for (let at = startSegment.endAt; at <= end; ) {
        const segment = zone.segmentAt(at)
        const shown = at + segment.offsetMs
        if (shown > segment.peak) total -= Math.max(0, calendar.count(segment.peak, shown + 1) - 1)
        at = segment.endAt
      }
      return total
    },
  }
}

/** Real instants: a tick wherever the zone's clock shows a matching time; none in a gap, both in a fold. */
export function realInstants(calendar: CronCalendar, zone: ZoneOffsets): TickSequence {
  return {
    next(instant) {
      for (let at = wholeInstant(instant) + 1; at < lastInstant; ) {
        const { endAt, offsetMs } = zone.segmentAt(at)
        const local = calendar.atOrAfter(at + offsetMs)
        if (local === null) return null
        if (local < endAt + offsetMs) return local - offsetMs
        at = endAt
      }
      return null
    },
    previous(instant) {
      for (let end = wholeInstant(instant, Math.ceil); end > -lastInstant; ) {
        const { startAt, offsetMs } = zone.segmentAt(end - 1)
        const local = calendar.before(end + offsetMs)
        if (local === null) return null
        if (local >= startAt + offsetMs) return local - offsetMs
        end = startAt
      }
      return null
    },
    count(from, to) {
      const end = wholeInstant(to, Math.ceil)
      let total = 0
      for (let at = wholeInstant(from, Math.ceil); at < end; ) {
        const { endAt, offsetMs } = zone.segmentAt(at)
        total += calendar.count(at + offsetMs, Math.min(end, endAt) + offsetMs)
        at = endAt
      }
      return total
    },
  }
}

/** The largest instant of a `Date`; ticks end long before, with the year 9999. */
const lastInstant = 8_640_000_000_000_000
/** More than any zone's clock is ahead of UTC, with a day's jump on top. */
const offsetReach = 48 * 3_600_000

/** Ticks stand on whole seconds; a fraction of a millisecond or an infinity must not upset the arithmetic. */
function wholeInstant(instant: number, round = Math.floor): number {
  if (Number.isNaN(instant)) throw new RangeError('instant is NaN')
  return Math.max(-lastInstant, Math.min(lastInstant, round(instant)))
}
