/** The times of a lease. A lease is never proof, the fence is: these only say when somebody else may try. */

/** Others' leases end this much after their time, so that clocks need not agree to the millisecond. */
export const leaseSlackMs = 1_000

export function isExpired(leasedUntil: number, now: number): boolean {
  return leasedUntil + leaseSlackMs <= now
}

/** When a holder extends: at half of the lease. */
export function extendAt(claimedAt: number, leaseMs: number): number {
  return claimedAt + Math.floor(leaseMs / 2)
}
