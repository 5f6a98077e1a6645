/**
 * What hangs on an execution beside its lane is settled here, by whatever hand it ends, in the same transaction. Its row says
 * `tied` where there is anything; plain work costs nothing here.
 */
import { hold, type Script } from '../runtime/script.ts'
import type { Ended } from './ended.ts'

/**
 * Called before anything of them is written, once their jobs are held: from here on all is one transaction, in which a
 * completion would else be one by itself.
 */
export function* holdTied(ids: readonly string[]): Script<void> {
  if (ids.length === 0) return
  yield* hold('SELECT id FROM @live_executions WHERE id IN ?* ORDER BY id FOR UPDATE', ids)
}

/**
 * Of tied executions that have ended, or wait for another try. Returns what it has ended itself: `makeFinal` goes on with
 * those. Nothing that an end makes can fail the end.
 */
export function* settleTies(_ended: readonly Ended[]): Script<Ended[]> {
  return []
}
