/**
 * The scripts that decide the speed, by hand for this engine. A batch is one statement, its rows are arrays: the round
 * trip and the planning are paid once, and the text stays constant, so that it can be prepared. States are literals: as a
 * parameter they would hide the partial indexes from the planner.
 */

import { keysOf } from '../../core/table-keys.ts'
import { type CursorMove, cursorValues, type HotScripts, pauseValues } from '../sql/hot-scripts.ts'
import { type Columns, run, type Script } from '../sql/runtime/script.ts'
import { ClaimedJobs } from '../sql/work/claimed-jobs.ts'
import { findIdleLanes } from '../sql/work/idle-lanes.ts'
import { batchParams, batchText } from './batch.ts'
import { claimExecutions } from './claim.ts'
import { enqueueExecutions } from './enqueue.ts'
import { completeAttempts, crashAttempts } from './finish.ts'
import { extendLeases, startClaims } from './lease.ts'
import { byKey } from './plans.ts'

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
    movePauses,
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

const pauseColumns = {
  ...moveColumns,
  paused_at: 'number',
  paused_until: 'number',
  paused_reason: 'text',
  paused_by: 'text',
} as const

/** Where cursor and version still are what they were; `more` is set, too. */
function moveTextOf(columns: Columns<keyof typeof moveColumns>, more: readonly string[] = []): string {
  const { from, valueOf } = batchText(columns)
  const { id: _, was: __, version: ___, ...written } = columns
  const set = [...keysOf(written).map((name) => `${name} = ${valueOf(name)}`), ...more]
  return `UPDATE @jobs j SET ${set.join(', ')} FROM ${from}
    WHERE ${byKey('j.id', 'c.id')} AND j.accounted_until = ${valueOf('was')} AND j.version = ${valueOf('version')}`
}

const moveText = moveTextOf(moveColumns)
const pauseText = moveTextOf(pauseColumns, ['version = j.version + 1'])

function* moveCursors(moves: readonly CursorMove[]): Script<number> {
  return yield* run(moveText, ...batchParams(moveColumns, moves.map(cursorValues)))
}

function* movePauses(moves: readonly CursorMove[]): Script<number> {
  return yield* run(pauseText, ...batchParams(pauseColumns, moves.map(pauseValues)))
}
