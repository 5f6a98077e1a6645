/** What a claim has taken at its keys. */
import { insertAll, run, type Script } from '../runtime/script.ts'
import type { HeldKey } from './hold-keys.ts'

interface Noted {
  readonly before: readonly HeldKey[]
  readonly after: readonly HeldKey[]
  readonly now: number
}

export function* noteShares(
  taken: readonly { readonly key: string; readonly executionId: string }[],
  { before, after, now }: Noted,
): Script<void> {
  yield* insertAll(
    'limit_leases',
    { limit_key: 'text', execution_id: 'uuid' },
    taken.map(({ key, executionId }) => ({ limit_key: key, execution_id: executionId })),
  )
  const changed = after.flatMap((key, index) => {
    const was = before[index]
    return was === undefined || (was.starts === key.starts && was.released === key.released)
      ? []
      : [{ was, key }]
  })
  for (const { was, key } of changed) {
    yield* run(
      'UPDATE @limit_keys SET starts = ?, released = ? WHERE limit_key = ?',
      key.starts,
      key.released,
      key.key,
    )
    if (key.starts > was.starts) yield* noteStarts(was, key, now)
  }
}

/** What no start is measured by any more goes. */
function* noteStarts(was: HeldKey, { key, starts, startedAt, rate }: HeldKey, now: number): Script<void> {
  const numbers = Array.from({ length: starts - was.starts }, (_, index) => was.starts + 1 + index)
  yield* insertAll(
    'limit_starts',
    { limit_key: 'text', n: 'number', at: 'number' },
    numbers.map((n) => ({ limit_key: key, n, at: startedAt.get(n) ?? now })),
  )
  if (rate === null) return
  const text = 'DELETE FROM @limit_starts WHERE limit_key = ? AND n <= ? AND at < ?'
  yield* run(text, key, starts - rate.count, now - rate.perMs)
}
