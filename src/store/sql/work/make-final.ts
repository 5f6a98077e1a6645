/**
 * The end of executions, by whatever hand. Whoever writes a final state (a worker, the rescuer, an operator, a deploy, a
 * plan) calls `makeFinal` in the same transaction: what an end brings with it is written here and nowhere else. What
 * follows in the job's lane comes after it: `settleEnded`, or the caller's own where it holds the job and is not done with
 * its lane.
 */
import type { CancelReason, Cause } from '../../../core/execution/execution.ts'
import { type ExecutionState, isFinal } from '../../../core/execution/execution-state.ts'
import type { Heard } from '../../store.ts'
import { tellEnded } from '../notices/tell-ended.ts'
import { causeOf, optionalNumber, text } from '../runtime/rows.ts'
import { type Param, type Row, rows, run, type Script } from '../runtime/script.ts'

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

/** An execution whose run, or wait for one, has ended, with its new state. */
export interface Ended {
  readonly id: string
  readonly jobId: string
  readonly cause: Cause
  readonly tickAt: number | null
  readonly state: ExecutionState
  readonly at: number
}

/**
 * A completion has kept its row already, by the one statement that writes it: it is most of what a server does. `heard` is
 * what a node knows of who listens: with it, an end that nobody hears of costs no look.
 */
export function* makeFinal(ended: readonly Ended[], heard?: Heard): Script<void> {
  const ids = ended.filter(({ state }) => isFinal(state) && state !== 'completed').map(({ id }) => id)
  yield* keepFinished(ids)
  yield* tellEnded(ended, heard)
}

/** The rows go to the finished ones, where those have a table of their own. */
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

/** Cancels what has not begun, or waits for another try; returns it for `settleEnded` or `makeFinal`. */
export function* cancelWaiting(
  reason: CancelReason,
  now: number,
  which: string,
  ...params: Param[]
): Script<Ended[]> {
  const found = yield* rows(
    `SELECT id, job_id, cause, tick_at FROM @live_executions WHERE ${which} AND ${waits} ORDER BY id FOR UPDATE`,
    ...params,
  )
  if (found.length === 0) return []
  yield* run(
    `UPDATE @live_executions SET state = 'cancelled', cancel_reason = ?, finished_at = ?, start_by = NULL
     WHERE id IN ?* AND ${waits}`,
    reason,
    now,
    found.map(({ id }) => text(id)),
  )
  return found.map((execution) => endedFrom(execution, 'cancelled', now))
}

/** From a row of whatever statement has written its new state. */
export function endedFrom(execution: Row, state: ExecutionState, at: number): Ended {
  return {
    id: text(execution.id),
    jobId: text(execution.job_id),
    cause: causeOf(execution.cause),
    tickAt: optionalNumber(execution.tick_at),
    state,
    at,
  }
}
