/** The tables of the database itself that a backup's rows are in. */
import type { Store } from '../../store.ts'
import { backedUpTables } from './tables.ts'

/** On PostgreSQL there are two of executions, and what the backup knows is a view of both. */
export function ownTables(dialect: Store['dialect']): string[] {
  return backedUpTables.flatMap(({ name }) =>
    name === 'job_executions' && dialect === 'postgres' ? ['live_executions', 'finished_executions'] : [name],
  )
}
