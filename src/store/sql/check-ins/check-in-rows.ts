/** The tokens of jobs that run elsewhere, and what they have said. */
import type { CheckIn } from '../../../core/check-in/check-in.ts'
import type { ChangeContext } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { lockJob } from '../jobs/lock-job.ts'
import { number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { insertRow, type Row, row, rows, run, type Script } from '../runtime/script.ts'

/** The job's row is held: of two at once, the later one's token holds. */
export function* putCheckInToken(jobName: string, hash: string, by: ChangeContext): Script<void> {
  const job = yield* lockJob(jobName)
  if (job === null) return
  yield* run('DELETE FROM @check_in_tokens WHERE job_id = ?', job.id)
  yield* insertRow('check_in_tokens', { job_id: job.id, hash, made_at: by.now, made_by: by.actor })
  const { now: at, actor, origin } = by
  const entry = { at, actor, origin, action: 'check_in.rotate', subject: job.name }
  yield* writeAuditLog({ ...entry, before: null, after: null })
}

export function* findCheckIn(jobName: string, tickAt: number): Script<CheckIn | null> {
  const found = yield* row(
    `SELECT c.* FROM @check_ins c JOIN @jobs j ON j.id = c.job_id
     WHERE j.name = ? AND j.deleted_at IS NULL AND c.tick_at = ?`,
    jobName,
    tickAt,
  )
  return found === null ? null : checkInFrom(found)
}

export function checkInFrom(found: Row): CheckIn {
  const outcome = optionalText(found.outcome)
  return {
    tickAt: number(found.tick_at),
    startedAt: optionalNumber(found.started_at),
    endedAt: optionalNumber(found.ended_at),
    outcome: outcome === null ? null : outcome === 'ok' ? 'ok' : 'failed',
    note: optionalText(found.note),
  }
}

const mostPurged = 1_000

export function* purgeCheckIns(before: number): Script<number> {
  const old = yield* rows(
    'SELECT job_id, tick_at FROM @check_ins WHERE tick_at < ? LIMIT ?',
    before,
    mostPurged,
  )
  let gone = 0
  for (const [jobId, ticks] of Map.groupBy(old, ({ job_id }) => text(job_id))) {
    const instants = ticks.map(({ tick_at }) => number(tick_at))
    gone += yield* run('DELETE FROM @check_ins WHERE job_id = ? AND tick_at IN ?*', jobId, instants)
  }
  return gone
}
