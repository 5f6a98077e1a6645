/** The end of what had shares, by whatever hand: its keys have room again, and the next of their lists may go. */
import { text } from '../runtime/rows.ts'
import { rows, run, type Script } from '../runtime/script.ts'
import type { Ended } from '../work/ended.ts'
import { holdKeys } from './hold-keys.ts'
import { levelKeys } from './level-keys.ts'

/**
 * A share comes back with its lease, whether the execution is final or waits for another try. What has left a list and ends
 * before it begins makes room for the next of that list, too.
 */
export function* settleLimits(ended: readonly Ended[]): Script<void> {
  const ids = ended.map(({ id }) => id)
  const left = ended.flatMap(({ leftKey }) => leftKey ?? [])
  const shares = yield* rows('SELECT limit_key FROM @limit_leases WHERE execution_id IN ?*', ids)
  const keys = [...new Set([...shares.map(({ limit_key }) => text(limit_key)), ...left])].sort()
  if (keys.length === 0) return
  const now = Math.max(...ended.map(({ at }) => at))
  yield* run('DELETE FROM @limit_leases WHERE execution_id IN ?*', ids)
  const held = yield* holdKeys(keys, now)
  const gone = (of: string) => left.filter((key) => key === of).length
  yield* levelKeys(
    held.map((key) => ({ ...key, released: Math.max(0, key.released - gone(key.key)) })),
    now,
  )
}
