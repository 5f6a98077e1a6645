/** Does somebody lead, does the clock make sense, does every node live? */
import { counted } from '../../output/count-words.ts'
import { durationWords } from '../../output/times.ts'
import type { ExaminedSystem } from '../../system.ts'
import { isSilent } from '../cluster/liveness.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Between two nodes, or a node and this process. */
const clockSlackMs = 5_000

export async function checkCluster(evertick: ExaminedSystem): Promise<Check[]> {
  const now = Date.now()
  const nodes = await evertick.nodes.list()
  const leader = await evertick.leader.current()
  const [latest] = await evertick.leader.terms({ limit: 1 })
  const seen = [...nodes.map(({ seenAt }) => seenAt), latest?.lastHeartbeat ?? null, latest?.stopTime ?? null]
  const ahead = Math.max(0, ...seen.map((at) => (at === null ? 0 : at.getTime() - now)))
  const silent = nodes.filter((node) => isSilent(node, now))
  return [
    ahead > clockSlackMs
      ? fail(
          'clock',
          `The database was written ${durationWords(ahead)} in the future of this clock.`,
          'Set the clock (NTP) of this machine, or of the one that wrote.',
        )
      : ok('clock', `It is ${new Date(now).toISOString()}, and nothing was written later.`),
    leader === null
      ? warn(
          'leader',
          'Nobody leads: no tick is decided now.',
          'Start a node with `evertick start`; it accounts for what was missed.',
        )
      : ok('leader', `${leader.instance} leads, term ${leader.termId}.`),
    silent.length > 0
      ? warn(
          'nodes',
          `${counted(silent.length, 'node')} silent for over 30 s: ${silent.map(({ id }) => id).join(', ')}.`,
          'If they are gone for good, others clear them away in a minute.',
        )
      : ok('nodes', nodes.length === 0 ? 'None runs.' : `${counted(nodes.length, 'node')} alive.`),
  ]
}
