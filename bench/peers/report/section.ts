/** The comparison as the section of docs/performance.md: all its figures come from peers.json. */
import { figure } from '../../table.ts'
import { chartsOf } from './charts.ts'
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
import { row, table } from './markdown-table.ts'

const engines = [
  ['sqlite', 'SQLite'],
  ['postgres', 'PostgreSQL'],
  ['mysql', 'MariaDB'],
] as const

export function sectionOf(comparison: Comparison): string {
  if (comparison.taken.length === 0)
    return 'Other schedulers are not measured here yet: `npm run bench -- --peers --write` does it.'
  const entries = entriesOf(comparison)
  return [
    '### Other schedulers',
    'Made by `npm run bench -- --peers --write` from [what it measured](performance/peers.json). No-op jobs, the same servers ' +
      'for all, contenders in turn, medians of the rounds; each peer by its defaults and by its fastest documented ' +
      'configuration. A drain counts from the start of the worker until the store itself says that all is done. *Ours / ' +
      'theirs* is the ratio of Evertick on that engine to the row: above 1 is better for jobs/s, below 1 for ms.',
    takenOn(comparison),
    ...[...byWay(entries.filter((entry) => !isLateness(entry)))].map(([of, way]) =>
      wayText(of, way, comparison),
    ),
    ...latenessText(entries, chartsOf(comparison)),
    '#### Goals that compare',
    goalsTable(entries),
    '#### Where a peer is ahead',
    aheadText(entries),
    '#### What each keeps',
    kept.map(([who, what]) => `- **${who}** ${what}`).join('\n'),
  ].join('\n\n')
}

function takenOn({ taken }: Comparison): string {
  const rows = taken.map(({ measure, takenAt, commit, machine, rounds, versions }) =>
    row([
      `\`${measure}\``,
      takenAt.slice(0, 10),
      `\`${commit}\``,
      String(rounds),
      `${machine}, Node ${versions['node']}`,
    ]),
  )
  const settings = Object.assign({}, ...taken.map((each) => each.settings)) as Record<string, string>
  const versions = Object.assign({}, ...taken.map((each) => each.versions)) as Record<string, string>
  return [
    table(['`--only`', 'taken', 'commit', 'rounds', 'on'], rows),
    '',
    'Read back from each server: ' +
      `${Object.entries(settings)
        .map(([name, text]) => `${name} \`${text}\``)
        .join('; ')}.`,
    '',
    `${Object.entries(versions)
      .filter(([name]) => name !== 'node')
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
  ].join('\n')
}

function wayText(of: string, way: readonly Entry[], comparison: Comparison): string {
  const chart = chartsOf(comparison).find((each) => each.of === of)
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
    '',
    'given',
    'median',
    'low - high',
    ...ours.map(({ label }) => `${label}, ours / theirs`),
    '',
  ]
  return [
    `#### ${of[0]?.toUpperCase()}${of.slice(1)}`,
    ...(chart === undefined ? [] : [`![${of}: bars, the values are in the table](images/${chart.name})`]),
    table(head, rows),
  ].join('\n\n')
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
