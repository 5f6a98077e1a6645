/** Lateness has three figures for each contender: they stand side by side, one table for each number of ticks. */

import { row, table } from '../../report/markdown-table.ts'
import { figure } from '../../table.ts'
import { type ChartFile, charted } from './charts.ts'
import type { Entry, Taken } from './comparison.ts'
import { shares, ticksOf, tickWay } from './ways.ts'

export function isLateness({ of }: Entry): boolean {
  return ticksOf(of) !== null
}

export function latenessText({ name, entries }: Taken, charts: readonly ChartFile[]): string[] {
  const counts = new Set(entries.map(({ of }) => ticksOf(of)).filter((ticks) => ticks !== null))
  return [...counts].map((ticks) => {
    const chart = charts.find(({ of }) => of === tickWay(ticks, 'p99'))
    const first = entries.filter(({ of }) => of === tickWay(ticks, 'p50'))
    const rows = first.map((entry) => rowOf(entry, ticks, entries))
    return [
      `### ${ticks.toLocaleString('en')} ticks at one instant: how late`,
      ...charted(chart, table([`\`${name}\``, ...shares.map(([label]) => `${label}, ms`), ''], rows)),
    ].join('\n\n')
  })
}

function rowOf({ who, library, note }: Entry, ticks: number, entries: readonly Entry[]): string {
  const figures = shares.map(([label]) => {
    const found = entries.find((entry) => entry.who === who && entry.of === tickWay(ticks, label))
    return found === undefined || found.value === null ? '' : figure(found.value)
  })
  return row([library === 'evertick' ? `**${who}**` : who, ...figures, note ?? ''])
}
