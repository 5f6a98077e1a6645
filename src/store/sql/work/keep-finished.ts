/**
 * The end of executions, by whatever hand: a final state is written, and in the same transaction its row goes to the
 * finished ones, where those have a table of their own.
 */
import type { CancelReason } from '../../../core/execution/execution.ts'
import { text } from '../runtime/rows.ts'
import { type Param, rows, run, type Script } from '../runtime/script.ts'

/** What is kept of an execution; only a claim or its lease needs the others. */
export const finishedColumns = [
  'seq',
  'id',
  'job_id',
  'cause',
  'tick_at',
  'account',
  'scheduled_for',
  'state',
  'ready_at',
  'queue',
  'priority',
  'handler',
  'attempt',
  'max_attempts',
  'caught_up_index',
  'caught_up_of',
  'input',
  'result',
  'error',
  'cancel_reason',
  'cancel_requested_at',
  'progress',
  'progress_note',
  'metadata',
  'unique_key',
  'retry_of',
  'idempotency_key',
  'fence',
  'leased_by',
  'created_at',
  'started_at',
  'finished_at',
] as const

/** What an end writes, in SQL; all else moves along as it is. */
export type FinishedValues = Readonly<Partial<Record<(typeof finishedColumns)[number], string>>>

const names = finishedColumns.join(', ')
const ended = `id IN ?* AND state IN ('completed', 'failed', 'cancelled')`
const copyText = `INSERT INTO @finished_executions (${names}) SELECT ${names} FROM @live_executions WHERE ${ended}`
const removeText = `DELETE FROM @live_executions WHERE ${ended}`

/** Those among them whose state is final. */
export function* keepFinished(ids: readonly string[]): Script<void> {
  if (ids.length === 0) return
  const copied = yield* moved(copyText, ids)
  const removed = yield* moved(removeText, ids)
  if (copied !== removed) throw new Error(`${copied} executions were kept, but ${removed} have ended.`)
}

function* moved(text: string, ids: readonly string[]): Script<number> {
  return yield { text, params: [ids], wants: 'changes', apart: true }
}

const waits = `state IN ('pending', 'retrying', 'blocked')`

/** Ends what has not begun, or waits for another try; returns which. */
export function* cancelWaiting(
  reason: CancelReason,
  now: number,
  which: string,
  ...params: Param[]
): Script<string[]> {
  const found = yield* rows(
    `SELECT id FROM @live_executions WHERE ${which} AND ${waits} ORDER BY id FOR UPDATE`,
    ...params,
  )
  if (found.length === 0) return []
  const ids = found.map(({ id }) => text(id))
  yield* run(
    `UPDATE @live_executions SET state = 'cancelled', cancel_reason = ?, finished_at = ?, start_by = NULL
     WHERE id IN ?* AND ${waits}`,
    reason,
    now,
    ids,
  )
  yield* keepFinished(ids)
  return ids
}
