/**
 * The scripts that decide the speed, by hand for this engine. A batch is one statement, its rows are arrays: the round
 * trip and the planning are paid once, and the text stays constant, so that it can be prepared. States are literals: as a
 * parameter they would hide the partial indexes from the planner.
 */

import { type CursorMove, cursorValues, type HotScripts } from '../sql/hot-scripts.ts'
import { run, type Script } from '../sql/runtime/script.ts'
import { ClaimedJobs } from '../sql/work/claimed-jobs.ts'
import { findIdleLanes } from '../sql/work/idle-lanes.ts'
import { batchParams, batchText } from './batch.ts'
import { claimExecutions } from './claim.ts'
import { enqueueExecutions } from './enqueue.ts'
import { completeAttempts, crashAttempts } from './finish.ts'
import { extendLeases, startClaims } from './lease.ts'

export function hotScripts(): HotScripts {
  const jobs = new ClaimedJobs()
  return {
    enqueueExecutions,
    claimExecutions: (request) => claimExecutions(request, jobs),
    extendLeases,
    startClaims,
    completeAttempts,
    crashAttempts,
    moveCursors,
    findIdleLanes,
  }
}

const moveColumns = {
  id: 'uuid',
  was: 'number',
  version: 'number',
  accounted_until: 'number',
  next_due_at: 'number',
  open_tick_at: 'number',
  runs: 'number',
  state: 'text',
  updated_at: 'number',
} as const

const move = batchText(moveColumns)
const moveText = `
  UPDATE @jobs j SET accounted_until = ${move.valueOf('accounted_until')}, next_due_at = ${move.valueOf('next_due_at')},
    open_tick_at = ${move.valueOf('open_tick_at')}, runs = ${move.valueOf('runs')}, state = ${move.valueOf('state')},
    updated_at = ${move.valueOf('updated_at')}
  FROM ${move.from}
  WHERE j.id = c.id AND j.accounted_until = ${move.valueOf('was')} AND j.version = ${move.valueOf('version')}`

function* moveCursors(moves: readonly CursorMove[]): Script<number> {
  return yield* run(moveText, ...batchParams(moveColumns, moves.map(cursorValues)))
}
