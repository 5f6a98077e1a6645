/** The rules of one zone's clock: when a day is open, and from and until when an instant's state holds. */
import { dayMs, firstDayOf, monthIndexOf, weekdayOf } from '../civil-day.ts'
import { type ZoneOffsets, zoneOffsets } from '../timezone.ts'
import type { DaySpan, HoursRule } from './hours-rule.ts'

export interface HoursLayer {
  readonly timezone: string
  /** None: open, unless a rule closes it. */
  readonly open: readonly HoursRule[]
  readonly closed: readonly HoursRule[]
}

/** A stretch in which nothing changes. The next may have the same state: it ends with its day, too. */
export interface Piece {
  readonly open: boolean
  readonly startAt: number
  /** Exclusive. */
  readonly endAt: number
}

/** Weekly rules repeat after a week, or two where the clock jumps over one; yearly ones within a leap year. */
const twoWeeksMs = 15 * dayMs
const leapYearsMs = 4 * 366 * dayMs
const mostDays = 4_000

export class ClockHours {
  readonly #zone: ZoneOffsets
  readonly #open: RuleDays | null
  readonly #closed: RuleDays
  readonly #days = new Map<number, readonly DaySpan[]>()
  readonly #yearly: boolean
  readonly #lastDate: number

  constructor({ timezone, open, closed }: HoursLayer) {
    this.#zone = zoneOffsets(timezone)
    this.#open = open.length === 0 ? null : new RuleDays(open)
    this.#closed = new RuleDays(closed)
    const all = [...open, ...closed].map(({ days }) => days)
    this.#yearly = all.some(({ is }) => is === 'yearly')
    this.#lastDate = Math.max(0, ...all.map((days) => (days.is === 'dates' ? days.to + 2 : 0)))
  }

  pieceAt(instant: number): Piece {
    const { offsetMs, startAt, endAt } = this.#zone.segmentAt(instant)
    const local = instant + offsetMs
    const day = Math.floor(local / dayMs)
    const within = local - day * dayMs
    const spans = this.#openSpans(day)
    const current = spans.find(({ endMs }) => within < endMs)
    const open = current !== undefined && current.startMs <= within
    const begin = open ? current.startMs : (spans.findLast(({ endMs }) => endMs <= within)?.endMs ?? 0)
    const end = open ? current.endMs : (current?.startMs ?? dayMs)
    const utc = (ms: number) => day * dayMs + ms - offsetMs
    return { open, startAt: Math.max(utc(begin), startAt), endAt: Math.min(utc(end), endAt) }
  }

  /** From when on, seen from an instant, nothing new can come. */
  horizonFrom(instant: number): number {
    if (this.#yearly) return instant + leapYearsMs
    return Math.min(Math.max(instant, this.#lastDate * dayMs) + twoWeeksMs, instant + leapYearsMs)
  }

  #openSpans(day: number): readonly DaySpan[] {
    const known = this.#days.get(day)
    if (known !== undefined) return known
    const open = this.#open === null ? [{ startMs: 0, endMs: dayMs }] : this.#open.spansOf(day)
    const spans = without(open, this.#closed.spansOf(day))
    if (this.#days.size >= mostDays) this.#days.clear()
    this.#days.set(day, spans)
    return spans
  }
}

/** The spans that rules name, by day: a thousand holidays cost the look at one. */
class RuleDays {
  readonly #repeated: readonly HoursRule[]
  readonly #dates = new Map<number, DaySpan[]>()

  constructor(rules: readonly HoursRule[]) {
    this.#repeated = rules.filter(({ days }) => days.is !== 'dates')
    for (const { days, spans } of rules) {
      if (days.is !== 'dates') continue
      for (let day = days.from; day <= days.to; day += 1)
        this.#dates.set(day, [...(this.#dates.get(day) ?? []), ...spans])
    }
  }

  /** Within the day, in order and apart from each other; what goes over midnight is of two days. */
  spansOf(day: number): DaySpan[] {
    const before = this.#named(day - 1).map(({ startMs, endMs }) => ({
      startMs: startMs - dayMs,
      endMs: endMs - dayMs,
    }))
    return joined(
      [...before, ...this.#named(day)]
        .map(({ startMs, endMs }) => ({ startMs: Math.max(0, startMs), endMs: Math.min(dayMs, endMs) }))
        .filter(({ startMs, endMs }) => startMs < endMs),
    )
  }

  #named(day: number): DaySpan[] {
    const repeated = this.#repeated.filter((rule) => repeats(rule, day)).flatMap(({ spans }) => spans)
    return [...repeated, ...(this.#dates.get(day) ?? [])]
  }
}

function repeats({ days }: HoursRule, day: number): boolean {
  if (days.is === 'weekly') return days.on[weekdayOf(day)] === true
  const month = monthIndexOf(day)
  const date = ((month % 12) + 1) * 100 + day - firstDayOf(month) + 1
  if (days.is !== 'yearly') return false
  return days.from <= days.to ? date >= days.from && date <= days.to : date >= days.from || date <= days.to
}

function joined(spans: readonly DaySpan[]): DaySpan[] {
  const apart: DaySpan[] = []
  for (const span of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = apart.at(-1)
    if (last === undefined || last.endMs < span.startMs) apart.push(span)
    else apart.splice(-1, 1, { startMs: last.startMs, endMs: Math.max(last.endMs, span.endMs) })
  }
  return apart
}

/** Both in order and apart. */
function without(open: readonly DaySpan[], closed: readonly DaySpan[]): DaySpan[] {
  let left = [...open]
  for (const cut of closed) {
    left = left.flatMap(({ startMs, endMs }) =>
      [
        { startMs, endMs: Math.min(endMs, cut.startMs) },
        { startMs: Math.max(startMs, cut.endMs), endMs },
      ].filter((span) => span.startMs < span.endMs),
    )
  }
  return left
}
