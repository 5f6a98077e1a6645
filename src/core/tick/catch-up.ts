/**
 * What becomes of missed ticks: which of them run, and into which ranges the others go. Ranges are counted by arithmetic,
 * so a month of missed seconds visits no more instants than the runs it makes, and the ends of its ranges.
 */
import type { CatchUpSpec } from '../job/options.ts'
import type { TickSequence } from '../schedule/schedule.ts'
import type { RangeReason, SkipReason } from './account.ts'
import { monthAfter } from './ledger-row.ts'

export interface RangeDraft {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly account: 'coalesced' | 'skipped'
  readonly reason: RangeReason
  /** The tick whose execution stands for a coalesced range. */
  readonly into: number | null
}

export interface Settled {
  /** The ticks that run, oldest first. */
  readonly chosen: readonly number[]
  readonly ranges: readonly RangeDraft[]
}

/** One range for all ticks of `[from, until)`, or none where there are no ticks. */
export function rangeOf(
  sequence: TickSequence,
  from: number,
  until: number,
  account: 'coalesced' | 'skipped',
  reason: RangeReason,
  into: number | null = null,
): RangeDraft[] {
  const count = from < until ? sequence.count(from, until) : 0
  if (count === 0) return []
  const first = sequence.next(from - 1)
  const last = count === 1 ? first : sequence.previous(until)
  if (first === null || last === null) return []
  return [{ from: first, to: last, count, account, reason, into }]
}

/** No row of the ledger is longer than a month, or its start could not pass it. */
export function cutByMonth(sequence: TickSequence, range: RangeDraft): RangeDraft[] {
  const { from, to, account, reason, into } = range
  if (to < monthAfter(from)) return [range]
  const cut: RangeDraft[] = []
  for (let at = from; at <= to; at = monthAfter(at)) {
    cut.push(...rangeOf(sequence, at, Math.min(monthAfter(at), to + 1), account, reason, into))
  }
  return cut
}

export function skipSpan(
  sequence: TickSequence,
  from: number,
  until: number,
  reason: SkipReason,
): RangeDraft[] {
  return rangeOf(sequence, from, until, 'skipped', reason)
}

/** Settles the missed ticks of `[from, newest]` by the catch-up policy. `newest` is itself a tick. */
export function settleMissed(
  sequence: TickSequence,
  from: number,
  newest: number,
  catchUp: CatchUpSpec,
  now: number,
): Settled {
  if (catchUp.policy === 'none') {
    return { chosen: [], ranges: skipSpan(sequence, from, newest + 1, 'catchup_off') }
  }
  const windowFrom = catchUp.windowMs === null ? from : Math.max(from, now - catchUp.windowMs)
  const outside = skipSpan(sequence, from, Math.min(windowFrom, newest + 1), 'outside_window')
  if (newest < windowFrom) return { chosen: [], ranges: outside }

  const limit = catchUp.policy === 'latest' ? 1 : catchUp.maxMissedRuns
  const chosen: number[] = []
  let tick: number | null = newest
  while (tick !== null && tick >= windowFrom && chosen.length < limit) {
    chosen.push(tick)
    if (chosen.length < limit) tick = sequence.previous(tick)
  }
  chosen.reverse()
  const oldest = chosen[0] ?? newest
  const older =
    catchUp.policy === 'latest'
      ? rangeOf(sequence, windowFrom, oldest, 'coalesced', 'latest', newest)
      : skipSpan(sequence, windowFrom, oldest, 'over_limit')
  return { chosen, ranges: [...outside, ...older] }
}
