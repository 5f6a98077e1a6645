// npm run simulate: histories of clusters, from seeds. See --help.
import { Terminal } from '../../src/cli/output/terminal.ts'
import { helpText, type Options, parseOptions, UsageError } from './campaign/options.ts'

const terminal = new Terminal(process.stdout, process.stderr, process.argv.includes('--json'))
const { out, err } = terminal

try {
  process.exitCode = await simulate(parseOptions(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  err.write(`${error.message} ${error.next}`)
  process.exitCode = 2
}

async function simulate(options: Options): Promise<number> {
  if (options.help) {
    out.write(helpText)
    return 0
  }
  const planting = options.bug === null ? null : await plantBug(options.bug)
  // Only now: what is planted must be there before the product is loaded.
  const { findBugs, runMany, runOne } = await import('./campaign/commands.ts')
  if (options.bugs) return await findBugs(terminal, options)
  if (options.seed === null && options.plan === null) return await runMany(terminal, options)
  const code = await runOne(terminal, options)
  // Some of the product is loaded only when a store is opened.
  planting?.assertGrown()
  return code
}

async function plantBug(name: string) {
  const { plant } = await import('./planted/plant.ts')
  const { knownBugs } = await import('./planted/bugs.ts')
  const bug = knownBugs.find((one) => one.name === name)
  if (bug !== undefined) return plant(bug)
  const names = knownBugs.map((one) => one.name).join(', ')
  throw new UsageError(`There is no planted bug ${name}.`, `Choose one of ${names}.`)
}
