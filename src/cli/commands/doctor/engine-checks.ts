/** On a database server: does it keep what it acknowledged, are there connections for all nodes, and who may do what? */
import { contextOf } from '../../../app/app-context.ts'
import type { EvertickOptions } from '../../../app/config/options.ts'
import type { Evertick } from '../../../evertick.ts'
import type { ServerFacts } from '../../../store/store.ts'
import { counted, listed } from '../../output/count-words.ts'
import { type Check, ok, warn } from './check.ts'

const usualPool = 10
/** Beside its pool, a node listens on one connection, and leads on one. */
const besidePool = 2
const fullShare = 0.8

/** Nothing on SQLite. */
export async function checkEngine(
  evertick: Evertick,
  pool: EvertickOptions['pool'],
): Promise<readonly Check[]> {
  const facts = await contextOf(evertick).store.cluster.serverFacts()
  if (facts === null) return []
  const nodes = await evertick.nodes.list()
  return [
    durabilityCheck(facts),
    connectionCheck(facts, nodes.length, pool),
    rightsCheck(facts),
    failoverCheck(nodes.filter(({ roles }) => roles.includes('scheduler'))),
  ]
}

function durabilityCheck({ forgetful }: ServerFacts): Check {
  if (forgetful.length === 0) return ok('durability', 'The server keeps what it has acknowledged.')
  return warn(
    'durability',
    `After a crash the server may have forgotten what it acknowledged: ${listed(forgetful)}.`,
    'Set what is usual there, unless you can do without the last moments before a crash.',
  )
}

function connectionCheck(
  { connections, maxConnections }: ServerFacts,
  nodes: number,
  pool: EvertickOptions['pool'],
): Check {
  const said = `${connections} of ${maxConnections} connections are open`
  // Behind a pooler the connections of the nodes are not those of the server.
  const most = pool?.direct === undefined ? nodes * ((pool?.max ?? usualPool) + besidePool) : 0
  const next = 'Raise `max_connections`, lower `pool.max`, or put a pooler in between.'
  if (connections > fullShare * maxConnections) return warn('connections', `${said}.`, next)
  if (most > maxConnections)
    return warn('connections', `${said}, and ${counted(nodes, 'node')} may open ${most}.`, next)
  return ok('connections', `${said}.`)
}

function rightsCheck({ powers }: ServerFacts): Check {
  if (powers.length === 0) return ok('rights', 'This user may read and write rows, and no more.')
  return warn(
    'rights',
    `This user ${listed(powers)}.`,
    'Let nodes be a user that may only read and write rows: docs/operations/roles.md.',
  )
}

function failoverCheck(schedulers: readonly { readonly host: string }[]): Check {
  const hosts = new Set(schedulers.map(({ host }) => host))
  if (schedulers.length === 0) return ok('failover', 'No node is running.')
  if (hosts.size > 1)
    return ok('failover', `${counted(schedulers.length, 'node')} on ${hosts.size} hosts may lead.`)
  return warn(
    'failover',
    schedulers.length === 1
      ? 'Only one node may lead; while it is away, nothing is scheduled.'
      : 'All nodes that may lead are on one host.',
    'Start a node with the role scheduler on another host.',
  )
}
