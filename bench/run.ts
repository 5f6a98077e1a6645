// npm run bench -- [--json | --markdown] [--only NAME] [--engine sqlite|postgres|mysql] [--large]
// npm run bench -- --peers [--json | --markdown] [--only NAME] [--engine …] [--quick | --write]: beside other schedulers
// Lists the measures and prints what they found: a table, with --json one line, with --markdown what docs/performance.md
// shows. Progress goes to standard error.
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
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
import type { EngineMeasure, Figure, Measure, Result } from './measure.ts'
import { missedTicks } from './missed-ticks.ts'
import { nodes } from './nodes.ts'
import { oneOrTwoTables } from './one-or-two-tables.ts'
import { settingsOf } from './scratch-database.ts'
import { startUp } from './start-up.ts'
import { sweep } from './sweep.ts'
import { jsonLine, markdownOf, printTable } from './table.ts'

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
  missedTicks,
  sweep,
  lock,
  history,
  startUp,
  http,
  loopDelay,
  dashboard,
  failover,
]
/** Only when asked for by name: it answers a question of the design, not how fast Evertick is. */
const onRequest: readonly Measure[] = [oneOrTwoTables]

const headings = { none: 'Without a database', sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'MariaDB' }

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
    if (!values.peers && (values.quick || values.write))
      throw new Error('--quick and --write go with --peers')
    return values
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    process.exit(2)
  }
}

/** What stands under one heading. */
interface Section {
  readonly engine: EngineName | 'none'
  readonly under: string
  readonly results: readonly Result[]
}

async function run(): Promise<Section[] | null> {
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
  const measured = engines.filter((name) => measuresOf(name, chosen).length > 0)
  await installFor(measured, say)
  for (const name of measured) {
    const missing = missingFor(name)
    if (missing === null) sections.push(await onEngine(name, chosen))
    // Asked for by its name, it is not just skipped.
    else if (options.engine === undefined) say(`${name}: not measured. ${missing}`)
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
  return { engine: 'none', under: `Node ${process.version}.`, results }
}

async function onEngine(name: EngineName, chosen: readonly Measure[]): Promise<Section> {
  const results: Result[] = []
  let under = ''
  let engine: Engine | null = null
  try {
    engine = await openEngine(name)
    const load = loadavg()[0]?.toFixed(1)
    under = `Node ${process.version}, ${headings[name]} ${await settingsOf(engine)}; load before it ${load}.`
    say(`${name}: ${under}`)
    const measured = { engine, large, say: (line: string) => say(`${name}: ${line}`) }
    for (const measure of measuresOf(name, chosen)) {
      results.push(...(await taken(measure.name, name, measure.run(measured))))
    }
  } catch (error) {
    fail(name, error)
  } finally {
    await engine?.close()
  }
  return { engine: name, under, results }
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
const sections = await run()
if (sections === null) process.exitCode = 2
else if (options.json) console.log(jsonLine(sections.flatMap((section) => section.results)))
else if (options.markdown) {
  const tables = sections.map(({ engine, under, results }) => markdownOf(headings[engine], under, results))
  console.log(tables.join('\n\n'))
} else printTable(sections.flatMap((section) => section.results))
