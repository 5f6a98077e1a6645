/** Which charts a comparison has, and under which names they are kept. */
import { figure } from '../../table.ts'
import { type Bar, barChart } from './bar-chart.ts'
import { byWay, type Comparison, entriesOf, type Measured, measured } from './comparison.ts'
import { sized } from './results.ts'

export interface ChartFile {
  /** `performance-drain-concurrency-50.svg` */
  readonly name: string
  readonly of: string
  readonly svg: string
}

/** One for each thing compared; of the lateness only the p99, since three of each would hide it. */
export function chartsOf(comparison: Comparison): ChartFile[] {
  const ways = [...byWay(measured(entriesOf(comparison)))]
  return ways
    .filter(([of]) => !/, late, (?:p50|max)$/.test(of))
    .map(([of, entries]) => chartOf(of, measured(entries)))
}

/** The picture, and the values for who wants to know them. */
export function charted(chart: ChartFile | undefined, values: string): string[] {
  if (chart === undefined) return [values]
  return [
    `![${chart.of}: bars, the values are in the table](images/${chart.name})`,
    `<details><summary>The values</summary>\n\n${values}\n\n</details>`,
  ]
}

function chartOf(of: string, entries: readonly Measured[]): ChartFile {
  const { unit = '', better = 'more' } = entries[0] ?? {}
  const best = (a: Measured, b: Measured) => (better === 'more' ? b.value - a.value : a.value - b.value)
  const bars = entries.toSorted(best).map(barOf)
  const slug = of
    .toLowerCase()
    .replaceAll(',', '')
    .replace(/[^a-z0-9]+/g, '-')
  return { name: `performance-${slug}.svg`, of, svg: barChart({ title: of, unit, better, bars, figure }) }
}

function barOf(entry: Measured): Bar {
  const { value, low, high, library } = entry
  const kind = library === 'evertick' ? 'ours' : library === 'raw' ? 'raw' : 'peer'
  return { label: sized(entry), value, low, high, kind }
}
