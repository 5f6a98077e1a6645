/** What passes by all keys: the rescuer levels them, in case that somebody was passed over, and retention removes idle ones. */
import { text } from '../runtime/rows.ts'
import { look, rows, run, type Script } from '../runtime/script.ts'
import { holdKeys } from './hold-keys.ts'
import { levelKeys } from './level-keys.ts'

const pageKeys = 200

const waited = `EXISTS (SELECT 1 FROM @live_executions e WHERE e.wait_key = k.limit_key AND e.waits_for = 'limit')`

export interface LevelledPage {
  readonly lastKey: string | null
  readonly released: number
  readonly waiting: boolean
}

/** Nothing is held where nobody waits. */
export function* levelPage(afterKey: string, now: number): Script<LevelledPage> {
  const found = yield* look(
    `SELECT k.limit_key FROM @limit_keys k WHERE k.limit_key > ? AND ${waited} ORDER BY k.limit_key LIMIT ?`,
    afterKey,
    pageKeys,
  )
  const keys = found.map(({ limit_key }) => text(limit_key))
  const { released } = yield* levelKeys(yield* holdKeys(keys, now), now)
  const lastKey = keys.length < pageKeys ? null : (keys.at(-1) ?? null)
  return { lastKey, released, waiting: keys.length > 0 }
}

/** A key that is used again gets its row again. */
const idleMs = 3_600_000

const idleText = `
  SELECT k.limit_key FROM @limit_keys k LEFT JOIN @limits l ON l.id = k.limit_id
  WHERE k.made_at < ? AND NOT ${waited}
    AND NOT EXISTS (SELECT 1 FROM @limit_leases s WHERE s.limit_key = k.limit_key)
    AND NOT EXISTS (SELECT 1 FROM @limit_starts s
      WHERE s.limit_key = k.limit_key AND s.at >= ?::bigint - COALESCE(l.rate_per_ms, 0))
  ORDER BY k.limit_key LIMIT ?`

/** Returns how many have gone: nothing runs, waits or is measured under them. */
export function* purgeKeys(now: number): Script<number> {
  const found = yield* look(idleText, now - idleMs, now, pageKeys)
  if (found.length === 0) return 0
  const ids = found.map(({ limit_key }) => text(limit_key))
  const held = yield* holdKeys(ids, now)
  // Again, now that nobody else can take a share of them.
  const again = yield* rows(idleText, now - idleMs, now, pageKeys)
  const idle = new Set(again.map(({ limit_key }) => text(limit_key)))
  const keys = held.filter(({ key }) => idle.has(key)).map(({ key }) => key)
  if (keys.length === 0) return 0
  yield* run('DELETE FROM @limit_starts WHERE limit_key IN ?*', keys)
  return yield* run('DELETE FROM @limit_keys WHERE limit_key IN ?*', keys)
}
