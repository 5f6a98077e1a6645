/**
 * Runs that the ends of other jobs have made take their places in the lane of their own job, which is held for it. Where
 * somebody else holds it, nobody waits: whoever that is may look, and else the rescuer does.
 */

import { selectPaused } from '../../../core/dependency/paused-runs.ts'
import { placeTick } from '../../../core/execution/overlap.ts'
import type { Job } from '../../../core/job/job.ts'
import type { CatchUpSpec } from '../../../core/job/options.ts'
import { startBy } from '../jobs/job-columns.ts'
import { jobFrom, number, text } from '../runtime/rows.ts'
import { type Row, rows, run, type Script } from '../runtime/script.ts'
import { cancelWaiting, type Ended } from '../work/ended.ts'
import { loadLane } from '../work/lane.ts'
import { makeRoom } from '../work/make-room.ts'

/** Returns what has no room in its lane, and what it has replaced there: both have ended. */
export function* placeDependents(jobIds: readonly string[], now: number): Script<Ended[]> {
  const ended: Ended[] = []
  for (const id of jobIds.toSorted()) {
    const [job] = yield* rows('SELECT * FROM @jobs WHERE id = ? FOR UPDATE SKIP LOCKED', id)
    if (job !== undefined) ended.push(...(yield* placeInLane(jobFrom(job), now)))
  }
  return ended
}

const apartText = `
  SELECT id, ready_at FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND cause = 'dependency' AND waits_for = ? ORDER BY seq`

/** The caller holds the job. */
export function* placeInLane(job: Job, now: number): Script<Ended[]> {
  const ended: Ended[] = []
  for (const made of yield* rows(apartText, job.id, 'place')) ended.push(...(yield* placeOne(job, made, now)))
  return ended
}

const placeText = `
  UPDATE @live_executions SET state = ?, waits_for = NULL, ready_at = ?, start_by = ?
  WHERE id = ? AND state = 'blocked' AND waits_for IS NOT NULL`

function* placeOne(job: Job, made: Row, now: number): Script<Ended[]> {
  const id = text(made.id)
  if (job.state === 'paused') {
    yield* run(`UPDATE @live_executions SET waits_for = 'paused' WHERE id = ? AND state = 'blocked'`, id)
    return []
  }
  const placement = placeTick(yield* loadLane(job, now))
  if (placement.place === 'skip')
    return yield* cancelWaiting(placement.reason ?? 'overlap', now, 'id = ?', id)
  const replaced = yield* makeRoom(job, placement, now)
  const readyAt = Math.max(now, number(made.ready_at))
  yield* run(
    placeText,
    placement.place === 'start' ? 'pending' : 'blocked',
    readyAt,
    startBy(readyAt, job.spec),
    id,
  )
  return replaced
}

/** At the end of a pause: what it held back follows the policy for missed runs. The caller holds the job. */
export function* placePaused(job: Job, catchUp: CatchUpSpec | null, now: number): Script<Ended[]> {
  const held = yield* rows(apartText, job.id, 'paused')
  if (held.length === 0) return []
  const runs = held.map((made) => ({ id: text(made.id), at: number(made.ready_at) }))
  const { chosen, superseded, dropped } = selectPaused(runs, catchUp, now)
  const ended = [
    ...(yield* cancelWaiting('superseded', now, 'id IN ?*', superseded)),
    ...(yield* cancelWaiting('paused', now, 'id IN ?*', dropped)),
  ]
  for (const made of held) {
    if (chosen.includes(text(made.id))) ended.push(...(yield* placeOne(job, made, now)))
  }
  return ended
}
