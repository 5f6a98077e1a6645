/**
 * What opening hours make of ranges: a settled span is cut at every opening and closing, since a range covers consecutive
 * ticks of one kind.
 */
import type { OpeningHours } from '../schedule/hours/opening-hours.ts'
import type { TickSequence } from '../schedule/schedule.ts'
import { type RangeDraft, rangeOf, skipSpan } from './catch-up.ts'

/** The closed ticks of `[from, until)`, stretch by stretch. */
export function closedRanges(
  sequence: TickSequence,
  hours: OpeningHours,
  from: number,
  until: number,
): RangeDraft[] {
  return [...hours.stretches(from, until)].flatMap(({ open, startAt, endAt }) =>
    open ? [] : skipSpan(sequence, startAt, endAt, 'closed'),
  )
}

/** A range of open ticks, without the closed ones between. */
export function cutByHours(sequence: TickSequence, hours: OpeningHours, range: RangeDraft): RangeDraft[] {
  const { from, to, account, reason, into } = range
  return [...hours.stretches(from, to + 1)].flatMap(({ open, startAt, endAt }) =>
    open ? rangeOf(sequence, startAt, endAt, account, reason, into) : [],
  )
}

/** Where ticks begin that are due at an instant or later, if a closed one is due when it opens; from `floor` on. */
export function deferredFrom(hours: OpeningHours, instant: number, floor: number): number {
  return hours.isOpen(instant - 1) ? instant : hours.startOf(instant - 1, floor)
}
