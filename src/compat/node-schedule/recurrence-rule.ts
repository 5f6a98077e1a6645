/** `RecurrenceRule` and `Range`, as node-schedule has them: months from 0, both day fields must match. */
import { nextTicks } from '../../core/schedule/next-ticks.ts'
import { scheduleOfRule } from './rule-to-cron.ts'

export type Recurrence = number | Range | string
export type RecurrenceSegment = Recurrence | readonly Recurrence[]

export class Range {
  readonly start: number
  readonly end: number
  readonly step: number

  constructor(start = 0, end = 60, step = 1) {
    this.start = start
    this.end = end
    this.step = step
  }

  /** With a step the end is not part of it: node-schedule's own rule. */
  contains(value: number): boolean {
    if (this.step === 1) return value >= this.start && value <= this.end
    return value >= this.start && value < this.end && (value - this.start) % this.step === 0
  }
}

export interface RecurrenceFields {
  readonly year?: RecurrenceSegment | null
  readonly month?: RecurrenceSegment | null
  readonly date?: RecurrenceSegment | null
  readonly dayOfWeek?: RecurrenceSegment | null
  readonly hour?: RecurrenceSegment | null
  readonly minute?: RecurrenceSegment | null
  readonly second?: RecurrenceSegment | null
  readonly tz?: string | undefined
}

/** What is null may have any value; seconds are 0 unless said otherwise. */
export class RecurrenceRule implements RecurrenceFields {
  year: RecurrenceSegment | null
  month: RecurrenceSegment | null
  date: RecurrenceSegment | null
  dayOfWeek: RecurrenceSegment | null
  hour: RecurrenceSegment | null
  minute: RecurrenceSegment | null
  second: RecurrenceSegment | null
  tz: string | undefined

  constructor(
    year: RecurrenceSegment | null = null,
    month: RecurrenceSegment | null = null,
    date: RecurrenceSegment | null = null,
    dayOfWeek: RecurrenceSegment | null = null,
    hour: RecurrenceSegment | null = null,
    minute: RecurrenceSegment | null = null,
    second: RecurrenceSegment | null = 0,
    tz?: string,
  ) {
    this.year = year
    this.month = month
    this.date = date
    this.dayOfWeek = dayOfWeek
    this.hour = hour
    this.minute = minute
    this.second = second
    this.tz = tz
  }

  isValid(): boolean {
    return scheduleOfRule(this, 'UTC') !== null
  }

  /** In the rule's zone, or else the host's. */
  nextInvocationDate(base: Date): Date | null {
    const schedule = scheduleOfRule(this, this.tz ?? hostZone())
    if (schedule === null) return null
    const { cron, timezone, startAt, endAt } = schedule
    const from = startAt === null || base.getTime() >= startAt ? base : new Date(startAt - 1)
    const [next] = nextTicks({ cron, timezone }, { from, count: 1 })
    return next === undefined || (endAt !== null && next.getTime() >= endAt) ? null : next
  }
}

export function hostZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
