/** npm run bench -- --peers: installs them, starts the servers, takes the measures one after another. */
import { installMissing } from '../../test/services/install.ts'
import { headNow } from '../report/run.ts'
import { type Contender, type MeasureName, measureNames, storeNames } from './contender.ts'
import { contenders } from './contenders.ts'
import { installPeers, peerVersions } from './install.ts'
import { drain } from './measures/drain.ts'
import { enqueue } from './measures/enqueue.ts'
import { idleStart } from './measures/idle-start.ts'
import { lateness } from './measures/lateness.ts'
import { full, type PeerMeasure, quick } from './measures/measure.ts'
import type { Comparison, Entry, Taken } from './report/comparison.ts'
import { Stores } from './stores.ts'

const measures: Readonly<Record<MeasureName, PeerMeasure>> = {
  'peers-enqueue': enqueue,
  'peers-drain': drain,
  'peers-idle-start': idleStart,
  'peers-lateness': lateness,
}

export interface CompareOptions {
  /** With or without `peers-`. */
  readonly only?: string | undefined
  /** Ours on this engine alone; the peers are what they are. */
  readonly engine?: string | undefined
  readonly quick: boolean
  readonly say: (line: string) => void
}

/** Null where there is no such measure. */
export async function compare({
  only,
  engine,
  quick: isQuick,
  say,
}: CompareOptions): Promise<Comparison | null> {
  const chosen = measureNames.filter(
    (name) => only === undefined || name === only || name === `peers-${only}`,
  )
  const taking = contenders.filter(
    ({ library, store }) => library !== 'evertick' || engine === undefined || store === engine,
  )
  if (chosen.length === 0 || !taking.some(({ library }) => library === 'evertick')) {
    say(`nothing to measure. Measures with --peers: ${measureNames.join(', ')}.`)
    return null
  }
  await installPeers(say)
  await installMissing(['postgres', 'mysql', 'redis'], say)
  tellStrayErrors(say)
  const stores = new Stores()
  const taken: Taken[] = []
  try {
    for (const measure of chosen) taken.push(await take(measure, stores, taking, isQuick, say))
  } finally {
    await stores.close()
  }
  return { taken }
}

/** A connection that a library left open breaks with its database, and nobody listens: that must not end the others' run. */
function tellStrayErrors(say: (line: string) => void): void {
  process.on('unhandledRejection', (error) => say(`left behind by a library: ${String(error)}`))
  process.on('uncaughtException', (error) => say(`left behind by a library: ${error.stack ?? error.message}`))
}

async function take(
  measure: MeasureName,
  stores: Stores,
  taking: readonly Contender[],
  isQuick: boolean,
  say: (line: string) => void,
): Promise<Taken> {
  const sizes = isQuick ? quick : full
  const chosen = taking.filter((contender) => contender.measures.includes(measure))
  const head = await headNow()
  const said = (line: string) => say(`${measure}: ${line}`)
  const entries = await measures[measure]({ stores, contenders: chosen, sizes, say: said })
  const settings = await settingsOf(stores, entries, said)
  return {
    name: measure,
    command: `npm run bench -- --peers --only ${measure}`,
    ...head,
    rounds: sizes.rounds,
    settings,
    versions: { node: process.versions.node, ...peerVersions() },
    entries,
  }
}

/** Of every server that took part, read back from it. */
async function settingsOf(
  stores: Stores,
  entries: readonly Entry[],
  say: (line: string) => void,
): Promise<Record<string, string>> {
  const names = storeNames.filter((name) =>
    entries.some(({ store, value }) => store === name && value !== null),
  )
  const settings: Record<string, string> = {}
  for (const name of names) {
    settings[name] = await (await stores.get(name)).settings()
    say(`${name} ${settings[name]}`)
  }
  return settings
}
