// npm run bench -- [--json] [--only NAME] [--engine sqlite] [--large]
// Lists the measures and prints what they found: a table, or with --json one line. Progress goes to standard error.
import { parseArgs } from 'node:util'
import { claimFinish } from './claim-finish.ts'
import { cron } from './cron.ts'
import { drain } from './drain.ts'
import { dueScan } from './due-scan.ts'
import { enqueue } from './enqueue.ts'
import { idleCost } from './idle-cost.ts'
import { idleStart } from './idle-start.ts'
import { lateness } from './lateness.ts'
import { lock } from './lock.ts'
import type { Result } from './measure.ts'
import { missedTicks } from './missed-ticks.ts'
import { oneOrTwoTables } from './one-or-two-tables.ts'
import { durability } from './scratch-database.ts'
import { sweep } from './sweep.ts'
import { printTable } from './table.ts'

// Idle cost first: the garbage of other measures is collected in idle time, too.
const standard = [
  idleCost,
  enqueue,
  claimFinish,
  drain,
  idleStart,
  dueScan,
  lateness,
  missedTicks,
  sweep,
  lock,
  cron,
]
/** Only when asked for by name: it answers a question of the design, not how fast Evertick is. */
const onRequest = [oneOrTwoTables]

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    large: { type: 'boolean', default: false },
  },
})
const say = (line: string) => console.error(`bench: ${line}`)
const chosen =
  options.only === undefined
    ? standard
    : [...standard, ...onRequest].filter((measure) => measure.name === options.only)

if (chosen.length === 0 || options.engine !== 'sqlite') {
  const names = [...standard, ...onRequest].map((measure) => measure.name).join(', ')
  say(`nothing to measure. Measures: ${names}. Engines: sqlite.`)
  process.exitCode = 2
} else {
  say(`node ${process.version}, SQLite ${process.versions.sqlite ?? '?'}, ${await durability()}`)
  const results: Result[] = []
  for (const measure of chosen) results.push(...(await measure.run({ large: options.large, say })))
  if (options.json) {
    // The spread is for people; the line keeps to its contract.
    console.log(JSON.stringify({ results: results.map(({ spread: _, ...result }) => result) }))
  } else printTable(results)
}
