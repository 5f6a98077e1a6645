/**
 * A holder of leases that is not a node. The engine claims only for registered nodes, and treats a lease that is longer
 * than any node's as a clock error: so the holder is registered, with its handlers and the length of its leases. It needs
 * no heartbeat: a node that holds a lease is never cleared away.
 */
import { hostname } from 'node:os'
import type { NodeRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { version } from '../config/version.ts'

/** Returns the longest lease that it has asked for; null if a node has this name. */
export async function registerHolder(
  app: AppContext,
  holder: { readonly id: string; readonly handlers: readonly string[]; readonly leaseMs: number },
): Promise<number | null> {
  const { store, clock } = app
  const now = clock.now()
  const known = await findHolder(app, holder.id)
  if (known !== null && known.roles.length > 0) return null
  // Its longer leases stay valid.
  const leaseMs = Math.max(holder.leaseMs, known?.leaseMs ?? 0)
  const { id } = holder
  const startedAt = known?.startedAt ?? now
  const node = { id, host: hostname(), pid: process.pid, version, leaseMs, startedAt, seenAt: now }
  await store.cluster.registerNode({ ...node, roles: [], queues: {} }, holder.handlers)
  return leaseMs
}

export async function findHolder({ store }: AppContext, id: string): Promise<NodeRow | null> {
  return (await store.cluster.listNodes()).find((node) => node.id === id) ?? null
}
