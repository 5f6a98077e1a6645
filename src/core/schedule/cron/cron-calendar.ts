import { dayMs, firstDayOf, monthIndexOf, weekdayOf } from '../civil-day.ts'
import { matchingDays } from './cron-days.ts'
import type { CronExpression } from './cron-expression.ts'
import { dayTimes } from './cron-times.ts'

/**
 * The local times that an expression names, on a calendar without a zone. Times are local milliseconds since
 * 1970-01-01 00:00; the zone is laid over them in cron-sequence.ts.
 */
export interface CronCalendar {
  /** The first matching time at or after `local`, or null before the year 10000. */
  atOrAfter(local: number): number | null
  /** The last matching time before `local`, or null since the year 1. */
  before(local: number): number | null
  /** How many matching times lie in `[from, to)`. Months are counted whole: days by bits, times as a product. */
  count(from: number, to: number): number
}

const firstMonth = 12
const endMonth = 120_000
const firstLocal = firstDayOf(firstMonth) * dayMs
const endLocal = firstDayOf(endMonth) * dayMs

export function cronCalendar(expression: CronExpression): CronCalendar {
  const times = dayTimes(expression)
  // A month's matching days depend on its number, length and first weekday only: at most 336 masks, each made once.
  const masks = new Int32Array(12 * 4 * 7).fill(-1)
  // The month looked at last. Consecutive calls ask for the same one nearly always.
  let index = Number.NaN
  let first = 0
  let length = 0
  let mask = 0

  function enter(monthIndex: number): void {
    if (monthIndex === index) return
    index = monthIndex
    first = firstDayOf(monthIndex)
    length = firstDayOf(monthIndex + 1) - first
    const month = monthIndex % 12
    const weekday = weekdayOf(first)
    const key = (month * 4 + length - 28) * 7 + weekday
    mask = masks[key] as number
    if (mask < 0) {
      mask = matchingDays(expression.days, month + 1, length, weekday)
      masks[key] = mask
    }
  }

  /** Whether the month field names this month: passing over the others is what makes 29 February quick. */
  function isNamed(monthIndex: number): boolean {
    return ((expression.days.months >>> (monthIndex % 12)) & 1) === 1
  }

  function enterMonthOf(day: number): void {
    if (day < first || day >= first + length) enter(monthIndexOf(day))
  }

  /** Matching days in `[from, to)`. */
  function countDays(from: number, to: number): number {
    if (from >= to) return 0
    let total = 0
    const last = monthIndexOf(to - 1)
    for (let month = monthIndexOf(from); month <= last; month++) {
      enter(month)
      let part = mask
      if (from > first) part &= -1 << (from - first)
      if (to < first + length) part &= ~(-1 << (to - first))
      total += bitCount(part)
    }
    return total
  }

  function atOrAfter(local: number): number | null {
    if (local >= endLocal) return null
    const from = local < firstLocal ? firstLocal : local
    let day = Math.floor(from / dayMs)
    const time = times.atOrAfter(Math.ceil((from - day * dayMs) / 1000))
    enterMonthOf(day)
    if (time >= 0 && ((mask >>> (day - first)) & 1) === 1) return day * dayMs + time * 1000
    let rest = mask & (-2 << (day - first))
    while (rest === 0) {
      let month = index + 1
      while (!isNamed(month)) month++
      if (month >= endMonth) return null
      enter(month)
      rest = mask
    }
    day = first + lowestBit(rest)
    return day * dayMs + times.first * 1000
  }

  function before(local: number): number | null {
    if (local <= firstLocal) return null
    const to = local > endLocal ? endLocal : local
    // The day that holds the instant just before `to`.
    let day = Math.ceil(to / dayMs) - 1
    const time = times.before(Math.ceil((to - day * dayMs) / 1000))
    enterMonthOf(day)
    if (time >= 0 && ((mask >>> (day - first)) & 1) === 1) return day * dayMs + time * 1000
    let rest = mask & ~(-1 << (day - first))
    while (rest === 0) {
      let month = index - 1
      while (!isNamed(month)) month--
      if (month < firstMonth) return null
      enter(month)
      rest = mask
    }
    day = first + 31 - Math.clz32(rest)
    return day * dayMs + times.last * 1000
  }

  function count(from: number, to: number): number {
    const start = Math.max(from, firstLocal)
    const end = Math.min(to, endLocal)
    if (start >= end) return 0
    const startDay = Math.floor(start / dayMs)
    const endDay = Math.floor(end / dayMs)
    const passed =
      times.rank(Math.ceil((start - startDay * dayMs) / 1000)) * countDays(startDay, startDay + 1)
    const begun = times.rank(Math.ceil((end - endDay * dayMs) / 1000)) * countDays(endDay, endDay + 1)
    return countDays(startDay, endDay) * times.perDay - passed + begun
  }

  return { atOrAfter, before, count }
}

function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask)
}

function bitCount(mask: number): number {
  let rest = mask - ((mask >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
