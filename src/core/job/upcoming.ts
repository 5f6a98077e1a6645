/** What lies before a job: when its ticks start, and the closed times between. */
import { deferredTicks } from '../schedule/hours/deferred-ticks.ts'
import { openTicks } from '../schedule/hours/open-ticks.ts'
import type { TickSequence } from '../schedule/schedule.ts'
import type { JobSpec } from './job.ts'
import type { ClosedPolicy } from './policies.ts'
import { windowOf } from './window.ts'

export interface ClosedSpan {
  readonly from: number
  /** When it opens; null: nobody knows when. */
  readonly until: number | null
  /** How many ticks lie in it; with no end, those of a year. */
  readonly ticks: number
  readonly onClosed: ClosedPolicy
}

export interface Upcoming {
  readonly starts: readonly number[]
  readonly closed: readonly ClosedSpan[]
}

type Hours = Pick<JobSpec, 'window' | 'calendar' | 'schedule'>

/** Seen from here on, a tick that never starts is not looked for any longer. */
const sightMs = 5 * 366 * 86_400_000
const yearMs = 366 * 86_400_000
const mostClosed = 1_000

/** The ticks of `[from, until)` as they start. */
export function startingTicks(
  spec: Hours,
  sequence: TickSequence,
  from: number,
  until: number,
): TickSequence {
  const window = windowOf(spec)
  if (window === null) return sequence
  const ticks = window.onClosed === 'skip' ? openTicks : deferredTicks
  return ticks(sequence, window.hours, from, until)
}

/** After an instant, at most `count` starts. */
export function upcomingOf(spec: Hours, sequence: TickSequence, after: number, count: number): Upcoming {
  const ticks = startingTicks(spec, sequence, after + 1, after + sightMs)
  const starts: number[] = []
  for (let at = ticks.next(after); at !== null && starts.length < count; at = ticks.next(at)) starts.push(at)
  return {
    starts,
    closed: closedSpans(spec, sequence, after, starts.length < count ? null : (starts.at(-1) ?? null)),
  }
}

/** Those with ticks in them; up to the last start that is shown, or the first stretch without an end. */
function closedSpans(spec: Hours, sequence: TickSequence, after: number, last: number | null): ClosedSpan[] {
  const window = windowOf(spec)
  if (window === null) return []
  const { hours, onClosed } = window
  const spans: ClosedSpan[] = []
  const end = last ?? Number.POSITIVE_INFINITY
  const most = last === null ? 10 : mostClosed
  let tick = sequence.next(after)
  while (tick !== null && tick < end && spans.length < most) {
    const closing = hours.nextClosing(tick)
    const first = closing === null ? null : sequence.next(closing - 1)
    if (first === null || first >= end) break
    if (hours.isOpen(first)) {
      tick = first
      continue
    }
    const until = hours.nextOpening(first)
    const from = hours.startOf(first, after + 1)
    spans.push({ from, until, ticks: sequence.count(first, until ?? first + yearMs), onClosed })
    if (until === null) break
    tick = sequence.next(until - 1)
  }
  return spans
}
