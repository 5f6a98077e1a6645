/**
 * The scripts that decide the speed, by hand for this engine. In SQLite one prepared statement per row, inside one
 * transaction, beats any multi-row form: there is no round trip to save.
 */

import { type CursorMove, type HotScripts, pauseValues } from '../sql/hot-scripts.ts'
import { run, type Script, setText } from '../sql/runtime/script.ts'
import { moveOne } from '../sql/ticks/apply-plan.ts'
import { findIdleLanes } from '../sql/work/idle-lanes.ts'
import { claimExecutions } from './claim.ts'
import { enqueueExecutions } from './enqueue.ts'
import { completeAttempts, crashAttempts } from './finish.ts'
import { extendLeases, startClaims } from './lease.ts'

export function hotScripts(): HotScripts {
  return {
    enqueueExecutions,
    claimExecutions,
    extendLeases,
    startClaims,
    completeAttempts,
    crashAttempts,
    moveCursors,
    movePauses,
    findIdleLanes,
  }
}

function* moveCursors(moves: readonly CursorMove[]): Script<number> {
  let moved = 0
  for (const move of moves) moved += yield* moveOne(move)
  return moved
}

function* movePauses(moves: readonly CursorMove[]): Script<number> {
  let moved = 0
  for (const move of moves) {
    const { id, was, version, ...written } = pauseValues(move)
    moved += yield* run(
      `UPDATE @jobs SET version = version + 1, ${setText(written)} WHERE id = ? AND accounted_until = ? AND version = ?`,
      ...Object.values(written),
      id,
      was,
      version,
    )
  }
  return moved
}
