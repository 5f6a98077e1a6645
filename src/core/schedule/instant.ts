import { EvertickError } from '../error.ts'
import { dayMs, dayOfCivil, firstDayOf } from './civil-day.ts'

const iso =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d):?(\d\d)?)$/

/** UTC milliseconds of a `Date` or of ISO 8601 text with an offset or `Z`. `field` is the option's name. */
export function parseInstant(value: unknown, field: string): number {
  if (value instanceof Date) {
    const at = value.getTime()
    if (Number.isNaN(at)) throw refused(field, 'is an invalid Date')
    return at
  }
  if (typeof value !== 'string') {
    throw refused(field, value === undefined ? 'is missing' : `must be a Date or a string`)
  }
  if (value.length > 64) throw refused(field, `has ${value.length} characters`)
  const shown = JSON.stringify(value)
  const match = iso.exec(value.trim())
  if (match === null) {
    // Local time without an offset would mean another instant on every host.
    const zoneless = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(value.trim())
    throw refused(field, zoneless ? `has no offset or Z: ${shown}` : `is not ISO 8601: ${shown}`)
  }
  const [, year, month, day, hour, minute, second, fraction, , sign, offsetHour, offsetMinute] = match
  const monthIndex = Number(year) * 12 + Number(month) - 1
  const days = firstDayOf(monthIndex + 1) - firstDayOf(monthIndex)
  const offset =
    (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * (sign === '-' ? -60_000 : 60_000)
  // Date.parse would turn 30 February into 2 March; a date that does not exist is refused instead.
  const real =
    inRange(month, 1, 12) &&
    inRange(day, 1, days) &&
    inRange(hour, 0, 23) &&
    inRange(minute, 0, 59) &&
    inRange(second, 0, 59) &&
    inRange(offsetHour, 0, 23) &&
    inRange(offsetMinute, 0, 59)
  if (!real) throw refused(field, `is not a real date or time: ${shown}`)
  const clockMs = (Number(hour) * 60 + Number(minute)) * 60_000 + Number(second ?? 0) * 1000
  const fractionMs = Number((fraction ?? '').padEnd(3, '0').slice(0, 3))
  return dayOfCivil(Number(year), Number(month), Number(day)) * dayMs + clockMs + fractionMs - offset
}

function inRange(text: string | undefined, from: number, to: number): boolean {
  return text === undefined || (Number(text) >= from && Number(text) <= to)
}

function refused(field: string, what: string): EvertickError {
  return new EvertickError('invalid_instant', `${field} ${what}`, {
    field,
    next: "Give a Date, or ISO 8601 text with an offset, such as '2027-03-28T09:00:00Z' or '2027-03-28T09:00+02:00'.",
  })
}
