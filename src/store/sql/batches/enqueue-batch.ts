import type { Enqueued, NewBatch, NewExecution } from '../../store.ts'
import type { HotScripts } from '../hot-scripts.ts'
import { insertAll, insertRow, type Script } from '../runtime/script.ts'
import { countMet } from '../work/count-met.ts'
import { enqueueExecutions } from '../work/enqueue-executions.ts'

const memberColumns = { batch_id: 'uuid', execution_id: 'uuid' } as const

/**
 * What follows is there from the start, so that nothing that the last end needs can be missing then. Its members are what
 * it has made: of what was enqueued before under the same unique key somebody else hears the end.
 */
export function* enqueueBatch(
  { id, name, createdAt, items, onDone }: NewBatch,
  hot: HotScripts,
): Script<Enqueued[]> {
  const drafts: NewExecution[] = items.map((item) => ({ ...item, ties: { batchId: id } }))
  if (onDone !== null) drafts.push({ ...onDone, ties: { openParents: 1, follows: true } })
  const enqueued = (yield* enqueueExecutions(drafts, hot)).slice(0, items.length)
  const members = enqueued.filter(({ created }) => created).map((one) => one.id)
  yield* insertRow('batches', {
    id,
    name,
    total: members.length,
    completed: 0,
    failed: 0,
    cancelled: 0,
    created_at: createdAt,
    done_at: members.length === 0 ? createdAt : null,
    on_done_id: onDone?.id ?? null,
  })
  yield* insertAll(
    'batch_members',
    memberColumns,
    members.map((member) => ({ batch_id: id, execution_id: member })),
  )
  if (members.length === 0 && onDone !== null) yield* countMet([onDone.id], 1, createdAt)
  return enqueued
}
