/** What the ends of members do to their batches, in the transaction of those ends: the last one releases what follows. */

import { optionalText, text } from '../runtime/rows.ts'
import { row, rows, run, type Script } from '../runtime/script.ts'
import { countMet } from '../work/count-met.ts'
import type { Ended } from '../work/ended.ts'

const membersText = 'SELECT id, batch_id FROM @finished_executions WHERE id IN ?* AND batch_id IS NOT NULL'

/** The row is held from here on. */
const countText = `
  UPDATE @batches SET completed = completed + ?, failed = failed + ?, cancelled = cancelled + ? WHERE id = ?`

/** Decided by its own row: only the end that makes the counts whole finds one. */
const doneText = `
  UPDATE @batches SET done_at = ? WHERE id = ? AND done_at IS NULL AND completed + failed + cancelled = total`

export function* settleBatches(ended: readonly Ended[], now: number): Script<void> {
  const states = new Map(ended.map(({ id, state }) => [id, state]))
  const members = yield* rows(membersText, [...states.keys()])
  const batches = [...Map.groupBy(members, ({ batch_id }) => text(batch_id))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  for (const [batchId, some] of batches) {
    const count = (state: Ended['state']) => some.filter(({ id }) => states.get(text(id)) === state).length
    yield* run(countText, count('completed'), count('failed'), count('cancelled'), batchId)
    if ((yield* run(doneText, now, batchId)) === 0) continue
    const batch = yield* row('SELECT on_done_id FROM @batches WHERE id = ?', batchId)
    const follows = optionalText(batch?.on_done_id)
    if (follows !== null) yield* countMet([follows], 1, now)
  }
}
