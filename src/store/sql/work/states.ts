/**
 * Groups of states, spelled as the partial indexes spell them: an index is used only where its own words stand in the
 * query. And by OR: for a list of three or more, SQLite builds a table each time it looks (10 us of 20 per execution).
 */
export const isActive = `(state = 'pending' OR state = 'running' OR state = 'retrying')`
export const isUnfinished = `(state = 'blocked' OR state = 'pending' OR state = 'running' OR state = 'retrying')`
/**
 * It has never begun. A snooze or a rest gives its attempt back, but not its start: whoever looked at the count alone would
 * supersede a catch-up that sleeps between two of its steps.
 */
export const isUntried = `attempt = 0 AND NOT EXISTS (SELECT 1 FROM @attempts tried WHERE tried.execution_id = id)`
/** Nobody has tried it yet: an action on its job may still take it back. */
export const isUnstarted = `((state = 'pending' OR state = 'blocked') AND ${isUntried})`
export const isFinal = `(state = 'completed' OR state = 'failed' OR state = 'cancelled')`
