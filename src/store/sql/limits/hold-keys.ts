/**
 * The rows of keys are held last of all, in their order, and what hangs on a key is read once it is held: so two claims never
 * count the same share. Who holds a key waits for nothing more: it takes rows of its list only where nobody holds them.
 */
import { type KeyState, noNumbers, tokensAheadMs } from '../../../core/execution/limit.ts'
import { number, optionalNumber, text } from '../runtime/rows.ts'
import { insertUntaken, type Row, rows, run, type Script } from '../runtime/script.ts'
import type { CarriedKey } from './carried-keys.ts'

export interface HeldKey extends KeyState {
  readonly key: string
  readonly limitId: string
  /** Somebody stands in its list; and somebody of the queue that was asked for. */
  readonly waited: boolean
  readonly waitedInQueue: boolean
}

const holdText = 'SELECT limit_key FROM @limit_keys WHERE limit_key IN ?* ORDER BY limit_key FOR UPDATE'

const listed = `SELECT 1 FROM @live_executions e WHERE e.wait_key = k.limit_key AND e.waits_for = 'limit'`

const stateText = `
  SELECT k.limit_key, k.limit_id, k.starts, k.released, k.released_until, l.concurrency, l.rate_count, l.rate_per_ms,
    (SELECT count(*) FROM @limit_leases s WHERE s.limit_key = k.limit_key) AS running,
    CASE WHEN EXISTS (${listed}) THEN 1 ELSE 0 END AS waited,
    CASE WHEN EXISTS (${listed} AND e.queue = ?) THEN 1 ELSE 0 END AS waited_in_queue
  FROM @limit_keys k LEFT JOIN @limits l ON l.id = k.limit_id
  WHERE k.limit_key IN ?* ORDER BY k.limit_key`

/** Of each rate the starts that the next ones are measured by. */
const startsText = `
  SELECT s.limit_key, s.n, s.at FROM @limit_keys k
  JOIN @limits l ON l.id = k.limit_id
  JOIN @limit_starts s ON s.limit_key = k.limit_key AND s.n > k.starts - l.rate_count
    AND s.n <= k.starts - l.rate_count + ?::bigint
  WHERE k.limit_key IN ?* AND l.rate_count IS NOT NULL`

/** No more than these are asked about at once. */
const mostStarts = 500

/** In the order of the keys, without those that have no row: nothing hangs on them. */
export function* holdKeys(keys: readonly string[], now: number, queue = ''): Script<HeldKey[]> {
  if (keys.length === 0) return []
  const held = yield* rows(holdText, keys)
  return held.length === 0 ? [] : yield* readHeld(keys, now, queue)
}

/** The same; one that has no row gets one. */
export function* holdCarried(carried: readonly CarriedKey[], now: number, queue: string): Script<HeldKey[]> {
  if (carried.length === 0) return []
  const limitOf = new Map(carried.map(({ key, limitId }) => [key, limitId]))
  const keys = [...limitOf.keys()].sort()
  // Whoever removes one that nothing carries may come between.
  for (;;) {
    const held = new Set((yield* rows(holdText, keys)).map(({ limit_key }) => text(limit_key)))
    if (held.size === keys.length) return yield* readHeld(keys, now, queue)
    const missing = keys.filter((key) => !held.has(key))
    yield* insertUntaken(
      'limit_keys',
      { limit_key: 'text', limit_id: 'text', made_at: 'number' },
      missing.map((key) => ({ limit_key: key, limit_id: limitOf.get(key) ?? '', made_at: now })),
    )
  }
}

function* readHeld(keys: readonly string[], now: number, queue: string): Script<HeldKey[]> {
  const states = yield* rows(stateText, queue, keys)
  const rated = states.filter(({ rate_count }) => rate_count !== null)
  const starts = rated.length === 0 ? [] : yield* rows(startsText, mostStarts, rated.map(keyOf))
  yield* setBack(starts, now)
  const startsOf = Map.groupBy(starts, keyOf)
  return states.map((state) => {
    const startedAt = new Map(
      (startsOf.get(keyOf(state)) ?? []).map(({ n, at }) => [number(n), Math.min(number(at), now)]),
    )
    return heldFrom(state, startedAt, now)
  })
}

/** Clocks of nodes differ a little. */
const slackMs = 1_000

/** They count as now, and from now on: else nothing would start until the clock is there again. */
function* setBack(starts: readonly Row[], now: number): Script<void> {
  const ahead = new Set(starts.filter(({ at }) => number(at) > now + slackMs).map(keyOf))
  if (ahead.size > 0)
    yield* run('UPDATE @limit_starts SET at = ? WHERE limit_key IN ?* AND at > ?', now, [...ahead], now)
}

function keyOf({ limit_key }: Row): string {
  return text(limit_key)
}

function heldFrom(state: Row, startedAt: ReadonlyMap<number, number>, now: number): HeldKey {
  const until = number(state.released_until)
  // One that was written by a clock far ahead counts no longer than any other.
  const counts = until > now && until <= now + number(state.rate_per_ms ?? 0) + 2 * tokensAheadMs
  const rateCount = optionalNumber(state.rate_count)
  return {
    key: keyOf(state),
    limitId: text(state.limit_id),
    ...noNumbers,
    concurrency: optionalNumber(state.concurrency),
    rate: rateCount === null ? null : { count: rateCount, perMs: number(state.rate_per_ms) },
    running: number(state.running),
    released: counts ? number(state.released) : 0,
    starts: number(state.starts),
    startedAt,
    waited: number(state.waited) === 1,
    waitedInQueue: number(state.waited_in_queue) === 1,
  }
}
