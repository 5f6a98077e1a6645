/**
 * A worker claims ahead, and what it has claimed stands in its reserve by a place that only grows. It begins in that order,
 * so one number says of all of it what has begun: one small row is written for as many starts as there are, where a row
 * for each start took half of the time of a short run. Whoever takes something out of a reserve, or asks it to stop, raises
 * its turn, and the next mark is refused: no handler begins on the word of a reserve that is no longer whole.
 */
import type { BeginReserved, Claim, Reserve, ReserveOf } from '../../store.ts'
import { number, optionalNumber, text } from '../runtime/rows.ts'
import { hold, insertRow, type Param, type Row, row, rows, run, type Script } from '../runtime/script.ts'

/** Further than any place that was handed out before, also by a claim of which nobody has heard yet. */
const stride = 1_000_000

/**
 * Begins a new count, beyond all places of the last. What has begun by the last count says so in its own row now; what has
 * not, says nothing, and has not started. Where somebody took the worker for dead, the last count is gone, but not what it
 * has claimed by its places.
 */
export function* openReserve(
  { nodeId, queue, nextPlace = 1 }: ReserveOf & { readonly nextPlace?: number },
  now: number,
): Script<Reserve> {
  const known = yield* run(
    'UPDATE @reserves SET turn = turn + 1 WHERE node_id = ? AND queue = ?',
    nodeId,
    queue,
  )
  if (known === 0) {
    const fromPlace = nextPlace === 1 ? 1 : nextPlace + stride
    // A turn that no mark of the last count can name.
    const turn = fromPlace
    yield* insertRow('reserves', {
      node_id: nodeId,
      queue,
      turn,
      from_place: fromPlace,
      begun_to: 0,
      begun_at: now,
    })
    return { turn, fromPlace }
  }
  const last = yield* row('SELECT * FROM @reserves WHERE node_id = ? AND queue = ?', nodeId, queue)
  const [lastFrom, begunTo] = [number(last?.from_place), number(last?.begun_to)]
  yield* run(
    `UPDATE @live_executions SET attempt = attempt + 1, started_at = ?
     WHERE state = 'running' AND leased_until IS NOT NULL AND started_at IS NULL AND leased_by = ? AND queue = ?
       AND reserve_place >= ? AND reserve_place <= ?`,
    number(last?.begun_at),
    nodeId,
    queue,
    lastFrom,
    begunTo,
  )
  const fromPlace = Math.max(lastFrom, begunTo) + stride
  yield* run('UPDATE @reserves SET from_place = ? WHERE node_id = ? AND queue = ?', fromPlace, nodeId, queue)
  return { turn: number(last?.turn), fromPlace }
}

const beginText = `
  UPDATE @reserves SET begun_to = ?, begun_at = ? WHERE node_id = ? AND queue = ? AND turn = ? AND begun_to < ?`

/**
 * Slots wait for it, so that its time decides how fast short work goes. A server that fails may forget the last marks:
 * a worker that dies with it leaves starts that nobody counts, as one on SQLite does when the power fails.
 */
export function* beginReserved({ nodeId, queue, turn, upTo, now }: BeginReserved): Script<boolean> {
  const params = [upTo, now, nodeId, queue, turn, upTo]
  const marked = yield { text: beginText, params, wants: 'changes', alone: 'writes', undurable: true }
  return marked === 1
}

/** A run that takes longer than most says in its own row when it began, for everybody who looks. */
export function* noteStarts(starts: readonly (Claim & { readonly startedAt: number })[]): Script<void> {
  for (const { id, fence, startedAt } of starts) {
    yield* run(
      `UPDATE @live_executions SET attempt = attempt + 1, started_at = ?
       WHERE id = ? AND fence = ? AND state = 'running' AND started_at IS NULL`,
      startedAt,
      id,
      fence,
    )
  }
}

/** Something of these nodes' reserves is taken back or asked to stop: they ask for each start by itself until they open again. */
export function* interruptReserves(nodeIds: readonly string[]): Script<void> {
  if (nodeIds.length > 0) yield* run('UPDATE @reserves SET turn = turn + 1 WHERE node_id IN ?*', nodeIds)
}

/**
 * Holds what is about to be stopped, so that nobody claims it, gives it back or ends it meanwhile: first the reserves that some
 * of it stands in, as everybody does, then the executions, then the reserves that a claim has put some into before.
 */
export function* holdToStop(which: string, ...params: Param[]): Script<void> {
  const reserved = `SELECT DISTINCT leased_by FROM @live_executions
    WHERE ${which} AND state = 'running' AND started_at IS NULL AND leased_by IS NOT NULL`
  const nodesOf = (leases: readonly Row[]) => leases.map(({ leased_by }) => text(leased_by)).sort()
  const before = nodesOf(yield* rows(reserved, ...params))
  yield* interruptReserves(before)
  yield* hold(`SELECT id FROM @live_executions WHERE ${which} ORDER BY id FOR UPDATE`, ...params)
  const held = nodesOf(yield* rows(reserved, ...params))
  yield* interruptReserves(held.filter((nodeId) => !before.includes(nodeId)))
}

/**
 * The leases with what their reserves say: who has begun by its place has started and counts, whatever its own row says.
 * The reserves are interrupted first, so that nothing more begins in them.
 */
export function* withReservedStarts(leases: readonly Row[]): Script<Row[]> {
  const inReserve = leases.filter(
    ({ started_at, reserve_place }) => started_at === null && reserve_place !== null,
  )
  if (inReserve.length === 0) return [...leases]
  const nodeIds = [...new Set(inReserve.map(({ leased_by }) => text(leased_by)))].sort()
  yield* interruptReserves(nodeIds)
  const reserveRows = yield* rows(
    'SELECT node_id, queue, from_place, begun_to, begun_at FROM @reserves WHERE node_id IN ?*',
    nodeIds,
  )
  const reserves = new Map(reserveRows.map((reserve) => [`${reserve.node_id} ${reserve.queue}`, reserve]))
  return leases.map((lease) => {
    const reserve = reserves.get(`${lease.leased_by} ${lease.queue}`)
    const place = optionalNumber(lease.reserve_place)
    if (lease.started_at !== null || reserve === undefined || place === null) return lease
    if (place < number(reserve.from_place) || place > number(reserve.begun_to)) return lease
    return { ...lease, attempt: number(lease.attempt) + 1, started_at: number(reserve.begun_at) }
  })
}

/** Those of nodes that are gone. */
export function* purgeReserves(before: number): Script<void> {
  const old = yield* rows(
    `SELECT DISTINCT r.node_id FROM @reserves r
     WHERE r.begun_at < ? AND NOT EXISTS (SELECT 1 FROM @nodes n WHERE n.id = r.node_id)`,
    before,
  )
  for (const { node_id } of old) yield* dropReserves(text(node_id))
}

/** Unless something is still leased to the node, of which they could tell whether it has begun. */
export function* dropReserves(nodeId: string): Script<void> {
  const held = yield* row(
    `SELECT id FROM @live_executions
     WHERE state = 'running' AND leased_until IS NOT NULL AND leased_by = ? LIMIT 1`,
    nodeId,
  )
  if (held === null) yield* run('DELETE FROM @reserves WHERE node_id = ?', nodeId)
}
