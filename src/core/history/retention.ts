/**
 * What history may go. The ledger's start moves forward only to the start of a row, so that a range which straddles the
 * line stays whole, and what it passes is added to totals: totals + ledger = all ticks, always.
 */
import type { RetentionSpec } from '../job/options.ts'

/**
 * Where the ledger may start: everything below it is old enough, by age or because enough newer executions are kept.
 * @param nthNewestTick the tick of the oldest execution that `retention.executions` keeps, or null if there are fewer.
 */
export function retentionLine(
  retention: RetentionSpec,
  ledgerFrom: number,
  accountedUntil: number,
  nthNewestTick: number | null,
  now: number,
): number {
  const byAge = now - retention.ageMs
  const byCount = nthNewestTick ?? ledgerFrom
  // Never past now: a tick accounted ahead may still be taken back, and must not be in the totals by then.
  return Math.max(ledgerFrom, Math.min(accountedUntil, now, Math.max(byAge, byCount)))
}
