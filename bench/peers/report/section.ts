/** The comparison as docs/performance.md tells it, below the heading that introduces it. */
import { engineLabels } from '../../engines/engine.ts'
import { row, table } from '../../report/markdown-table.ts'
import { figure } from '../../table.ts'
import { type ChartFile, charted, chartsOf } from './charts.ts'
import {
  byWay,
  type Comparison,
  type Entry,
  entriesOf,
  isPeer,
  type Measured,
  measured,
} from './comparison.ts'
import { verdicts } from './goals.ts'
import { kept } from './kept.ts'
import { isLateness, latenessText } from './lateness-table.ts'

const engines = Object.entries(engineLabels)

export function sectionOf(comparison: Comparison): string {
  const entries = entriesOf(comparison)
  const charts = chartsOf(comparison)
  return [
    ...comparison.taken.flatMap((taken) => [
      ...[...byWay(taken.entries.filter((entry) => !isLateness(entry)))].map(([of, way]) =>
        wayText(taken.name, of, way, charts),
      ),
      ...latenessText(taken, charts),
    ]),
    '### Goals that compare',
    goalsTable(entries),
    '### Where a peer is ahead',
    aheadText(entries),
    '### What each keeps',
    kept.map(([who, what]) => `- **${who}** ${what}`).join('\n'),
  ].join('\n\n')
}

function wayText(run: string, of: string, way: readonly Entry[], charts: readonly ChartFile[]): string {
  const chart = charts.find((each) => each.of === of)
  const ours = engines.flatMap(([store, label]) => {
    const own = measured(way).find((entry) => entry.library === 'evertick' && entry.store === store)
    return own === undefined ? [] : [{ store, label, value: own.value }]
  })
  const rows = way.map((entry) => {
    const ratios = ours.map(({ store, value }) => {
      // The raw limit says something of its own store only.
      const compares = isPeer(entry) || (entry.library === 'raw' && entry.store === store)
      return entry.value === null || !compares ? '' : `${figure(value / entry.value)}x`
    })
    return row([
      entry.library === 'evertick' ? `**${entry.who}**` : entry.who,
      entry.size,
      entry.value === null ? '' : `${figure(entry.value)} ${entry.unit}`,
      entry.low === null || entry.high === null ? '' : `${figure(entry.low)} - ${figure(entry.high)}`,
      ...ratios,
      entry.note ?? '',
    ])
  })
  const head = [
    `\`${run}\``,
    'given',
    'median',
    'low - high',
    ...ours.map(({ label }) => `${label}, ours / theirs`),
    '',
  ]
  return [`### ${of[0]?.toUpperCase()}${of.slice(1)}`, ...charted(chart, table(head, rows))].join('\n\n')
}

function goalsTable(entries: readonly Entry[]): string {
  const rows = verdicts(entries).map(({ goal, against, ratio, reached }) => {
    const verdict = reached === null ? 'not measured' : reached ? 'reached' : '**not reached**'
    return row([goal, against, ratio === null ? '' : `${figure(ratio)}x`, verdict])
  })
  return table(['goal', 'of', 'ours / theirs', ''], rows)
}

/** Every peer that does better than one of ours, by how much: nothing is left out because its store promises less. */
function aheadText(entries: readonly Entry[]): string {
  const lines = [...byWay(entries)].flatMap(([of, way]) =>
    engines.flatMap(([store, label]) => {
      const own = measured(way).find((entry) => entry.library === 'evertick' && entry.store === store)
      const ahead =
        own === undefined ? [] : measured(way).filter((entry) => isPeer(entry) && isAhead(entry, own))
      if (own === undefined || ahead.length === 0) return []
      return [
        `- ${of}, ours on ${label}: ${ahead.map((entry) => `${entry.who} (${times(entry, own)})`).join(', ')}.`,
      ]
    }),
  )
  return lines.length === 0 ? 'Nowhere in this run.' : lines.join('\n')
}

function isAhead(peer: Measured, own: Measured): boolean {
  return peer.better === 'more' ? peer.value > own.value : peer.value < own.value
}

function times(peer: Measured, own: Measured): string {
  return `${figure(peer.better === 'more' ? peer.value / own.value : own.value / peer.value)}x`
}
