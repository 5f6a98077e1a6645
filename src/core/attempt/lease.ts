/** A lease is never proof, the fence is: its time only says when somebody else may try. */

/** Others' leases end this much after their time, so that clocks need not agree to the millisecond. */
export const leaseSlackMs = 1_000
