/** Is there a leader, is the clock right, is every node alive? */

import type { AlertView } from '../../../app/alerts/alerts.ts'
import { shellWord } from '../../../core/shell-word.ts'
import { counted, listed } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { durationWords } from '../../output/times.ts'
import type { ExaminedSystem } from '../../system.ts'
import { isSilent } from '../cluster/liveness.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Between two nodes, or a node and this process. */
const clockSlackMs = 5_000

/** More terms than this in an hour: leadership does not stay where it is. */
const mostTerms = 5
const hourMs = 3_600_000

/** `offsetMs`: how far the clock of the database is from that of this machine; null where it is the same, or is not known. */
export async function checkCluster(evertick: ExaminedSystem, offsetMs: number | null): Promise<Check[]> {
  const now = Date.now()
  const nodes = await evertick.nodes.list()
  const leader = await evertick.leader.current()
  const terms = await evertick.leader.terms({ limit: 4 * mostTerms })
  const [latest] = terms
  const seen = [...nodes.map(({ seenAt }) => seenAt), latest?.lastHeartbeat ?? null, latest?.stopTime ?? null]
  const ahead = Math.max(0, ...seen.map((at) => (at === null ? 0 : at.getTime() - now)))
  const open = await evertick.alerts.list({ state: 'open', limit: namedAlerts })
  const silent = nodes.filter((node) => isSilent(node, now))
  return [
    clockCheck(now, ahead, offsetMs),
    leader === null
      ? warn(
          'leader',
          'There is no leader: nothing is being scheduled.',
          'Start a node with `evertick start`; it accounts for what was missed.',
        )
      : ok('leader', `${leader.instance} leads, term ${leader.termId}.`),
    leadershipCheck(terms.filter(({ startTime }) => now - startTime.getTime() < hourMs).length),
    silent.length > 0
      ? warn(
          'nodes',
          `No heartbeat for over 30 s from ${listed(silent.map(({ id }) => id))}.`,
          'If they are gone for good, the other nodes remove them within a minute.',
        )
      : ok('nodes', nodes.length === 0 ? 'No node is running.' : `${counted(nodes.length, 'node')} alive.`),
    versionCheck([...new Set(nodes.map(({ version }) => version))]),
    queueCheck(await evertick.queues.list()),
    alertCheck(open.alerts, await evertick.alerts.count()),
  ]
}

function clockCheck(now: number, ahead: number, offsetMs: number | null): Check {
  if (ahead > clockSlackMs)
    return fail(
      'clock',
      `The database has entries ${durationWords(ahead)} ahead of this clock.`,
      'Set the clock of this machine (NTP), or of the one that wrote them.',
    )
  if (offsetMs !== null && Math.abs(offsetMs) > clockSlackMs)
    return warn(
      'clock',
      `The clock of the database server is ${durationWords(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead of' : 'behind'} this one.`,
      'Nodes go by that of the server; set it right (NTP), or the logs of this machine tell other times.',
    )
  return ok('clock', `It is ${new Date(now).toISOString()}, and the database has nothing later.`)
}

function leadershipCheck(recent: number): Check {
  if (recent <= mostTerms) return ok('leadership', `${counted(recent, 'term')} began within the last hour.`)
  return warn(
    'leadership',
    `It changed ${recent} times within the last hour.`,
    'See who led, and the gaps: `evertick leader terms`. Pauses of a process or a slow database cost a lead.',
  )
}

function versionCheck(versions: readonly string[]): Check {
  if (versions.length < 2)
    return ok('versions', versions.length === 0 ? 'No node is running.' : `All nodes run ${versions[0]}.`)
  return warn(
    'versions',
    `The nodes run ${listed(versions.toSorted())}.`,
    'Replace those that are left of the old version: `evertick nodes`.',
  )
}

function queueCheck(queues: Awaited<ReturnType<ExaminedSystem['queues']['list']>>): Check {
  const held = queues.filter(({ pausedAt, pending }) => pausedAt !== null && pending > 0)
  if (held.length === 0) return ok('queues', 'Nothing waits in a paused queue.')
  const said = held.map(({ name, pending }) => `${pending.toLocaleString('en')} in "${plainText(name)}"`)
  return warn(
    'queues',
    `What waits in a paused queue does not start: ${listed(said)}.`,
    `Resume it with \`evertick queues resume ${shellWord(plainText(held[0]?.name ?? ''))}\`.`,
  )
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
