/**
 * The last word on what a newer event has followed: the claim has been committed, and so has whatever came before it. An
 * execution that was followed by then does not begin.
 */
import type { Claim, ClaimedExecution } from '../../store.ts'
import { idsOf } from '../runtime/rows.ts'
import { look, row, run, type Script } from '../runtime/script.ts'
import { settleEnded } from '../work/end-execution.ts'
import { endedFrom } from '../work/ended.ts'

/** What comes back from a sleep, or for a signal, is under way. */
const followedText = `
  SELECT e.id FROM @unique_keys k JOIN @live_executions e ON e.id = k.execution_id
  WHERE k.execution_id IN ?* AND k.followed_by <> ''
    AND NOT EXISTS (SELECT 1 FROM @steps s WHERE s.execution_id = e.id AND s.rest_fence = e.fence - 1)`

/** The attempt that the claim has counted is given back. */
const endText = `
  UPDATE @live_executions SET state = 'cancelled', cancel_reason = 'replaced', finished_at = ?, leased_until = NULL,
    start_by = NULL, attempt = attempt - CASE WHEN started_at IS NULL THEN 0 ELSE 1 END, started_at = NULL
  WHERE id = ? AND fence = ? AND state = 'running'`

const endedText = 'SELECT id, job_id, cause, tick_at, tied FROM @live_executions WHERE id = ?'

/** Nearly always none. */
export function* findFollowed(claims: readonly ClaimedExecution[]): Script<ReadonlySet<string>> {
  const tied = claims.filter((claim) => claim.tied && claim.cause === 'enqueue').map(({ id }) => id)
  return tied.length === 0 ? new Set() : idsOf(yield* look(followedText, tied))
}

export function* endFollowedClaims(claims: readonly Claim[], now: number): Script<void> {
  for (const { id, fence } of claims.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const ended = (yield* run(endText, now, id, fence)) === 0 ? null : yield* row(endedText, id)
    if (ended !== null) yield* settleEnded([endedFrom(ended, 'cancelled', now)], now)
  }
}
