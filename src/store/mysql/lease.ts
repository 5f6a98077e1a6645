/** What a holder does with its claims, by hand for this engine: it keeps their leases, and starts those in reserve. */
import { idsOf, text } from '../sql/runtime/rows.ts'
import { look, type Row, run, runAlone, type Script } from '../sql/runtime/script.ts'
import type { Claim, ExtendRequest, ExtendResult } from '../store.ts'
import { chunksOf, whichOf } from './batch.ts'
import { claimsOf, heldRows, type KnownSeqs, underClaim } from './held-rows.ts'

const extendText = `UPDATE ${heldRows} SET e.leased_until = ? WHERE ${underClaim} AND e.state = 'running'`

/** A fence that a row has left never comes back: what stands under it after the update stood under it before. */
const extendedText = `
  SELECT e.id, e.cancel_requested_at FROM ${heldRows} WHERE ${underClaim} AND e.state = 'running'`

export function* extendLeases({ claims, leasedUntil }: ExtendRequest, seqs: KnownSeqs): Script<ExtendResult> {
  const extended: Row[] = []
  for (const chunk of chunksOf(yield* seqs.of(claims))) {
    yield* runAlone(extendText, leasedUntil, ...claimsOf(chunk))
    extended.push(...(yield* look(extendedText, ...claimsOf(chunk))))
  }
  const kept = idsOf(extended)
  return {
    lost: claims.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
    cancelled: extended.filter((row) => row.cancel_requested_at !== null).map(({ id }) => text(id)),
  }
}

const startText = `
  UPDATE ${heldRows} SET e.attempt = e.attempt + 1, e.started_at = ?, e.start_by = NULL
  WHERE ${underClaim} AND e.state = 'running' AND e.started_at IS NULL AND e.cancel_requested_at IS NULL
    AND (e.start_by IS NULL OR e.start_by >= ?)`

const startedText = `
  SELECT e.id FROM ${heldRows} WHERE ${underClaim} AND e.state = 'running' AND e.started_at = ?`

export function* startClaims(
  claims: readonly Claim[],
  now: number,
  seqs: KnownSeqs,
): Script<ReadonlySet<string>> {
  const chunks = chunksOf(yield* seqs.of(claims))
  const write = chunks.length === 1 ? runAlone : run
  const started = new Set<string>()
  for (const chunk of chunks) {
    const written = claimsOf(chunk)
    const count = yield* write(startText, now, ...written, now)
    for (const id of yield* whichOf(chunk, count, () => look(startedText, ...written, now))) started.add(id)
  }
  return started
}
