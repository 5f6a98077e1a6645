/**
 * Somebody who leases by hand and is no node of its own. The engine claims for nodes that it knows, and takes a lease for a
 * clock's slip where it reaches further than any node's lease lasts: so its id is written down, with what it can do and how
 * long its leases last. It needs no heartbeat: nobody is cleared away who holds a lease.
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
  // What it holds by a longer lease stays as good as it was.
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
