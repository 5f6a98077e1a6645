/** One line of opening hours, such as `Mon-Fri 08:00-18:00`, `2026-12-24 14:00-24:00` or `12-25`: read once, at the edge. */
import { EvertickError } from '../../error.ts'
import { dayMs, dayOfCivil, formatDay } from '../civil-day.ts'

/** On the clock of a zone: from and until when in a day. Beyond midnight it goes on into the next. */
export interface DaySpan {
  readonly startMs: number
  /** Exclusive. */
  readonly endMs: number
}

export type HoursDays =
  /** By weekday, 0 = Sunday. */
  | { readonly is: 'weekly'; readonly on: readonly boolean[] }
  /** Both inclusive, as days since 1970-01-01. */
  | { readonly is: 'dates'; readonly from: number; readonly to: number }
  /** Of each year: month * 100 + day, both inclusive; a first that is greater goes over the new year. */
  | { readonly is: 'yearly'; readonly from: number; readonly to: number }

export interface HoursRule {
  readonly days: HoursDays
  readonly spans: readonly DaySpan[]
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const wholeDay: DaySpan = { startMs: 0, endMs: dayMs }
/** What is closed for longer is a job's `startAt` or `endAt`. */
const longestDates = 1_100

const example =
  "Write it as 'Mon-Fri 08:00-18:00', '2026-12-24 14:00-24:00', '2026-12-24..2027-01-01' or '12-25'."

/** `field` names it in an error. */
export function parseHoursRule(written: string, field: string): HoursRule {
  const refuse = (why: string) =>
    new EvertickError('invalid_hours', `${field}: ${JSON.stringify(written.slice(0, 80))} ${why}.`, {
      field,
      next: example,
    })
  const words = written.trim().toLowerCase().split(/\s+/)
  const [first = '', second] = words
  if (first === '' || words.length > 2) throw refuse('is not a line of opening hours')
  const startsWithTime = first.includes(':')
  if (startsWithTime && second !== undefined) throw refuse('has its days after its times')
  const days = startsWithTime ? everyDay : (weeklyOf(first) ?? datesOf(first) ?? yearlyOf(first))
  if (days === null) throw refuse('names no days that exist')
  if (days.is === 'dates' && days.to < days.from) throw refuse('ends before it begins')
  if (days.is === 'dates' && days.to - days.from >= longestDates)
    throw refuse(`covers more than ${longestDates.toLocaleString('en')} days`)
  const times = startsWithTime ? first : second
  const spans = times === undefined ? [wholeDay] : times.split(',').map(spanOf)
  if (!spans.every((span) => span !== null)) throw refuse('has times that are not HH:MM-HH:MM')
  return { days, spans }
}

const everyDay: HoursDays = { is: 'weekly', on: weekdays.map(() => true) }

function weeklyOf(text: string): HoursDays | null {
  const on = weekdays.map(() => false)
  for (const part of text.split(',')) {
    const [from = -1, to = from, ...more] = part.split('-').map((name) => weekdays.indexOf(name))
    if (from === -1 || to === -1 || more.length > 0) return null
    for (let day = from; ; day = (day + 1) % 7) {
      on[day] = true
      if (day === to) break
    }
  }
  return { is: 'weekly', on }
}

function datesOf(text: string): HoursDays | null {
  const [from = null, to = from, ...more] = text.split('..').map(dayOf)
  return from === null || to === null || more.length > 0 ? null : { is: 'dates', from, to }
}

function dayOf(text: string): number | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (year === undefined) return null
  const day = dayOfCivil(Number(year), Number(month), Number(date))
  // The 30th of February is a day of March.
  return formatDay(day) === text ? day : null
}

function yearlyOf(text: string): HoursDays | null {
  const [from = null, to = from, ...more] = text.split('..').map(dayOfYear)
  return from === null || to === null || more.length > 0 ? null : { is: 'yearly', from, to }
}

/** In a leap year every day of any year exists. */
function dayOfYear(text: string): number | null {
  const [, month, date] = /^(\d\d)-(\d\d)$/.exec(text) ?? []
  return month === undefined || dayOf(`2000-${text}`) === null ? null : Number(month) * 100 + Number(date)
}

function spanOf(text: string): DaySpan | null {
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? []
  const startMs = clockOf(from)
  const endMs = clockOf(to)
  if (startMs === null || endMs === null || startMs === dayMs) return null
  return { startMs, endMs: endMs > startMs ? endMs : endMs + dayMs }
}

function clockOf(text: string | undefined): number | null {
  const [hours, minutes] = (text ?? '').split(':').map(Number)
  if (hours === undefined || minutes === undefined || minutes > 59) return null
  const ms = hours * 3_600_000 + minutes * 60_000
  return ms <= dayMs ? ms : null
}
