import type { BatchStore } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { tellingWithin } from '../work/enqueue-executions.ts'
import { findBatch, findBatchBefore, listBatches } from './batch-rows.ts'
import { enqueueBatch } from './enqueue-batch.ts'

export function batchStore({ driver, hot, read, writeAndTell, tellWithin }: Scripts): BatchStore {
  return {
    enqueueBatch: (batch, within) =>
      within === undefined
        ? writeAndTell(() => enqueueBatch(batch, hot), 'work')
        : driver.within(within, () => tellingWithin(enqueueBatch(batch, hot), tellWithin)),
    findBatch: (id) => read(() => findBatch(id)),
    findBatchBefore: (onDoneId) => read(() => findBatchBefore(onDoneId)),
    listBatches: (query) => read(() => listBatches(query)),
  }
}
