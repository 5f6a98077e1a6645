/** A lease proves nothing; the fence does. Its time only says when another worker may try. */

/** A node waits this much longer for another node's lease, because clocks never agree to the millisecond. */
export const leaseSlackMs = 1_000
