/**
 * Writes a plan: executions, ranges, and the cursor that moves over them, all in the transaction that runs this script.
 */

import type { Placement } from '../../../core/execution/overlap.ts'
import type { Job } from '../../../core/job/job.ts'
import type { TickPlan } from '../../../core/tick/plan-ticks.ts'
import { type CursorMove, cursorValues } from '../hot-scripts.ts'
import { text } from '../runtime/rows.ts'
import { rows, run, type Script, type ScriptContext } from '../runtime/script.ts'
import { executionRow, insertExecutions, type NewExecutionRow } from '../work/insert-execution.ts'
import { cancelWaiting, makeFinal } from '../work/make-final.ts'
import { interruptReserves } from '../work/reserves.ts'
import { isActive, isUntried } from '../work/states.ts'
import { insertRanges } from './ledger-rows.ts'

/** Returns the job as it stands after the plan. The caller holds the job's row, and settles its lane afterwards. */
export function* applyPlan(job: Job, plan: TickPlan, now: number, context: ScriptContext): Script<Job> {
  if (plan.placement !== null) yield* makeRoom(job, plan.placement, now)
  if (plan.keepCatchUps !== null) {
    // This plan's catch-ups are the newest, so older ones make room for them.
    const made = plan.executions.filter((execution) => execution.cause === 'catch_up').length
    yield* supersedeCatchUps(job, Math.max(0, plan.keepCatchUps - made), now)
  }
  const ids = new Map(plan.executions.map(({ tickAt }) => [tickAt, context.newId(now)]))
  yield* insertExecutions(plan.executions.map((execution) => tickRow(job, execution, ids, now)))
  yield* insertRanges(job, plan, ids, now)
  return yield* moveCursor(job, plan, now)
}

/** The execution that is the account of a tick. */
export function tickRow(
  job: Job,
  execution: TickPlan['executions'][number],
  ids: ReadonlyMap<number, string>,
  now: number,
): NewExecutionRow {
  return executionRow(job, {
    ...execution,
    id: ids.get(execution.tickAt) ?? '',
    scheduledFor: execution.tickAt,
    index: execution.cause === 'catch_up' ? execution.index : null,
    of: execution.cause === 'catch_up' ? execution.of : null,
    input: job.spec.input ?? undefined,
    metadata: {},
    retryOf: null,
    idempotencyKey: null,
    createdAt: now,
  })
}

function* makeRoom(job: Job, placement: Placement, now: number): Script<void> {
  yield* stepBack(job, placement.stepBack)
  if (placement.replace.length > 0) {
    yield* makeFinal(
      yield* cancelWaiting('replaced', now, `id IN ?* AND state <> 'blocked'`, placement.replace),
    )
  }
  if (placement.replaceWaiting) {
    const waiting = `job_id = ? AND state = 'blocked' AND cause IN ('schedule', 'manual')`
    yield* makeFinal(yield* cancelWaiting('replaced', now, waiting, job.id))
  }
  if (placement.stop !== null) {
    const reserved = yield* rows(
      `SELECT leased_by FROM @live_executions WHERE id = ? AND state = 'running' AND started_at IS NULL`,
      placement.stop,
    )
    yield* interruptReserves(reserved.map(({ leased_by }) => text(leased_by)))
    yield* run(
      `UPDATE @live_executions SET cancel_requested_at = ?, cancel_reason = 'replaced'
       WHERE id = ? AND state = 'running' AND cancel_requested_at IS NULL`,
      now,
      placement.stop,
    )
  }
}

/** Released but unclaimed catch-ups make room for what is due now. */
export function* stepBack(job: Pick<Job, 'id'>, ids: readonly string[]): Script<void> {
  if (ids.length === 0) return
  const stepped = yield* run(
    `UPDATE @live_executions SET state = 'blocked' WHERE state = 'pending' AND id IN ?*`,
    ids,
  )
  if (stepped > 0) yield* run('UPDATE @jobs SET chain_yields = chain_yields + 1 WHERE id = ?', job.id)
}

/**
 * Five leader flaps must not make fifteen runs of a limit of three: the oldest that have not started go. What a worker has
 * in reserve has not started either: it is asked to stop, and its start is refused.
 */
function* supersedeCatchUps(job: Job, keep: number, now: number): Script<void> {
  const unstarted = yield* rows(
    `SELECT id, tick_at FROM @live_executions
     WHERE job_id = ? AND state = 'blocked' AND cause = 'catch_up' AND ${isUntried}
     UNION ALL
     SELECT id, tick_at FROM @live_executions
     WHERE job_id = ? AND ${isActive} AND cause <> 'enqueue' AND cause = 'catch_up' AND ${isUntried}
       AND (state = 'pending' OR state = 'running' AND cancel_requested_at IS NULL)
     ORDER BY tick_at DESC`,
    job.id,
    job.id,
  )
  const beyond = unstarted.slice(keep).map((execution) => text(execution.id))
  if (beyond.length === 0) return
  yield* makeFinal(yield* cancelWaiting('superseded', now, `id IN ?* AND state <> 'retrying'`, beyond))
  yield* run(
    `UPDATE @live_executions SET cancel_requested_at = ?, cancel_reason = 'superseded'
     WHERE id IN ?* AND state = 'running' AND attempt = 0`,
    now,
    beyond,
  )
}

/** The job as it stands once its cursor has moved over what the plan accounts for. */
export function jobAfter(job: Job, plan: TickPlan, now: number): Job {
  const ended = plan.ended && job.state === 'active'
  const { accountedUntil, nextDueAt, openTickAt } = plan
  const moved = { ...job, accountedUntil, nextDueAt, openTickAt, runs: job.runs + plan.executions.length }
  return ended ? { ...moved, state: 'completed', updatedAt: now } : moved
}

function* moveCursor(job: Job, plan: TickPlan, now: number): Script<Job> {
  const after = jobAfter(job, plan, now)
  if ((yield* moveOne({ job, after })) !== 1) throw cursorMoved(job.name)
  return after
}

const moveText = `
  UPDATE @jobs SET accounted_until = ?, next_due_at = ?, open_tick_at = ?, runs = ?, state = ?, updated_at = ?
  WHERE id = ? AND accounted_until = ? AND version = ?`

/** Compare-and-set on (cursor, version); how many moved. */
export function* moveOne(move: CursorMove): Script<number> {
  const after = cursorValues(move)
  const { accounted_until, next_due_at, open_tick_at, runs, state, updated_at } = after
  const set = [accounted_until, next_due_at, open_tick_at, runs, state, updated_at]
  return yield* run(moveText, ...set, after.id, after.was, after.version)
}

export function cursorMoved(name: string): Error {
  return new Error(`The cursor of job ${name} moved while its row was held.`)
}
