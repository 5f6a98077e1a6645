/** What `npm run bench -- --peers` prints and writes. */
import { join } from 'node:path'
import { root } from '../../scripts/run-command.ts'
import { writeRuns } from '../report/write.ts'
import { jsonLine, printTable } from '../table.ts'
import { compare } from './compare.ts'
import { type Comparison, entriesOf, isPeer } from './report/comparison.ts'
import { resultsOf } from './report/results.ts'
import { sectionOf } from './report/section.ts'

export interface PeersOptions {
  readonly json: boolean
  readonly markdown: boolean
  readonly only?: string
  readonly engine?: string
  /** Small sizes, to see that everything works: nothing of it may be written. */
  readonly quick: boolean
  readonly write: boolean
}

/** Ends the process: a library that left a timer behind would keep it for ever. The servers are ended by then. */
export async function peersCommand(options: PeersOptions, say: (line: string) => void): Promise<never> {
  const { only, engine, quick, write } = options
  if (write && (quick || engine !== undefined)) {
    say('--write keeps whole measures only: not with --quick or --engine')
    process.exit(2)
  }
  const comparison = await compare({ only, engine, quick, say }).catch((error: unknown) => {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
    process.exit(1)
  })
  if (comparison === null) process.exit(2)
  print(comparison, options)
  if (write) say(`written to docs: ${writeRuns(join(root, 'docs'), comparison.taken).join(', ')}`)
  // That a peer fails is a finding; that ours does is a failure.
  const failed = entriesOf(comparison).some((entry) => entry.value === null && !isPeer(entry))
  process.exit(failed ? 1 : 0)
}

function print(comparison: Comparison, { json, markdown }: PeersOptions): void {
  if (json) console.log(jsonLine(resultsOf(comparison)))
  else if (markdown) console.log(sectionOf(comparison))
  else printTable(resultsOf(comparison))
}
