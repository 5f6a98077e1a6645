/** Brings back a cursor that a wrong clock has carried into the future; rows in that future that nobody ran go. */
import type { Job } from '../../../core/job/job.ts'
import { nominalSequence } from '../../../core/job/sequence.ts'
import { countOf } from '../../../core/tick/ledger-row.ts'
import { listRevisions } from '../jobs/find-jobs.ts'
import { optionalNumber } from '../runtime/rows.ts'
import { row, run, type Script } from '../runtime/script.ts'
import { isUnstarted } from '../work/states.ts'
import { ledgerRowFrom, type WrittenRow } from './ledger-rows.ts'
import { resetZoneSpans } from './ledger-spans.ts'
import { revokeAhead } from './revoke-ahead.ts'

export function* resetCursor(job: Job, now: number): Script<Job> {
  const line = yield* lastThatRan(job, now)
  const takenBack = yield* takeBackRows(job, line)
  // Nor does the cursor go below the ledger, whatever the clock: what lies there was never due, or is counted already.
  const lowest = Math.max(now + 1, job.ledgerFrom)
  const revoked = yield* revokeAhead({ ...job, revisionFrom: Math.min(job.revisionFrom, lowest) }, now)
  const accountedUntil = Math.min(revoked.accountedUntil, takenBack)
  yield* run('UPDATE @jobs SET accounted_until = ? WHERE id = ?', accountedUntil, job.id)
  const revisionFrom = Math.min(job.revisionFrom, accountedUntil)
  yield* run(
    'UPDATE @job_revisions SET from_at = ? WHERE job_id = ? AND from_at > ?',
    revisionFrom,
    job.id,
    revisionFrom,
  )
  yield* resetZoneSpans(job, accountedUntil)
  return { ...revoked, accountedUntil, revisionFrom, state: stateAfter(revoked) }
}

/**
 * The last tick of a job that has completed came from the wrong clock: if one is still to come, the job goes on. Of a
 * fixedDelay none is, unless one was taken back.
 */
function stateAfter({ state, spec, openTickAt }: Job): Job['state'] {
  const isOver = spec.schedule?.kind === 'fixed_delay' && openTickAt === null
  return state === 'completed' && !isOver ? 'active' : state
}

/** Whatever comes before a tick that ran stays accounted for, also where only the ledger still knows of it. */
function* lastThatRan(job: Job, now: number): Script<number> {
  const begun = yield* row(
    `SELECT max(tick_at) AS at FROM @job_executions WHERE job_id = ? AND tick_at > ? AND NOT ${isUnstarted}`,
    job.id,
    now,
  )
  const folded = yield* row(
    `SELECT max(to_at) AS at FROM @tick_ranges WHERE job_id = ? AND to_at > ?
     AND account IN ('fired', 'caught_up', 'mixed')`,
    job.id,
    now,
  )
  return Math.max(now, optionalNumber(begun?.at) ?? 0, optionalNumber(folded?.at) ?? 0)
}

/** The row across the line is cut there. Returns where ticks begin that were coalesced into one that is taken back. */
function* takeBackRows(job: Job, line: number): Script<number> {
  yield* run('DELETE FROM @tick_ranges WHERE job_id = ? AND from_at > ?', job.id, line)
  const written = yield* row(
    'SELECT * FROM @tick_ranges WHERE job_id = ? AND from_at <= ? ORDER BY from_at DESC LIMIT 1',
    job.id,
    line,
  )
  const last = written === null ? null : ledgerRowFrom(written)
  if (last === null) return Number.POSITIVE_INFINITY
  if (last.into !== null && last.into > line) {
    // A month ends a row: there may be several of them.
    const first = yield* row(
      'SELECT min(from_at) AS from_at FROM @tick_ranges WHERE job_id = ? AND into_at = ?',
      job.id,
      last.into,
    )
    yield* run('DELETE FROM @tick_ranges WHERE job_id = ? AND into_at = ?', job.id, last.into)
    return optionalNumber(first?.from_at) ?? last.from
  }
  if (last.to > line) yield* cutRow(job, last, line)
  return Number.POSITIVE_INFINITY
}

/** The only time that a row is split. Where its ticks cannot be told apart it stays whole, and the cursor behind it. */
function* cutRow(job: Job, { id, from, to, revision, ...rest }: WrittenRow, line: number): Script<void> {
  const written = (yield* listRevisions(job.id)).find((one) => one.revision === revision)
  const sequence = written === undefined ? null : nominalSequence(job.name, written.spec)
  const last = sequence?.previous(line + 1) ?? null
  if (sequence === null || last === null || sequence.count(from, to + 1) !== countOf(rest)) return
  yield* run(
    'UPDATE @tick_ranges SET to_at = ?, count = ? WHERE id = ?',
    last,
    sequence.count(from, line + 1),
    id,
  )
}
