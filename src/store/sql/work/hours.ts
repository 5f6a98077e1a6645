/**
 * Opening hours in the rows of executions. `open_until` is the closing after an execution is ready, and `start_by` is never
 * later: so whatever starts work asks the hours with the question that it asks anyway.
 */
import { asksHours, type Cause } from '../../../core/execution/execution.ts'
import type { Job, JobSpec } from '../../../core/job/job.ts'
import { knownWindow, openUntil, zoneOf } from '../../../core/job/window.ts'
import { startBy } from '../jobs/job-columns.ts'
import { causeOf, jobFrom, number, optionalNumber, text } from '../runtime/rows.ts'
import { type Row, row, rows, run, type Script } from '../runtime/script.ts'
import { cancelWaiting, type Ended } from './ended.ts'

export interface StartLimits {
  readonly start_by: number | null
  readonly open_until: number | null
}

/** Until when an execution may start that is ready at an instant; the hours are asked from `from` on. */
export function startLimits(spec: JobSpec, cause: Cause, readyAt: number, from = readyAt): StartLimits {
  const open_until = asksHours(cause) ? openUntil(spec, from) : null
  const deadline = startBy(readyAt, spec)
  if (open_until === null) return { start_by: deadline, open_until }
  return { start_by: Math.min(deadline ?? open_until, open_until - 1), open_until }
}

/** Of what is late, what the closing was in time to stop. */
export function isPastClosing({ start_by, open_until }: Row, now: number): boolean {
  const closing = optionalNumber(open_until)
  return closing !== null && closing <= now && number(start_by) === closing - 1
}

const isOfTick = `cause IN ('schedule', 'catch_up')`
const waits = `(state = 'pending' OR state = 'blocked') AND started_at IS NULL AND waits_for IS NULL`

/** The closing has come before they could start. The caller settles the lanes of those that have ended. */
export function* closeLate(late: readonly Row[], now: number): Script<Ended[]> {
  const ended: Ended[] = []
  const byJob = Map.groupBy(late, ({ job_id }) => text(job_id))
  for (const [jobId, theirs] of [...byJob].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const held = yield* row('SELECT * FROM @jobs WHERE id = ? FOR UPDATE', jobId)
    if (held === null) continue
    const which = 'id IN ?* AND attempt = 0 AND open_until <= ?'
    ended.push(
      ...(yield* closeWaiting(
        jobFrom(held),
        which,
        theirs.map(({ id }) => text(id)),
        now,
      )),
    )
  }
  return ended
}

/** Put off until the opening, or cancelled where the job skips, or where none comes. */
function* closeWaiting(job: Job, which: string, ids: readonly string[], now: number): Script<Ended[]> {
  const window = knownWindow(job.spec)
  const opening = window?.hours.nextOpening(now) ?? null
  if (window?.onClosed !== 'defer' || opening === null)
    return yield* cancelWaiting('closed', now, which, ids, now)
  yield* putOff(job, opening, which, ids, now)
  return []
}

function* putOff(
  { spec }: Pick<Job, 'spec'>,
  opening: number,
  which: string,
  ...params: readonly (number | string | readonly string[])[]
): Script<void> {
  // Under `allow` there is no lane to wait in.
  const state = spec.overlap === 'allow' ? 'pending' : 'blocked'
  const { start_by, open_until } = startLimits(spec, 'schedule', opening)
  yield* run(
    `UPDATE @live_executions SET state = CASE WHEN waits_for IS NULL THEN '${state}' ELSE state END,
       ready_at = CASE WHEN waits_for IS NULL THEN ? ELSE ready_at END,
       wait_ready_at = CASE WHEN waits_for IS NULL THEN wait_ready_at ELSE ? END,
       open_until = ?, start_by = CASE WHEN attempt = 0 THEN ?::bigint END
     WHERE ${which} AND (state = 'pending' OR state = 'blocked')`,
    opening,
    opening,
    open_until,
    start_by,
    ...params,
  )
}

/** How far a lane goes: what is ready at this instant or later waits for an opening, and is nobody's turn. */
export function laneReach({ spec }: Pick<Job, 'spec'>, now: number): number | null {
  const window = knownWindow(spec)
  if (window === null) return null
  return window.hours.isOpen(now) ? (window.hours.nextClosing(now) ?? Number.MAX_SAFE_INTEGER) : 0
}

/** In closed time a lane releases no ticks and catch-ups: those whose time has come wait for the opening. */
export function* closeLane(job: Pick<Job, 'id' | 'spec'>, now: number): Script<void> {
  const window = knownWindow(job.spec)
  const opening = window?.hours.nextOpening(now) ?? null
  if (window === null || opening === null || opening === now) return
  const tried = window.onClosed === 'defer' ? '' : ' AND attempt > 0'
  const which = `job_id = ? AND state = 'blocked' AND ${isOfTick} AND ready_at < ?${tried}`
  yield* putOff(job, opening, which, job.id, opening)
}

/** An edit of the hours moves what has not started, in the same transaction. */
export function* moveToHours(before: JobSpec, after: Pick<Job, 'id' | 'spec'>, now: number): Script<void> {
  if (hoursText(before) === hoursText(after.spec)) return
  const waiting = yield* rows(
    `SELECT id, cause, scheduled_for, ready_at, start_by, open_until, attempt FROM @live_executions
     WHERE job_id = ? AND ${isOfTick} AND ${waits} ORDER BY id FOR UPDATE`,
    after.id,
  )
  const moves = Map.groupBy(waiting, (execution) =>
    JSON.stringify(movedLimits(before, after.spec, execution, now)),
  )
  for (const [to, group] of moves) {
    const [readyAt, startsBy, closing] = JSON.parse(to) as (number | null)[]
    yield* run(
      `UPDATE @live_executions SET ready_at = ?, start_by = ?, open_until = ? WHERE id IN ?* AND ${waits}`,
      readyAt ?? now,
      startsBy ?? null,
      closing ?? null,
      group.map(({ id }) => text(id)),
    )
  }
}

function movedLimits(before: JobSpec, spec: JobSpec, execution: Row, now: number): (number | null)[] {
  const ready = number(execution.ready_at)
  // What stands at an opening was moved there: it counts anew from its own instant.
  const hours = knownWindow(before)?.hours
  const wasMoved = ready > now && hours?.isOpen(ready) === true && !hours.isOpen(ready - 1)
  const from = wasMoved ? Math.max(number(execution.scheduled_for), now) : Math.max(ready, now)
  const opening = knownWindow(spec)?.hours.nextOpening(from) ?? from
  const readyAt = ready <= now && opening === now ? ready : opening
  const { start_by, open_until } = startLimits(spec, causeOf(execution.cause), readyAt, opening)
  return [readyAt, number(execution.attempt) === 0 ? start_by : null, open_until]
}

function hoursText(spec: JobSpec): string {
  const { window, calendar } = spec
  return JSON.stringify([window, calendar, zoneOf(spec)])
}
