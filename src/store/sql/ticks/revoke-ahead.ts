/** What every action on a job does first with the ticks that were accounted ahead of their time. */
import type { Job } from '../../../core/job/job.ts'
import { number, optionalNumber, text } from '../runtime/rows.ts'
import { hold, row, rows, run, type Script } from '../runtime/script.ts'
import { giveBack } from '../work/end-execution.ts'
import { withReservedStarts } from '../work/reserves.ts'
import { isUnstarted } from '../work/states.ts'

/**
 * Takes back ticks accounted ahead that nobody has started: the claim into a slot is the start, and of what is only
 * reserved, the mark. The cursor goes back, never forward, to 1 ms after the later of now and the last started tick.
 */
export function* revokeAhead(job: Job, now: number): Script<Job> {
  if (job.accountedUntil <= now + 1) return job
  yield* giveBackReserved(job, now)
  // Held first, so that no claim comes between this look and the delete.
  yield* hold(
    `SELECT id FROM @live_executions WHERE job_id = ? AND tick_at > ? AND ${isUnstarted} FOR UPDATE`,
    job.id,
    now,
  )
  const claimed = yield* row(
    `SELECT max(tick_at) AS tick_at FROM @job_executions WHERE job_id = ? AND tick_at > ? AND NOT ${isUnstarted}`,
    job.id,
    now,
  )
  const lastRange = yield* row(
    'SELECT max(to_at) AS to_at FROM @tick_ranges WHERE job_id = ? AND to_at > ?',
    job.id,
    now,
  )
  const settledUntil =
    Math.max(
      now,
      job.revisionFrom - 1,
      optionalNumber(claimed?.tick_at) ?? 0,
      optionalNumber(lastRange?.to_at) ?? 0,
    ) + 1
  // What lies before a claimed tick stays, or the cursor would stand behind a tick without an account.
  const revoked = yield* rows(
    `SELECT id, tick_at FROM @live_executions WHERE job_id = ? AND tick_at >= ? AND ${isUnstarted} ORDER BY tick_at`,
    job.id,
    settledUntil,
  )
  if (revoked.length > 0) {
    const ids = revoked.map(({ id }) => text(id))
    const deleted = yield* run(`DELETE FROM @live_executions WHERE id IN ?* AND ${isUnstarted}`, ids)
    if (deleted !== ids.length) throw new Error(`A tick of job ${job.name} was claimed while it was held.`)
  }
  const accountedUntil = Math.min(job.accountedUntil, settledUntil)
  const reopened = job.spec.schedule?.kind === 'fixed_delay' ? optionalNumber(revoked[0]?.tick_at) : null
  const openTickAt = reopened ?? job.openTickAt
  const runs = job.runs - revoked.length
  // Its last tick, accounted ahead, had completed it; that tick is still to come.
  const state = job.state === 'completed' && revoked.length > 0 ? 'active' : job.state
  const moved = yield* run(
    `UPDATE @jobs SET accounted_until = ?, open_tick_at = ?, runs = ?, state = ?, version = version + 1
     WHERE id = ? AND version = ? AND accounted_until = ?`,
    accountedUntil,
    openTickAt,
    runs,
    state,
    job.id,
    job.version,
    job.accountedUntil,
  )
  if (moved !== 1) throw new Error(`Job ${job.name} changed while its row was held.`)
  return { ...job, accountedUntil, openTickAt, runs, state, version: job.version + 1 }
}

/**
 * Future ticks in a worker's reserve become claimable again; the worker's own mark or start then finds them gone. One that
 * was asked to stop is not to be had back: its worker ends it, or the rescuer.
 */
function* giveBackReserved(job: Job, now: number): Script<void> {
  const reserved = yield* rows(
    `SELECT id, fence, attempt, leased_by, queue, reserve_place, started_at FROM @live_executions
     WHERE job_id = ? AND tick_at > ? AND state = 'running' AND started_at IS NULL AND reserve_place IS NOT NULL
     AND cancel_requested_at IS NULL`,
    job.id,
    now,
  )
  const unbegun = (yield* withReservedStarts(reserved)).filter(({ started_at }) => started_at === null)
  for (const { id, fence } of unbegun) yield* giveBack({ id: text(id), fence: number(fence) }, now)
}
