/** The ends of attempts, by hand for this engine. */
import { type Completion, type Crash, completionValues, crashValues } from '../sql/hot-scripts.ts'
import { idsOf } from '../sql/runtime/rows.ts'
import { rows, rowsAlone, type Script } from '../sql/runtime/script.ts'
import { type FinishedValues, finishedColumns } from '../sql/work/make-final.ts'
import { batchParams, batchText, isHeld } from './batch.ts'

const completeColumns = {
  id: 'uuid',
  fence: 'number',
  result: 'text',
  finished_at: 'number',
  started_at: 'number',
} as const

const complete = batchText(completeColumns)
/** What an end writes; all else moves along as it is. */
const completed: FinishedValues = {
  state: `'completed'`,
  result: 'new_result',
  error: 'NULL::text',
  finished_at: 'new_finished_at',
  attempt: 'attempt + CASE WHEN started_at IS NULL THEN 1 ELSE 0 END',
  started_at: 'COALESCE(started_at, new_started_at)',
}
/**
 * One statement takes the rows away and keeps them as finished. A success proves its job there, too; nearly always there is
 * no row to delete. By an array, since the planner assumes that arrays are short: joined with `done` it would read all that
 * is unproven.
 */
const completeText = `
  WITH done AS (
    DELETE FROM @live_executions e USING ${complete.from}
    WHERE ${isHeld(complete)} AND COALESCE(e.started_at, ${complete.valueOf('started_at')}) IS NOT NULL
    RETURNING e.*, ${complete.valueOf('result')} AS new_result, ${complete.valueOf('finished_at')} AS new_finished_at,
      ${complete.valueOf('started_at')} AS new_started_at
  ), kept AS (
    INSERT INTO @finished_executions (${finishedColumns.join(', ')})
    SELECT ${finishedColumns.map((name) => completed[name] ?? name).join(', ')} FROM done
  ), proven AS (
    DELETE FROM @unproven WHERE job_id = ANY (ARRAY(SELECT DISTINCT job_id FROM done ORDER BY job_id))
  )
  SELECT id FROM done`

export function* completeAttempts(attempts: readonly Completion[]): Script<ReadonlySet<string>> {
  const batch = attempts.map(completionValues)
  return idsOf(yield* rowsAlone(completeText, ...batchParams(completeColumns, batch)))
}

const crashColumns = {
  id: 'uuid',
  fence: 'number',
  state: 'text',
  error: 'text',
  ready_at: 'number',
  finished_at: 'number',
  attempt: 'number',
  started_at: 'number',
} as const

const crash = batchText(crashColumns)
const crashText = `
  UPDATE @live_executions e SET state = ${crash.valueOf('state')}, error = ${crash.valueOf('error')},
    ready_at = ${crash.valueOf('ready_at')}, finished_at = ${crash.valueOf('finished_at')}, leased_until = NULL,
    attempt = ${crash.valueOf('attempt')}, started_at = ${crash.valueOf('started_at')}
  FROM ${crash.from}
  WHERE ${isHeld(crash)}
  RETURNING e.id`

export function* crashAttempts(attempts: readonly Crash[]): Script<ReadonlySet<string>> {
  const batch = attempts.map(crashValues)
  return idsOf(yield* rows(crashText, ...batchParams(crashColumns, batch)))
}
