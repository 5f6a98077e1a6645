/** The proof of limits, as part of the audit: whoever runs has a share of each of its keys, and nobody else has one. */
import { text } from '../runtime/rows.ts'
import { rows, type Script } from '../runtime/script.ts'
import { carriedFrom } from './carried-keys.ts'

/** Of one moment. Returns how many shares are missing, or are held by what does not run. */
export function* recountShares(): Script<number> {
  const running = yield* rows(
    `SELECT id, limit_keys FROM @live_executions WHERE state = 'running' AND limit_keys IS NOT NULL`,
  )
  const shares = yield* rows('SELECT limit_key, execution_id FROM @limit_leases')
  const due = new Set(running.flatMap((row) => carriedFrom(row).map(({ key }) => `${key} ${text(row.id)}`)))
  const held = new Set(
    shares.map(({ limit_key, execution_id }) => `${text(limit_key)} ${text(execution_id)}`),
  )
  const missing = [...due].filter((share) => !held.has(share))
  const left = [...held].filter((share) => !due.has(share))
  return missing.length + left.length
}
