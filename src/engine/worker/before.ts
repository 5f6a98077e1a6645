/** What an execution is told of those that it comes after: the steps before it, or the batch that it follows. */
import type { Parent } from '../../core/flow/flow.ts'
import type { Store } from '../../store/store.ts'
import type { JobContext } from './handler.ts'
import { errorFrom, OutcomeSignal } from './outcome-signal.ts'

export type Before = Pick<JobContext, 'parents' | 'batch'>

/** Of nearly all. */
export const nothingBefore: Before = { parents: Object.freeze({}), batch: null }

/** A database that does not answer is no failure of the handler: it is tried again, and no attempt counts. */
const lookAgainMs = 1_000

export async function readBefore(
  { flows, batches }: Pick<Store, 'flows' | 'batches'>,
  executionId: string,
): Promise<Before> {
  try {
    const parents = (await flows.readParents(executionId)).map(({ name, ...parent }): [string, Parent] => [
      name,
      parent,
    ])
    if (parents.length > 0) return { parents: Object.fromEntries(parents), batch: null }
    const batch = await batches.findBatchBefore(executionId)
    if (batch === null) return nothingBefore
    const { id, name, total, completed, failed, cancelled } = batch
    return { ...nothingBefore, batch: { id, name, total, completed, failed, cancelled } }
  } catch (error) {
    const why = `What it comes after could not be read: ${errorFrom(error).message}`
    throw new OutcomeSignal(why, { kind: 'snooze', afterMs: lookAgainMs })
  }
}
