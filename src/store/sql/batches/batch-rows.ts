/** Batches in the database. */
import { idOrNone } from '../../../core/id.ts'
import type { Batch, BatchQuery } from '../../store.ts'
import { number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { type Row, row, rows, type Script } from '../runtime/script.ts'
import { Where } from '../runtime/where.ts'

function batchFrom(batch: Row): Batch {
  return {
    id: text(batch.id),
    name: optionalText(batch.name),
    total: number(batch.total),
    completed: number(batch.completed),
    failed: number(batch.failed),
    cancelled: number(batch.cancelled),
    createdAt: number(batch.created_at),
    doneAt: optionalNumber(batch.done_at),
    onDoneId: optionalText(batch.on_done_id),
  }
}

export function* findBatch(id: string): Script<Batch | null> {
  const batch = yield* row('SELECT * FROM @batches WHERE id = ?', idOrNone(id))
  return batch === null ? null : batchFrom(batch)
}

export function* findBatchBefore(onDoneId: string): Script<Batch | null> {
  const batch = yield* row('SELECT * FROM @batches WHERE on_done_id = ?', idOrNone(onDoneId))
  return batch === null ? null : batchFrom(batch)
}

export function* listBatches({ limit, afterId }: BatchQuery): Script<Batch[]> {
  const where = new Where('1 = 1')
  if (afterId !== undefined) where.and('id < ?', idOrNone(afterId))
  const text = `SELECT * FROM @batches WHERE ${where.text} ORDER BY id DESC LIMIT ?`
  return (yield* rows(text, ...where.params, limit)).map(batchFrom)
}
