/**
 * What hangs on an execution beside its lane is settled here, by whatever hand it ends, in the same transaction. Its row says
 * `tied` where there is anything; plain work costs nothing here.
 */
import { isFinal } from '../../../core/execution/execution-state.ts'
import { settleBatches } from '../batches/settle-batches.ts'
import { settleDependents } from '../dependencies/settle-dependents.ts'
import { settleFlows } from '../flows/settle-flows.ts'
import { endFollowed } from '../keys/followed.ts'
import { settleLimits } from '../limits/settle-limits.ts'
import { hold, type Script } from '../runtime/script.ts'
import type { Ended } from './ended.ts'
import { holdGroups } from './hold-groups.ts'

/**
 * Called before anything of them is written, once their jobs are held: from here on all is one transaction, in which a
 * completion would else be one by itself.
 */
export function* holdTied(ids: readonly string[]): Script<void> {
  if (ids.length === 0) return
  yield* holdGroups('id IN ?*', ids)
  yield* hold('SELECT id FROM @live_executions WHERE id IN ?* ORDER BY id FOR UPDATE', ids)
}

/**
 * Of tied executions that have ended, or wait for another try. Returns what it has ended itself: `makeFinal` goes on with
 * those. Nothing that an end makes can fail the end.
 */
export function* settleTies(ended: readonly Ended[]): Script<Ended[]> {
  if (ended.length === 0) return []
  const stopped = yield* endFollowed(ended)
  const final = ended.filter(({ state }) => isFinal(state))
  const now = final.reduce((latest, { at }) => Math.max(latest, at), 0)
  const cancelled = yield* settleFlows(final, now)
  const refused = yield* settleDependents(ended)
  yield* settleBatches(final, now)
  // Last: keys are held after all else.
  yield* settleLimits(ended)
  return [...stopped, ...cancelled, ...refused]
}
