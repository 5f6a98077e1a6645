/** Is there a leader, is the clock right, is every node alive? */

import type { AlertView } from '../../../app/alerts/alerts.ts'
import { counted, listed } from '../../output/count-words.ts'
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
  const open = await evertick.alerts.list({ state: 'open', limit: namedAlerts })
  const silent = nodes.filter((node) => isSilent(node, now))
  return [
    ahead > clockSlackMs
      ? fail(
          'clock',
          `The database has entries ${durationWords(ahead)} ahead of this clock.`,
          'Set the clock of this machine (NTP), or of the one that wrote them.',
        )
      : ok('clock', `It is ${new Date(now).toISOString()}, and the database has nothing later.`),
    leader === null
      ? warn(
          'leader',
          'There is no leader: nothing is being scheduled.',
          'Start a node with `evertick start`; it accounts for what was missed.',
        )
      : ok('leader', `${leader.instance} leads, term ${leader.termId}.`),
    silent.length > 0
      ? warn(
          'nodes',
          `No heartbeat for over 30 s from ${listed(silent.map(({ id }) => id))}.`,
          'If they are gone for good, the other nodes remove them within a minute.',
        )
      : ok('nodes', nodes.length === 0 ? 'No node is running.' : `${counted(nodes.length, 'node')} alive.`),
    alertCheck(open.alerts, await evertick.alerts.count()),
  ]
}

const namedAlerts = 3

function alertCheck(open: readonly AlertView[], counts: { readonly open: number }): Check {
  if (counts.open === 0) return ok('alerts', 'No alert is open.')
  const said = open.slice(0, namedAlerts).map(({ sentence }) => sentence)
  const rest = counts.open - said.length
  const more = rest > 0 ? ` And ${rest.toLocaleString('en')} more.` : ''
  return warn(
    'alerts',
    `${counted(counts.open, 'alert')} open. ${said.join(' ')}${more}`,
    'See them, and take them on: `evertick alerts list`.',
  )
}
