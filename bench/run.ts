// npm run bench -- [--json | --markdown] [--only NAME [--write]] [--engine sqlite|postgres|mysql] [--large]
// npm run bench -- --peers [--json | --markdown] [--only NAME] [--engine …] [--quick | --write]: beside other schedulers
// Lists the measures and prints what they found: a table, with --json one line, with --markdown as docs/performance.md
// shows it. --write keeps the run in docs/performance and makes that page anew. Progress goes to standard error.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../scripts/run-command.ts'
import { atSize } from './at-size.ts'
import { claimFinish } from './claim-finish.ts'
import { cron } from './cron.ts'
import { dashboard } from './dashboard/dashboard.ts'
import { drain } from './drain.ts'
import { dueScan } from './due-scan.ts'
import { type Engine, type EngineName, engineNames } from './engines/engine.ts'
import { installFor, missingFor, openEngine } from './engines/open-engine.ts'
import { enqueue } from './enqueue.ts'
import { failover } from './failover.ts'
import { history } from './history.ts'
import { http } from './http/http.ts'
import { loopDelay } from './http/loop-delay.ts'
import { idleCost } from './idle-cost.ts'
import { idleStart } from './idle-start.ts'
import { lateness } from './lateness.ts'
import { lock } from './lock.ts'
import { longDrain } from './long-drain.ts'
import type { EngineMeasure, Figure, Measure, Result } from './measure.ts'
import { missedTicks } from './missed-ticks.ts'
import { nodes } from './nodes.ts'
import { oneOrTwoTables } from './one-or-two-tables.ts'
import { shownRuns } from './report/page.ts'
import { headNow, type Run } from './report/run.ts'
import { runTable } from './report/run-table.ts'
import { writeRuns } from './report/write.ts'
import { settingsOf } from './scratch-database.ts'
import { sleepers } from './sleepers.ts'
import { startUp } from './start-up.ts'
import { steps } from './steps.ts'
import { sweep } from './sweep.ts'
import { jsonLine, plainResults, printTable } from './table.ts'

const standard: readonly Measure[] = [
  cron,
  idleCost,
  enqueue,
  claimFinish,
  drain,
  nodes,
  idleStart,
  dueScan,
  lateness,
  steps,
  sleepers,
  missedTicks,
  sweep,
  lock,
  history,
  atSize,
  startUp,
  http,
  loopDelay,
  dashboard,
  failover,
]
/** Only when asked for by name: they answer questions of the design, not how fast Evertick is. */
const onRequest: readonly Measure[] = [oneOrTwoTables, longDrain]

const say = (line: string) => console.error(`bench: ${line}`)
const options = given()
const { large } = options

function given() {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        markdown: { type: 'boolean', default: false },
        only: { type: 'string' },
        engine: { type: 'string' },
        large: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
      },
    })
    if (!values.peers && values.quick) throw new Error('--quick goes with --peers')
    if (!values.peers && values.write) checkWritten(values.only, values.large, values.engine)
    return values
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    process.exit(2)
  }
}

/** Before minutes are spent on what could not be kept. */
function checkWritten(only: string | undefined, large: boolean, engine: string | undefined): void {
  if (only === undefined || engine !== undefined)
    throw new Error('--write keeps one whole measure: with --only, without --engine')
  const name = runName(only, large)
  if (!shownRuns().includes(name)) throw new Error(`docs/performance.md has no table for ${name}`)
}

function runName(measure: string, large: boolean): string {
  return large ? `${measure}-large` : measure
}

/** What was measured on one engine. */
interface Section {
  readonly engine: EngineName | 'none'
  readonly settings: string
  readonly results: readonly Result[]
}

