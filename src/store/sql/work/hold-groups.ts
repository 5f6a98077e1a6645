/**
 * Flows and batches are held before their executions: the end of one execution releases or cancels others of them, and two
 * that did so at once would wait for each other.
 */
import { optionalText } from '../runtime/rows.ts'
import { hold, type Param, rows, type Script } from '../runtime/script.ts'

const grouped = '(flow_id IS NOT NULL OR batch_id IS NOT NULL)'

/** Those of some unfinished executions, in the order of their ids. Called before anything of them is held or written. */
export function* holdGroups(which: string, ...params: Param[]): Script<void> {
  const found = yield* rows(
    `SELECT DISTINCT flow_id, batch_id FROM @live_executions WHERE ${which} AND ${grouped}`,
    ...params,
  )
  const idsOf = (column: 'flow_id' | 'batch_id') =>
    [...new Set(found.map((row) => optionalText(row[column])))].filter((id) => id !== null).sort()
  const flows = idsOf('flow_id')
  if (flows.length > 0) yield* hold('SELECT id FROM @flows WHERE id IN ?* ORDER BY id FOR UPDATE', flows)
  const batches = idsOf('batch_id')
  if (batches.length > 0)
    yield* hold('SELECT id FROM @batches WHERE id IN ?* ORDER BY id FOR UPDATE', batches)
}
