/** PostgreSQL's own: how statements are planned, which are planned once and then kept. */

/**
 * For a connection. PostgreSQL plans a prepared statement again for its values as long as it thinks that this is cheaper. For
 * the claim, which reads the head of an index, it always thinks so: half a millisecond each time, as long as the claim
 * itself. No plan of ours depends on the values, and compiling one would take longer than the longest of them runs. But a
 * plan is kept that was made while a table was small, and a scan looked cheap: ten thousand ticks at one instant began up to
 * nine seconds late. All that we ask often has an index to go by.
 */
export const planOnce = 'SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off'

/**
 * A row of a table by a key of a batch. As a range: by an equation the planner may also turn the join around, read the whole
 * table and compare each row with the whole batch, which looks cheap where the table was small. Like this, it can only look
 * up one key after the other.
 */
export function byKey(column: string, key: string): string {
  return `${column} BETWEEN ${key} AND ${key}`
}
