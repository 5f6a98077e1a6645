/** How a run that is due makes its way in a lane, whose job the caller holds. */
import type { Placement } from '../../../core/execution/overlap.ts'
import type { Job } from '../../../core/job/job.ts'
import { text } from '../runtime/rows.ts'
import { rows, run, type Script } from '../runtime/script.ts'
import { cancelWaiting, type Ended } from './ended.ts'
import { interruptReserves } from './reserves.ts'

/** What is under way steps aside for a run that is placed now. Returns what it has ended. The caller holds the job. */
export function* makeRoom(job: Pick<Job, 'id'>, placement: Placement, now: number): Script<Ended[]> {
  const ended: Ended[] = []
  yield* stepBack(job, placement.stepBack)
  if (placement.replace.length > 0) {
    ended.push(
      ...(yield* cancelWaiting('replaced', now, `id IN ?* AND state <> 'blocked'`, placement.replace)),
    )
  }
  if (placement.replaceWaiting) {
    const waiting = `job_id = ? AND state = 'blocked' AND waits_for IS NULL AND cause IN ('schedule', 'manual', 'dependency')`
    ended.push(...(yield* cancelWaiting('replaced', now, waiting, job.id)))
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
  return ended
}

/**
 * Released but unclaimed catch-ups make room for what is due now. One that waits for a limit goes back into its chain, too; on
 * MySQL, what stands further right sees what was set before it.
 */
export function* stepBack(job: Pick<Job, 'id'>, ids: readonly string[]): Script<void> {
  if (ids.length === 0) return
  const stepped = yield* run(
    `UPDATE @live_executions SET state = 'blocked', ready_at = COALESCE(wait_ready_at, ready_at), waits_for = NULL,
       wait_key = NULL, wait_ready_at = NULL, turn = NULL
     WHERE state = 'pending' AND id IN ?*`,
    ids,
  )
  if (stepped > 0) yield* run('UPDATE @jobs SET chain_yields = chain_yields + 1 WHERE id = ?', job.id)
}
