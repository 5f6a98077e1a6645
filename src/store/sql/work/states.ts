/**
 * Groups of states, spelled as the partial indexes spell them: an index is used only where its own words stand in the
 * query. And by OR: for a list of three or more, SQLite builds a table each time it looks (10 us of 20 per execution).
 */
export const isActive = `(state = 'pending' OR state = 'running' OR state = 'retrying')`
export const isUnfinished = `(state = 'blocked' OR state = 'pending' OR state = 'running' OR state = 'retrying')`
/** Nobody has tried it yet: an action on its job may still take it back. */
export const isUnstarted = `((state = 'pending' OR state = 'blocked') AND attempt = 0)`
export const isFinal = `(state = 'completed' OR state = 'failed' OR state = 'cancelled')`
