/** What a holder does with its claims, by hand for this engine: it keeps their leases, and starts those in reserve. */
import { idsOf, text } from '../sql/runtime/rows.ts'
import { look, runAlone, type Script } from '../sql/runtime/script.ts'
import type { Claim, ExtendRequest, ExtendResult } from '../store.ts'
import { batchJson, batchText, claimColumns, inOrder, whichOf } from './batch.ts'

const claims = batchText(claimColumns)

const extendText = `
  UPDATE ${claims}
  STRAIGHT_JOIN @live_executions e ON e.id = c.id
  SET e.leased_until = ? WHERE e.fence = c.fence AND e.state = 'running'`

/** A fence that a row has left never comes back: what stands under it after the update stood under it before. */
const extendedText = `
  SELECT e.id, e.cancel_requested_at FROM ${claims}
  STRAIGHT_JOIN @live_executions e ON e.id = c.id
  WHERE e.fence = c.fence AND e.state = 'running'`

export function* extendLeases({ claims, leasedUntil }: ExtendRequest): Script<ExtendResult> {
  const batch = batchJson(claimColumns, inOrder(claims))
  yield* runAlone(extendText, batch, leasedUntil)
  const extended = yield* look(extendedText, batch)
  const kept = idsOf(extended)
  return {
    lost: claims.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
    cancelled: extended.filter((row) => row.cancel_requested_at !== null).map(({ id }) => text(id)),
  }
}

const startText = `
  UPDATE ${claims}
  STRAIGHT_JOIN @live_executions e ON e.id = c.id
  SET e.attempt = e.attempt + 1, e.started_at = ?, e.start_by = NULL
  WHERE e.fence = c.fence AND e.state = 'running' AND e.started_at IS NULL AND e.cancel_requested_at IS NULL
    AND (e.start_by IS NULL OR e.start_by >= ?)`

const startedText = `
  SELECT e.id FROM ${claims}
  STRAIGHT_JOIN @live_executions e ON e.id = c.id
  WHERE e.fence = c.fence AND e.state = 'running' AND e.started_at = ?`

export function* startClaims(claims: readonly Claim[], now: number): Script<ReadonlySet<string>> {
  const batch = batchJson(claimColumns, inOrder(claims))
  const started = yield* runAlone(startText, batch, now, now)
  return yield* whichOf(claims, started, () => look(startedText, batch, now))
}
