/**
 * The proleptic Gregorian calendar in integers: a day is a number, 0 = 1970-01-01. No `Date`, so that the cron
 * search pays a few integer operations per month, not an allocation per step.
 */

export const dayMs = 86_400_000

/** Days since 1970-01-01 of a civil date; `month` is 1-12. */
export function dayOfCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Months since year 0 (`year * 12 + month - 1`) of a day: the key that the month walk of the cron search uses. */
export function monthIndexOf(day: number): number {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  // Shifted months count from March, so January and February belong to the next year: + 2 carries over by itself.
  return (era * 400 + yearOfEra) * 12 + shiftedMonth + 2
}

/** The first day of a month given by its index. */
export function firstDayOf(monthIndex: number): number {
  const year = Math.floor(monthIndex / 12)
  return dayOfCivil(year, monthIndex - year * 12 + 1, 1)
}

/** 0 = Sunday. */
export function weekdayOf(day: number): number {
  const weekday = (day + 4) % 7
  return weekday < 0 ? weekday + 7 : weekday
}

/** `2027-03-28 02:30` (with `:SS` unless zero) of local milliseconds, for messages. */
export function formatLocal(localMs: number): string {
  const day = Math.floor(localMs / dayMs)
  const second = Math.floor((localMs - day * dayMs) / 1000)
  const clock = `${pad(Math.floor(second / 3600))}:${pad(Math.floor(second / 60) % 60)}`
  return `${formatDay(day)} ${clock}${second % 60 === 0 ? '' : `:${pad(second % 60)}`}`
}

/** `2027-03-28`. */
export function formatDay(day: number): string {
  const month = monthIndexOf(day)
  const year = Math.floor(month / 12)
  return `${String(year).padStart(4, '0')}-${pad((month % 12) + 1)}-${pad(day - firstDayOf(month) + 1)}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
