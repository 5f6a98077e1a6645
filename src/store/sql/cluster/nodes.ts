/** Nodes record that they are alive and which handlers they have. Jobs that no node can run follow from that. */
import { movedVersion } from '../../migrate.ts'
import type { HandlerChange, NodeRow, Touched } from '../../store.ts'
import { json, number, text } from '../runtime/rows.ts'
import { insertAll, insertRow, row, rows, run, type Script, setText } from '../runtime/script.ts'
import { dropReserves, purgeReserves } from '../work/reserves.ts'

/** An existing row is updated, not replaced: whoever holds it to remove it then finds that the node is back. */
export function* registerNode(node: NodeRow, handlers: readonly string[]): Script<number> {
  const row = {
    host: node.host,
    pid: node.pid,
    roles: JSON.stringify(node.roles),
    queues: JSON.stringify(node.queues),
    version: node.version,
    lease_ms: node.leaseMs,
    started_at: node.startedAt,
    seen_at: node.seenAt,
  }
  const known = yield* run(`UPDATE @nodes SET ${setText(row)} WHERE id = ?`, ...Object.values(row), node.id)
  if (known === 0) yield* insertRow('nodes', { ...row, id: node.id })
  yield* run('DELETE FROM @node_handlers WHERE node_id = ?', node.id)
  yield* addHandlers(node.id, [...new Set(handlers)])
  return yield* schemaVersion()
}

/** A node that is cleared away meanwhile would leave handlers that nobody has: its row is held until the commit. */
export function* changeHandlers(id: string, { added, removed }: HandlerChange): Script<boolean> {
  if ((yield* row('SELECT id FROM @nodes WHERE id = ? FOR UPDATE', id)) === null) return false
  // Also what is added: two changes at once may add the same handler.
  yield* run('DELETE FROM @node_handlers WHERE node_id = ? AND handler IN ?*', id, [...added, ...removed])
  yield* addHandlers(id, added)
  return true
}

function* addHandlers(id: string, handlers: readonly string[]): Script<void> {
  const rows = handlers.map((handler) => ({ handler, node_id: id }))
  yield* insertAll('node_handlers', { handler: 'text', node_id: 'text' }, rows)
}

/**
 * Long gone, and nothing is leased to it: else a lease longer than those of the others would seem to be dated by a clock
 * that was ahead, and be taken back before its time.
 */
const goneText = `
  SELECT n.id FROM @nodes n WHERE n.seen_at < ? AND NOT EXISTS (
    SELECT 1 FROM @live_executions e WHERE e.state = 'running' AND e.leased_by = n.id AND e.leased_until > ?)`

/** A heartbeat also clears away nodes that are long gone. */
export function* touchNode(id: string, now: number, lostMs: number): Script<Touched> {
  const known = yield* run('UPDATE @nodes SET seen_at = ? WHERE id = ?', now, id)
  const version = yield* schemaVersion()
  // There is nothing left to look at: its tables are aside.
  if (version === movedVersion) return { known: known === 1, schemaVersion: version }
  const gone = yield* rows(goneText, now - lostMs, now)
  for (const node of gone) yield* forgetNode(text(node.id), now - lostMs)
  yield* purgeReserves(now - lostMs)
  return { known: known === 1, schemaVersion: version }
}

function* schemaVersion(): Script<number> {
  return number((yield* row('SELECT max(version) AS version FROM @migrations'))?.version)
}

export function* removeNode(id: string): Script<void> {
  yield* forgetNode(id)
  // The others are aside.
  if ((yield* schemaVersion()) === movedVersion) return
  yield* dropReserves(id)
}

/**
 * Its reserves stay, for those who find its leases: they say what has begun. Its row is held first, and decides: who has come
 * back since keeps both its row and its handlers, and whoever adds handlers holds it, too.
 */
function* forgetNode(id: string, unseenSince = Number.MAX_SAFE_INTEGER): Script<void> {
  const known = yield* row('SELECT id FROM @nodes WHERE id = ? AND seen_at < ? FOR UPDATE', id, unseenSince)
  if (known === null) return
  yield* run('DELETE FROM @nodes WHERE id = ?', id)
  yield* run('DELETE FROM @node_handlers WHERE node_id = ?', id)
}

export function* listNodes(): Script<NodeRow[]> {
  const nodes = yield* rows('SELECT * FROM @nodes ORDER BY started_at, id')
  return nodes.map((node) => ({
    id: text(node.id),
    host: text(node.host),
    pid: number(node.pid),
    roles: json(node.roles) as string[],
    queues: json(node.queues) as Record<string, number>,
    version: text(node.version),
    leaseMs: number(node.lease_ms),
    startedAt: number(node.started_at),
    seenAt: number(node.seen_at),
  }))
}

export function* listHandlers(): Script<string[]> {
  const handlers = yield* rows('SELECT DISTINCT handler FROM @node_handlers ORDER BY handler')
  return handlers.map(({ handler }) => text(handler))
}

/**
 * Jobs whose handler no live node has, known for longer than since `since`. Their first sighting is written down, so
 * that the wait counts under living leaders only and a scheduler that starts first does not disable everybody's jobs.
 */
export function* findOrphans(since: number, now: number): Script<string[]> {
  const orphan = `j.deleted_at IS NULL AND j.state = 'active'
    AND NOT EXISTS (SELECT 1 FROM @node_handlers h WHERE h.handler = j.handler)`
  // Read first: a DELETE with that subquery would hold the rows of all jobs on MySQL, and wait for those who do.
  const orphans = yield* rows(
    `SELECT job_id FROM @orphans WHERE job_id NOT IN (SELECT j.id FROM @jobs j WHERE ${orphan})`,
  )
  const adopted = orphans.map(({ job_id }) => text(job_id))
  if (adopted.length > 0) yield* run('DELETE FROM @orphans WHERE job_id IN ?*', adopted)
  const fresh = yield* rows(
    `SELECT j.id FROM @jobs j WHERE ${orphan} AND NOT EXISTS (SELECT 1 FROM @orphans o WHERE o.job_id = j.id)`,
  )
  yield* insertAll(
    'orphans',
    { job_id: 'uuid', since_at: 'number' },
    fresh.map(({ id }) => ({ job_id: text(id), since_at: now })),
  )
  const old = yield* rows('SELECT job_id FROM @orphans WHERE since_at <= ? ORDER BY job_id LIMIT 500', since)
  return old.map((orphan) => text(orphan.job_id))
}
