/**
 * The scripts that decide the speed, by hand for this engine. A batch is one statement; its rows are one JSON parameter, or
 * lists by their keys. There is no UPDATE that returns rows: who must know which rows it has changed counts them, and looks
 * only where some are missing.
 */

import { keysOf } from '../../core/table-keys.ts'
import { type CursorMove, cursorValues, type HotScripts, pauseValues } from '../sql/hot-scripts.ts'
import { text } from '../sql/runtime/rows.ts'
import { rows, run, type Script } from '../sql/runtime/script.ts'
import { ClaimedJobs } from '../sql/work/claimed-jobs.ts'
import { mostIdle } from '../sql/work/idle-lanes.ts'
import { type BatchColumns, type BatchRow, batchJson, batchText, chunksOf } from './batch.ts'
import { claimExecutions } from './claim.ts'
import { enqueueExecutions } from './enqueue.ts'
import { completeAttempts, crashAttempts } from './finish.ts'
import { KnownSeqs } from './held-rows.ts'
import { extendLeases, startClaims } from './lease.ts'

export function hotScripts(): HotScripts {
  const known = { jobs: new ClaimedJobs(), seqs: new KnownSeqs() }
  const { seqs } = known
  return {
    enqueueExecutions,
    claimExecutions: (request) => claimExecutions(request, known),
    extendLeases: (request) => extendLeases(request, seqs),
    startClaims: (claims, now) => startClaims(claims, now, seqs),
    completeAttempts: (attempts) => completeAttempts(attempts, seqs),
    crashAttempts: (attempts) => crashAttempts(attempts, seqs),
    moveCursors,
    movePauses,
    findIdleLanes,
  }
}

const moveColumns = {
  id: 'VARCHAR(64) CHARACTER SET utf8mb4',
  was: 'BIGINT',
  version: 'BIGINT',
  accounted_until: 'BIGINT',
  next_due_at: 'BIGINT',
  open_tick_at: 'BIGINT',
  runs: 'BIGINT',
  state: 'VARCHAR(32) CHARACTER SET utf8mb4',
  updated_at: 'BIGINT',
} as const

const pauseColumns = {
  ...moveColumns,
  paused_at: 'BIGINT',
  paused_until: 'BIGINT',
  paused_reason: 'LONGTEXT CHARACTER SET utf8mb4',
  paused_by: 'LONGTEXT CHARACTER SET utf8mb4',
} as const

/** The rows are held already, in the order of their ids; the count is of rows matched. `more` is set, too. */
function moveTextOf(columns: BatchColumns<keyof typeof moveColumns>, more: readonly string[] = []): string {
  const { id: _, was: __, version: ___, ...written } = columns
  const set = [...keysOf(written).map((name) => `j.${name} = c.${name}`), ...more]
  return `UPDATE ${batchText(columns)} STRAIGHT_JOIN @jobs j ON j.id = c.id SET ${set.join(', ')}
    WHERE j.accounted_until = c.was AND j.version = c.version`
}

const moveText = moveTextOf(moveColumns)
const pauseText = moveTextOf(pauseColumns, ['j.version = j.version + 1'])

function* moveCursors(moves: readonly CursorMove[]): Script<number> {
  return yield* move(moveText, moveColumns, moves.map(cursorValues))
}

function* movePauses(moves: readonly CursorMove[]): Script<number> {
  return yield* move(pauseText, pauseColumns, moves.map(pauseValues))
}

function* move<Name extends string>(
  text: string,
  columns: BatchColumns<Name>,
  moves: readonly BatchRow<Name>[],
): Script<number> {
  let moved = 0
  for (const chunk of chunksOf(moves, (values) => Object.values(values))) {
    moved += yield* run(text, batchJson(columns, chunk))
  }
  return moved
}

/** No index has what is blocked in the order of its jobs, so that all of it is read; but each job is asked about once. */
const idleText = `
  SELECT b.job_id FROM (SELECT DISTINCT job_id FROM @live_executions WHERE state = 'blocked' AND ready_at <= ?) b
  WHERE NOT EXISTS (SELECT 1 FROM @live_executions a
    WHERE a.job_id = b.job_id AND a.state IN ('pending', 'running', 'retrying') AND a.cause <> 'enqueue')
  LIMIT ?`

function* findIdleLanes(now: number): Script<string[]> {
  return (yield* rows(idleText, now, mostIdle)).map(({ job_id }) => text(job_id))
}
