/** Turns the fields of a rule into a cron, with every matching value written out. Refuses a rule that no cron can express. */
import { EvertickError } from '../../core/error.ts'
import { nextTicks } from '../../core/schedule/next-ticks.ts'
import type { RecurrenceFields, RecurrenceSegment } from './recurrence-rule.ts'

export interface CronSchedule {
  readonly cron: string
  readonly timezone: string
  /** The first instant of its years; null without one. */
  readonly startAt: number | null
  readonly endAt: number | null
}

/** null where a field matches nothing: node-schedule calls such a rule invalid, and never runs it. */
export function scheduleOfRule(rule: RecurrenceFields, timezone: string): CronSchedule | null {
  const second = field(rule.second === undefined ? 0 : rule.second, 0, 59)
  const minute = field(rule.minute, 0, 59)
  const hour = field(rule.hour, 0, 23)
  const date = field(rule.date, 1, 31)
  const month = field(rule.month, 0, 11, 1)
  const day = field(rule.dayOfWeek, 0, 6)
  if (![second, minute, hour, date, month, day].every((text) => text !== '')) return null
  // Where both are given, both must match.
  const weekday = date !== '*' && day !== '*' ? `+${day}` : day
  const cron = [second, minute, hour, date, month, weekday].join(' ')
  if (!comesEver(cron, timezone)) return null
  return { cron, timezone, ...boundsOf(rule.year ?? null, timezone) }
}

function field(segment: RecurrenceSegment | null | undefined, from: number, to: number, shift = 0): string {
  if (segment === null || segment === undefined) return '*'
  const all = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const matching = all.filter((value) => matches(value, segment))
  if (matching.length === all.length) return '*'
  return matching.map((value) => value + shift).join(',')
}

function matches(value: number, segment: RecurrenceSegment): boolean {
  if (typeof segment === 'number') return value === segment
  if (typeof segment === 'string') return value === Number(segment)
  return 'contains' in segment ? segment.contains(value) : segment.some((one) => matches(value, one))
}

/** A 30 February is refused by the cron itself. */
function comesEver(cron: string, timezone: string): boolean {
  try {
    return nextTicks({ cron, timezone }, { from: new Date(0), count: 1 }).length > 0
  } catch (error) {
    if (error instanceof EvertickError && error.code === 'invalid_cron') return false
    throw error
  }
}

/** A cron has no years: one year, or consecutive years, become a start and an end. */
function boundsOf(
  year: RecurrenceSegment | null,
  timezone: string,
): { startAt: number | null; endAt: number | null } {
  if (year === null) return { startAt: null, endAt: null }
  const years = Array.from({ length: 300 }, (_, index) => 1970 + index).filter((one) => matches(one, year))
  const [first, last] = [years[0], years.at(-1)]
  if (first === undefined || last === undefined || last - first + 1 !== years.length) {
    throw new EvertickError('invalid_schedule', 'The years of a rule must be consecutive.', {
      field: 'year',
      next: 'Schedule one job for each range of years.',
    })
  }
  return { startAt: newYear(first, timezone), endAt: newYear(last + 1, timezone) }
}

/** Its first instant in the zone. */
function newYear(year: number, timezone: string): number {
  const from = new Date(Date.UTC(year, 0, 1) - 2 * 86_400_000)
  const [first] = nextTicks({ cron: '0 0 1 1 *', timezone }, { from, count: 1 })
  return first?.getTime() ?? Date.UTC(year, 0, 1)
}
