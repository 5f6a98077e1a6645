/** What a holder does with its claims, by hand for this engine: it keeps their leases, and starts those in reserve. */
import { idsOf, text } from '../sql/runtime/rows.ts'
import { rowsAlone, type Script } from '../sql/runtime/script.ts'
import type { Claim, ExtendRequest, ExtendResult } from '../store.ts'
import { batchParams, batchText, isHeld } from './batch.ts'

const claimColumns = { id: 'uuid', fence: 'number' } as const
const claims = batchText(claimColumns)
/** After the parameters of a batch of claims. */
const afterClaims = `$${batchParams(claimColumns, []).length + 1}::bigint`

const extendText = `
  UPDATE @live_executions e SET leased_until = ${afterClaims}
  FROM ${claims.from} WHERE ${isHeld(claims)}
  RETURNING e.id, e.cancel_requested_at`

export function* extendLeases({ claims, leasedUntil }: ExtendRequest): Script<ExtendResult> {
  const extended = yield* rowsAlone(extendText, ...batchParams(claimColumns, claims), leasedUntil)
  const kept = idsOf(extended)
  return {
    lost: claims.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
    cancelled: extended.filter((row) => row.cancel_requested_at !== null).map(({ id }) => text(id)),
  }
}

const startText = `
  UPDATE @live_executions e SET attempt = e.attempt + 1, started_at = ${afterClaims}, start_by = NULL
  FROM ${claims.from}
  WHERE ${isHeld(claims)} AND e.started_at IS NULL
    AND e.cancel_requested_at IS NULL AND (e.start_by IS NULL OR e.start_by >= ${afterClaims})
  RETURNING e.id`

export function* startClaims(claims: readonly Claim[], now: number): Script<ReadonlySet<string>> {
  return idsOf(yield* rowsAlone(startText, ...batchParams(claimColumns, claims), now))
}
