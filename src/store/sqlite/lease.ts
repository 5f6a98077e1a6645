/** What a holder does with its claims, by hand for this engine: it keeps their leases, and starts those in reserve. */
import { change, row, type Script } from '../sql/runtime/script.ts'
import type { Claim, ExtendRequest, ExtendResult } from '../store.ts'

const extendText = `
  UPDATE @live_executions SET leased_until = ? WHERE id = ? AND fence = ? AND state = 'running'
  RETURNING cancel_requested_at`

export function* extendLeases({ claims, leasedUntil }: ExtendRequest): Script<ExtendResult> {
  const lost: string[] = []
  const cancelled: string[] = []
  for (const claim of claims) {
    const extended = yield* row(extendText, leasedUntil, claim.id, claim.fence)
    if (extended === null) lost.push(claim.id)
    else if (extended.cancel_requested_at !== null) cancelled.push(claim.id)
  }
  return { lost, cancelled }
}

const startText = `
  UPDATE @live_executions SET attempt = attempt + 1, started_at = ?, start_by = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND started_at IS NULL AND cancel_requested_at IS NULL
    AND (start_by IS NULL OR start_by >= ?)`

export function* startClaims(claims: readonly Claim[], now: number): Script<ReadonlySet<string>> {
  const started = new Set<string>()
  for (const { id, fence } of claims)
    if ((yield change(startText, now, id, fence, now)) === 1) started.add(id)
  return started
}