async function measured(): Promise<Section[] | null> {
  const chosen =
    options.only === undefined
      ? standard
      : [...standard, ...onRequest].filter((measure) => measure.name === options.only)
  const engines = enginesOf(options.engine)
  if (chosen.length === 0 || engines === null) {
    const names = [...standard, ...onRequest].map((measure) => measure.name).join(', ')
    say(`nothing to measure. Measures: ${names}. Engines: ${engineNames.join(', ')}.`)
    return null
  }
  const sections = [await withoutDatabase(chosen)]
  const asked = engines.filter((name) => measuresOf(name, chosen).length > 0)
  await installFor(asked, say)
  for (const name of asked) {
    const missing = missingFor(name)
    if (missing === null) sections.push(await onEngine(name, chosen))
    // Asked for by its name, or to be kept, it is not just skipped.
    else if (options.engine === undefined && !options.write) say(`${name}: not measured. ${missing}`)
    else fail(name, new Error(missing))
  }
  return sections.filter(({ results }) => results.length > 0)
}

function enginesOf(given: string | undefined): readonly EngineName[] | null {
  if (given === undefined) return engineNames
  const named = engineNames.filter((name) => name === given)
  return named.length === 0 ? null : named
}

function measuresOf(name: EngineName, chosen: readonly Measure[]): EngineMeasure[] {
  return chosen.filter((measure) => measure.on !== 'none').filter(({ on }) => on.includes(name))
}

async function withoutDatabase(chosen: readonly Measure[]): Promise<Section> {
  const results: Result[] = []
  for (const measure of chosen) {
    if (measure.on === 'none')
      results.push(...(await taken(measure.name, 'none', measure.run({ large, say }))))
  }
  return { engine: 'none', settings: '', results }
}

async function onEngine(name: EngineName, chosen: readonly Measure[]): Promise<Section> {
  const results: Result[] = []
  let settings = ''
  let engine: Engine | null = null
  try {
    engine = await openEngine(name)
    settings = await settingsOf(engine)
    say(`${name}: ${settings}`)
    const given = { engine, large, say: (line: string) => say(`${name}: ${line}`) }
    for (const measure of measuresOf(name, chosen)) {
      results.push(...(await taken(measure.name, name, measure.run(given))))
    }
  } catch (error) {
    fail(name, error)
  } finally {
    await engine?.close()
  }
  return { engine: name, settings, results }
}

async function taken(
  measure: string,
  engine: EngineName | 'none',
  found: Promise<Figure[]>,
): Promise<Result[]> {
  try {
    return (await found).map((figure) => ({ ...figure, engine, measure }))
  } catch (error) {
    fail(`${engine}: ${measure}`, error)
    return []
  }
}

/** What fails is told, and does not take along what was measured before it or comes after it. */
function fail(what: string, error: unknown): void {
  say(`${what} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  process.exitCode = 1
}

if (options.peers) {
  const { peersCommand } = await import('./peers/command.ts')
  await peersCommand(options, say)
}
const head = await headNow()
const sections = await measured()
if (sections === null) process.exitCode = 2
else {
  const results = sections.flatMap((section) => section.results)
  if (options.json) console.log(jsonLine(results))
  else if (options.markdown) console.log(runsOf(sections).map(runTable).join('\n\n'))
  else printTable(results)
  if (options.write && process.exitCode !== undefined) say('not written: a part of it failed')
  else if (options.write)
    say(`written to docs: ${writeRuns(join(root, 'docs'), runsOf(sections)).join(', ')}`)
}

/** Each measure by itself, as it may be kept. */
function runsOf(sections: readonly Section[]): Run[] {
  const results = sections.flatMap((section) => section.results)
  const settings = Object.fromEntries(
    sections.filter(({ engine }) => engine !== 'none').map(({ engine, settings }) => [engine, settings]),
  )
  return [...Map.groupBy(results, ({ measure }) => measure)].map(([measure, found]) => ({
    name: runName(measure, large),
    command: `npm run bench -- --only ${measure}${large ? ' --large' : ''}`,
    ...head,
    settings,
    versions: { node: process.versions.node },
    results: plainResults(found),
  }))
}
