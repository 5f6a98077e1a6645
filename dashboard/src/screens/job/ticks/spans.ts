/** The time ranges that the ledger can show, and the parts that its map is made of. */
import { dayMs } from '../../../../../src/core/schedule/civil-day.ts'
import { dayNumber, hourMs, startOfDay } from '../../../words/days.ts'
import { rangeOptions, ranges } from '../../../words/ranges.ts'

const names = ['24h', '7d', '30d', '1y'] as const
export type SpanName = (typeof names)[number] | 'custom'
export const spanOptions = [...rangeOptions(names), { value: 'custom' as const, label: 'Custom' }]

export interface Span {
  readonly from: string
  readonly to: string
}

/** Begins at the start of a day, so that the heatmap has whole rows. */
export function spanOf(
  name: SpanName,
  given: Span | null,
  { at, zone, createdAt }: { at: number; zone: string; createdAt: number },
): Span {
  if (name === 'custom' && given !== null) return given
  const { ms } = ranges[name === 'custom' ? '7d' : name]
  const wanted =
    ms <= dayMs
      ? Math.floor((at - ms) / hourMs) * hourMs
      : startOfDay(dayNumber(at, zone) - (ms / dayMs - 1), zone)
  // There were no ticks before there was a job: empty days would make it look idle.
  const from = Math.min(Math.max(wanted, startOfDay(dayNumber(createdAt, zone), zone)), at)
  return { from: new Date(from).toISOString(), to: new Date(at + 1).toISOString() }
}

/** What one cell of the map stands for. */
export type Part = 'hour' | 'day'

/** A row of hours for each day is a screenful for two months; beyond that a row has the days of a month. */
const mostDaysOfHours = 62

export function partOf({ from, to }: Span): Part {
  return Date.parse(to) - Date.parse(from) > mostDaysOfHours * dayMs ? 'day' : 'hour'
}

export function partSpan(at: string, part: Part, zone: string): Span {
  const start = Date.parse(at)
  const end = part === 'hour' ? start + hourMs : startOfDay(dayNumber(start, zone) + 1, zone)
  return { from: at, to: new Date(end).toISOString() }
}
