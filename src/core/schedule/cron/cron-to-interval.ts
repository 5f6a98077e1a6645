import { dayMs } from '../civil-day.ts'
import { durationText, formatDuration } from '../duration.ts'
import type { Duration } from '../schedule.ts'
import { type CronExpression, parseCron } from './cron-expression.ts'
import { cronSequence } from './cron-sequence.ts'

/** A cron as an interval with exactly the same ticks in UTC, or why there is none. */
export type CronToInterval =
  | {
      readonly kind: 'interval'
      /** For `{ every, anchor }`. */
      readonly every: Duration
      readonly everyMs: number
      /** `'epoch'`, or the ISO instant of a tick where the rhythm does not meet the epoch. */
      readonly anchor: string
    }
  | { readonly kind: 'cron'; readonly reason: string }

/**
 * Converts `0,30 * * * *`, `0 * * * *`, `30 6 * * *`, `0 0 * * MON` and their like. In a zone with daylight saving
 * the two differ: an interval keeps its distance, a cron keeps the clock. Invalid text is an error, as everywhere.
 */
export function cronToInterval(cron: string): CronToInterval {
  const expression = parseCron(cron)
  const everyMs = expression.hashed ? "H depends on the job's name" : distanceOf(expression)
  if (typeof everyMs === 'string') return { kind: 'cron', reason: everyMs }
  const firstAt = cronSequence(cron, 'UTC').next(-1) ?? 0
  return {
    kind: 'interval',
    every: durationText(everyMs),
    everyMs,
    anchor: firstAt === 0 ? 'epoch' : new Date(firstAt).toISOString(),
  }
}

/** Milliseconds between ticks if they are the same for ever, else a sentence. */
function distanceOf(expression: CronExpression): number | string {
  const { days, fields } = expression
  if (days.months !== 0xfff) return `it runs only in some months: ${JSON.stringify(fields[4])}`
  const weekdays = bitsOf(days.weekdays)
  const daily = !days.daysRestricted && (!days.weekdaysRestricted || weekdays === 7)
  const plainWeekday = days.lastWeekdays === 0 && days.nth.every((mask) => mask === 0)
  const weekly = !daily && !days.daysRestricted && plainWeekday && weekdays === 1
  if (!daily && !weekly) {
    const shown = days.daysRestricted ? `day of month ${JSON.stringify(fields[3])}` : ''
    const weekday = days.weekdaysRestricted ? `weekday ${JSON.stringify(fields[5])}` : ''
    return `it runs only on some days: ${[shown, weekday].filter((text) => text !== '').join(', ')}`
  }
  const times = timesOf(expression)
  if (weekly) return times.length === 1 ? 7 * dayMs : 'it runs several times on one day of the week'
  const [first = 0, second = first + 86_400] = times
  const even = second - first
  for (const [index, time] of times.entries()) {
    const following = times[index + 1] ?? first + 86_400
    if (following - time !== even) {
      const gap = formatDuration((following - time) * 1000)
      return `its ticks are not evenly spaced: ${formatDuration(even * 1000)} and ${gap}`
    }
  }
  return even * 1000
}

function timesOf({ hours, minutes, seconds }: CronExpression): readonly number[] {
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => (hour * 60 + minute) * 60 + second)),
  )
}

function bitsOf(mask: number): number {
  return mask.toString(2).replaceAll('0', '').length
}
