/** The executions of keys: which still wait, and what becomes of those that wait in vain. */
import { number, text } from '../runtime/rows.ts'
import { rows, run, type Script, setText } from '../runtime/script.ts'
import { isSleeping } from '../steps/step-rows.ts'
import { settleEnded } from '../work/end-execution.ts'
import { cancelWaiting } from '../work/ended.ts'
import type { TiedRow } from '../work/enqueue-tied.ts'

export interface WaitingExecution {
  readonly readyAt: number
  /** It waits for its first begin: a second try keeps what it was given. */
  readonly isUntried: boolean
  /** It sleeps, or waits for a signal: it is under way. */
  readonly rests: boolean
}

const isWaiting = `(e.state = 'pending' OR e.state = 'retrying')`
const seenText = `SELECT e.id FROM @live_executions e WHERE e.id IN ?* AND ${isWaiting}`

const waitingText = `
  SELECT e.id, e.state, e.ready_at, e.attempt, e.retry_of,
    CASE WHEN ${isSleeping} THEN 1 ELSE 0 END AS rests,
    CASE WHEN EXISTS (SELECT 1 FROM @attempts a WHERE a.execution_id = e.id) THEN 1 ELSE 0 END AS tried
  FROM @live_executions e WHERE e.id IN ?* AND ${isWaiting} ORDER BY e.id FOR UPDATE`

/** Held, so that nobody claims one that waits. What runs is not touched: its lease goes on. */
export function* holdWaiting(ids: readonly string[]): Script<ReadonlyMap<string, WaitingExecution>> {
  if (ids.length === 0) return new Map()
  // First without a lock: in a caller's REPEATABLE READ, MySQL would also hold what runs. What was seen wrongly is found by its claim.
  const seen = (yield* rows(seenText, ids)).map(({ id }) => text(id))
  const waiting = seen.length === 0 ? [] : yield* rows(waitingText, seen)
  return new Map(
    waiting.map((row) => [
      text(row.id),
      {
        readyAt: number(row.ready_at),
        isUntried:
          row.state === 'pending' &&
          number(row.attempt) === 0 &&
          number(row.tried) === 0 &&
          row.retry_of === null,
        rests: number(row.rests) === 1,
      },
    ]),
  )
}

/** What an execution is, whatever it is given: all else is the newest event's. */
const own: readonly string[] = [
  'id',
  'job_id',
  'cause',
  'state',
  'handler',
  'unique_key',
  'created_at',
  'root_id',
  'flow_id',
  'flow_step',
  'batch_id',
]

/** It was held while it waited, so that this finds it: a caller's object with `query` alone may not tell how many rows it changed. */
export function* replaceInput(written: TiedRow): Script<void> {
  const columns = Object.entries(written).filter(([name]) => !own.includes(name))
  yield* run(
    `UPDATE @live_executions SET ${setText(Object.fromEntries(columns))} WHERE id = ? AND state = 'pending'`,
    ...columns.map(([, value]) => value),
    written.id,
  )
}

/** Second tries that a newer event has followed: what that one brings would be undone by them. */
export function* endReplaced(ids: readonly string[], now: number): Script<void> {
  if (ids.length > 0) yield* settleEnded(yield* cancelWaiting('replaced', now, 'id IN ?*', ids), now)
}
