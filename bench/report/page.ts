/** docs/performance.md: the prose of page.template, with what the kept runs found in the places that it names. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { byWay, comparisonOf, entriesOf, measured } from '../peers/report/comparison.ts'
import { sectionOf } from '../peers/report/section.ts'
import { figure } from '../table.ts'
import { goalsTable } from './goals.ts'
import { row, table } from './markdown-table.ts'
import { type AnyRun, isOurs, type Run } from './run.ts'
import { runTable } from './run-table.ts'

const place = /\{\{(\w+)(?: ([^}]+))?\}\}/g

export function pageOf(runs: readonly AnyRun[], template = readTemplate()): string {
  const shown = new Set(shownRuns(template))
  const astray = runs.find((run) => isOurs(run) && !shown.has(run.name))
  if (astray !== undefined) throw new Error(`The page has no table for the run "${astray.name}".`)
  return template.replace(place, (_, kind: string, of: string | undefined) => filled(kind, of ?? '', runs))
}

/** Those of our own that have a table: no other may be kept. */
export function shownRuns(template = readTemplate()): string[] {
  return [...template.matchAll(place)].filter(([, kind]) => kind === 'table').map(([, , of = '']) => of)
}

export function readTemplate(): string {
  return readFileSync(join(import.meta.dirname, 'page.template'), 'utf8')
}

function filled(kind: string, of: string, runs: readonly AnyRun[]): string {
  switch (kind) {
    case 'table':
      return tableOf(of, runs.filter(isOurs))
    case 'goals':
      return goalsTable(runs.filter(isOurs))
    case 'peers':
      return sectionOf(comparisonOf(runs))
    case 'times':
      return times(of, runs)
    case 'runs':
      return runsText(runs)
    default:
      throw new Error(`Nothing is made for {{${kind}}}.`)
  }
}

function tableOf(name: string, runs: readonly Run[]): string {
  const run = runs.find((each) => each.name === name)
  return run === undefined ? `No run of \`${name}\` is kept yet.` : runTable(run)
}

/** `drain, concurrency 50 | raw SQLite | BullMQ, Redis`: how many times the second is the first. */
function times(of: string, runs: readonly AnyRun[]): string {
  const [way = '', ...names] = of.split(' | ')
  const entries = measured(byWay(entriesOf(comparisonOf(runs))).get(way) ?? [])
  const [one, other] = names.map((name) => entries.find(({ who }) => who === name)?.value)
  if (one === undefined || other === undefined) throw new Error(`No run has the figures for {{times ${of}}}.`)
  return figure(one / other)
}

function runsText(runs: readonly AnyRun[]): string {
  const rows = runs.map((run) => {
    const { name, command, takenAt, commit, machine, versions } = run
    const rounds = isOurs(run) ? [] : [`${run.rounds} rounds`]
    return row([
      `[\`${name}\`](performance/${name}.json)`,
      `\`${command}\``,
      takenAt.slice(0, 10),
      commit,
      [machine, `Node ${versions['node']}`, ...rounds, run.note ?? []].flat().join(', '),
    ])
  })
  return [
    table(['run', 'by', 'taken', 'commit', 'on'], rows),
    `What each server was set to, read back from it:\n\n${settingsText(runs)}`,
    `Versions of the others: ${versionsText(runs)}.`,
  ].join('\n\n')
}

function settingsText(runs: readonly AnyRun[]): string {
  const all = Map.groupBy(
    runs.flatMap(({ settings }) => Object.entries(settings)),
    ([server]) => server,
  )
  return [...all]
    .map(([server, texts]) => {
      const each = [...new Set(texts.map(([, text]) => `\`${text}\``))]
      return `- ${server}: ${each.join(', or ')}`
    })
    .join('\n')
}

function versionsText(runs: readonly AnyRun[]): string {
  const all = runs.flatMap(({ versions }) => Object.entries(versions))
  const others = all.filter(([name]) => name !== 'node').map(([name, version]) => `${name} ${version}`)
  return [...new Set(others)].join(', ')
}
