/** A retry stays with the batch of what it retries, while that is open. */
import type { Execution } from '../../../core/execution/execution.ts'
import type { Ties } from '../../store.ts'
import { optionalNumber, text } from '../runtime/rows.ts'
import { insertRow, row, run, type Script } from '../runtime/script.ts'

/**
 * The retry of a member takes its place in an open batch, never in one that is done; a second one of the same member is
 * none. The retry of what follows follows in its turn. Null for all else. The batch is held from here on.
 */
export function* joinBatch(from: Execution, retryId: string): Script<Ties | null> {
  const { id, batchId } = from
  if (batchId === null) return yield* followBatch(id, retryId)
  const batch = yield* row('SELECT done_at FROM @batches WHERE id = ? FOR UPDATE', batchId)
  if (batch === null) return null
  const isOpen = optionalNumber(batch.done_at) === null && !(yield* wasRetried(from, batchId))
  // Also where it does not count: retention keeps them together.
  yield* insertRow('batch_members', { batch_id: batchId, execution_id: retryId })
  if (!isOpen) return null
  // Of the final states: a column of that name counts them.
  yield* run(`UPDATE @batches SET ${from.state} = ${from.state} - 1 WHERE id = ?`, batchId)
  return { batchId }
}

function* wasRetried({ id, jobId }: Execution, batchId: string): Script<boolean> {
  const text = 'SELECT id FROM @job_executions WHERE job_id = ? AND retry_of = ? AND batch_id = ? LIMIT 1'
  return (yield* row(text, jobId, id, batchId)) !== null
}

function* followBatch(id: string, retryId: string): Script<Ties | null> {
  const batch = yield* row('SELECT id, done_at FROM @batches WHERE on_done_id = ? FOR UPDATE', id)
  if (batch === null) return null
  yield* run('UPDATE @batches SET on_done_id = ? WHERE id = ?', retryId, text(batch.id))
  return { follows: true, openParents: optionalNumber(batch.done_at) === null ? 1 : 0 }
}
