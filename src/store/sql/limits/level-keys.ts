/**
 * Levels keys: while there is more room at a key than what has left its list lately will take, the first of the list leaves
 * it. It is ready then, at its old time, and its claim takes the share, or finds that somebody was quicker.
 */
import { releaseCountsMs, releasesOf } from '../../../core/execution/limit.ts'
import { number, text } from '../runtime/rows.ts'
import { type Row, rows, run, type Script } from '../runtime/script.ts'
import type { HeldKey } from './hold-keys.ts'

/**
 * The first of the highest priority in a list. What somebody holds is passed over: he looks at its key again, or the rescuer
 * does. What is in a paused queue would only stand in the way of what is not.
 */
const headText = `
  SELECT e.id, e.priority, e.wait_ready_at FROM @live_executions e
  WHERE e.wait_key = ? AND e.waits_for = 'limit' AND e.priority = (
      SELECT max(t.priority) FROM @live_executions t
      WHERE t.wait_key = ? AND t.waits_for = 'limit' AND t.priority < ?::bigint)
    AND (SELECT count(*) FROM @queues q WHERE q.name = e.queue AND q.paused_at IS NOT NULL) = 0
  ORDER BY e.turn, e.wait_ready_at, e.seq LIMIT ? FOR UPDATE SKIP LOCKED`

const aboveAll = 2 ** 31

/** Returns how many have left their lists, and when the first of them is ready. */
export interface Levelled {
  readonly released: number
  readonly readyAt: number
}

export function* levelKeys(keys: readonly HeldKey[], now: number): Script<Levelled> {
  const atOnce: string[] = []
  const notedOf = new Map<string, string[]>()
  let released = 0
  let readyAt = Number.POSITIVE_INFINITY
  for (const key of keys) {
    const instants = key.waited ? releasesOf(key, now) : []
    const leaving = yield* headOf(key.key, instants.length)
    if (leaving.length === 0) continue
    for (const [index, execution] of leaving.entries()) {
      const id = text(execution.id)
      const at = Math.max(instants[index] ?? now, number(execution.wait_ready_at))
      if (at <= now) atOnce.push(id)
      else yield* run(`UPDATE @live_executions SET waits_for = NULL, ready_at = ? WHERE id = ?`, at, id)
      readyAt = Math.min(readyAt, at)
    }
    released += leaving.length
    const until = Math.max(now, instants[leaving.length - 1] ?? now) + releaseCountsMs
    const noted = `${key.released + leaving.length} ${until}`
    notedOf.set(noted, [...(notedOf.get(noted) ?? []), key.key])
  }
  if (atOnce.length > 0)
    yield* run(
      'UPDATE @live_executions SET waits_for = NULL, ready_at = wait_ready_at WHERE id IN ?*',
      atOnce,
    )
  for (const [noted, levelled] of notedOf) {
    const [count = 0, until = 0] = noted.split(' ').map(Number)
    const text = 'UPDATE @limit_keys SET released = ?, released_until = ? WHERE limit_key IN ?*'
    yield* run(text, count, until, levelled)
  }
  return { released, readyAt }
}

/** By priority, then in the order of the list. */
function* headOf(key: string, count: number): Script<Row[]> {
  const head: Row[] = []
  let below = aboveAll
  while (head.length < count) {
    const found = yield* rows(headText, key, key, below, count - head.length)
    const [first] = found
    if (first === undefined) break
    head.push(...found)
    below = number(first.priority)
  }
  return head
}
