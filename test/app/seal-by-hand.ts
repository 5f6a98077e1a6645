/** Seals the audit log as a leader does it, one look after the other. */
import { contextOf } from '../../src/app/app-context.ts'
import type { Evertick } from '../../src/evertick.ts'

export async function sealByHand(evertick: Evertick): Promise<void> {
  const { store, clock } = contextOf(evertick)
  const now = clock.now()
  const term = await store.cluster.electLeader({ nodeId: 'n1', now, leaseMs: 1_000 })
  if (term === null) throw new Error('somebody else leads')
  const leader = { termId: term.id, holder: 'n1' }
  const { newest } = await store.audit.sealAuditLog({ leader, upTo: 0, limit: 500, now })
  await store.audit.sealAuditLog({ leader, upTo: newest, limit: 500, now })
  await store.cluster.endTerm(term.id, 'n1', now)
}
