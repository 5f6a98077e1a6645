/** What has ended, or waits for another try; and how what has not begun is cancelled. */
import type { CancelReason, Cause } from '../../../core/execution/execution.ts'
import type { ExecutionState } from '../../../core/execution/execution-state.ts'
import { causeOf, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { type Param, type Row, rows, run, type Script } from '../runtime/script.ts'

/** An execution whose run, or wait for one, has ended, with its new state. */
export interface Ended {
  readonly id: string
  readonly jobId: string
  readonly cause: Cause
  readonly tickAt: number | null
  readonly state: ExecutionState
  readonly at: number
  /** Something hangs on its end beside its lane: `settleTies`. */
  readonly tied: boolean
  /** The key whose list it had left, to begin: its share is for the next there. */
  readonly leftKey?: string | null
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
    `SELECT id, job_id, cause, tick_at, tied, wait_key, waits_for FROM @live_executions WHERE ${which} AND ${waits} ORDER BY id FOR UPDATE`,
    ...params,
  )
  if (found.length === 0) return []
  yield* run(
    `UPDATE @live_executions SET state = 'cancelled', cancel_reason = ?, finished_at = ?, start_by = NULL,
       waits_for = NULL, wait_key = NULL, wait_ready_at = NULL, turn = NULL, open_parents = NULL
     WHERE id IN ?* AND ${waits}`,
    reason,
    now,
    found.map(({ id }) => text(id)),
  )
  return found.map((execution) => ({
    ...endedFrom(execution, 'cancelled', now),
    leftKey: execution.waits_for === null ? optionalText(execution.wait_key) : null,
  }))
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
    tied: optionalNumber(execution.tied) !== null,
  }
}
