/** The rows of the map, newest first as in the ledger: days of hours, or months of days. */

import type { TickKind } from '../../../ticks/tick-mark.ts'
import { dayWords, shortMonth } from '../../../words/times.ts'
import { countsOf, countsSentence, fillOf, type HeatHour, type Heatmap } from './heatmap.ts'
import type { Part } from './spans.ts'

export interface MapCell {
  readonly at: string
  readonly fill: string | null
  readonly letter: string
  /** Its background is pale. */
  readonly isPale: boolean
  readonly title: string
}

export interface MapRow {
  readonly key: string
  readonly name: string
  readonly note: string
  /** Where the clocks go back, one column has two cells; where a row has no such hour or day, none. */
  readonly columns: readonly (readonly MapCell[])[]
}

export interface TickMap {
  readonly label: string
  readonly rowWord: string
  readonly heads: readonly string[]
  readonly rows: readonly MapRow[]
}

export function tickMap(heatmap: Heatmap, part: Part): TickMap {
  const rows = part === 'hour' ? daysOfHours(heatmap) : monthsOfDays(heatmap)
  const { timezone } = heatmap
  return part === 'hour'
    ? { label: `Ticks by day and hour, ${timezone} time`, rowWord: 'Day', heads: hourHeads, rows }
    : { label: `Ticks by month and day, ${timezone} time`, rowWord: 'Month', heads: dayHeads, rows }
}

const hours = Array.from({ length: 24 }, (_, hour) => hour)
const hourHeads = hours.map((hour) => (hour % 3 === 0 ? String(hour).padStart(2, '0') : ''))
const daysOfMonth = Array.from({ length: 31 }, (_, day) => day + 1)
const dayHeads = daysOfMonth.map((day) => (day === 1 || day % 5 === 0 ? String(day) : ''))

/** A day of 25 hours has two cells in one column, a day of 23 hours a gap. */
function daysOfHours({ days, timezone }: Heatmap): MapRow[] {
  return days.toReversed().map(({ day, hours: ofDay }) => {
    const name = dayWords(ofDay[0]?.at ?? day, timezone)
    const columns = hours.map((hour) =>
      ofDay
        .filter((each) => each.hour === hour)
        .map((each) => cellOf(each.at, [each], `${name}, ${String(hour).padStart(2, '0')}:00`)),
    )
    return { key: day, name, columns, note: columns.some((cells) => cells.length > 1) ? '25 h' : '' }
  })
}

function monthsOfDays({ days, timezone }: Heatmap): MapRow[] {
  const months = Map.groupBy(days, ({ day }) => day.slice(0, 7))
  return [...months].toReversed().map(([month, ofMonth]) => ({
    key: month,
    name: shortMonth(`${month}-01`, 'UTC'),
    note: '',
    columns: daysOfMonth.map((date) =>
      ofMonth
        .filter(({ day }) => Number(day.slice(8)) === date)
        .map(({ day, hours: ofDay }) => {
          const at = ofDay[0]?.at ?? day
          return cellOf(at, ofDay, dayWords(at, timezone))
        }),
    ),
  }))
}

const letters: Partial<Record<TickKind, string>> = {
  failed: '✕',
  late: '!',
  caught_up: '↺',
  skipped: '–',
  coalesced: '≈',
  running: '▸',
  cancelled: '⊘',
}
const paleKinds: readonly TickKind[] = ['coalesced', 'skipped', 'cancelled']

function cellOf(at: string, within: readonly HeatHour[], name: string): MapCell {
  const counts = countsOf(within)
  const first = counts[0]?.kind
  const [most] = counts.toSorted((one, other) => other.count - one.count)
  return {
    at,
    fill: counts.length === 0 ? null : fillOf(counts),
    letter: first === undefined ? '' : (letters[first] ?? ''),
    isPale: most !== undefined && paleKinds.includes(most.kind),
    title: `${name}: ${countsSentence(counts)}`,
  }
}
