/** Retention: one job at a time, the ledger's start and the totals in the transaction that deletes. */

import { retentionLine } from '../../../core/history/retention.ts'
import { noId } from '../../../core/id.ts'
import type { Job } from '../../../core/job/job.ts'
import type { PurgeRequest, PurgeResult } from '../../store.ts'
import { timestamp } from '../cluster/leadership.ts'
import { readJob } from '../jobs/create-job.ts'
import { lockJob } from '../jobs/lock-job.ts'
import { jobFrom, number, optionalNumber, text } from '../runtime/rows.ts'
import { type Row, row, rows, run, type Script } from '../runtime/script.ts'
import { isUnfinished } from '../work/states.ts'

export function* purgeHistory({ afterJobId, jobs, now }: PurgeRequest): Script<PurgeResult> {
  const jobRows = yield* rows(
    'SELECT * FROM @jobs WHERE id > ? ORDER BY id LIMIT ? FOR UPDATE',
    afterJobId ?? noId,
    jobs,
  )
  let executions = 0
  let ranges = 0
  for (const jobRow of jobRows) {
    const job = jobFrom(jobRow)
    const moved = yield* moveLedger(job, now)
    executions += moved.executions + (yield* purgeUnticked(job, now))
    ranges += moved.ranges
    if (job.deletedAt !== null) yield* forgetJob(job, job.deletedAt, now)
  }
  if (jobRows.length === jobs) return { lastJobId: text(jobRows.at(-1)?.id), executions, ranges }
  yield* forgetMissed(now)
  return { lastJobId: null, executions, ranges }
}

const missedKeptMs = 90 * 86_400_000

/** How long the details of what a term found missed are kept; its sums stay with the term. */
function* forgetMissed(now: number): Script<void> {
  yield* run(
    'DELETE FROM @missed_ticks WHERE term_id <= (SELECT max(id) FROM @scheduler_leader_log WHERE start_time < ?)',
    timestamp(now - missedKeptMs),
  )
}

/** The same for one job, at once and by age alone, whatever its own retention says. */
export function* purgeJob(reference: string, ageMs: number, now: number): Script<number> {
  const held = yield* lockJob(reference)
  if (held === null) return 0
  const retention = { executions: Number.MAX_SAFE_INTEGER, ageMs }
  const job = { ...held, spec: { ...held.spec, retention } }
  let gone = 0
  for (let slice = -1; slice !== 0; gone += slice) {
    const current = { ...job, ledgerFrom: (yield* readJob(job.id)).ledgerFrom }
    slice = (yield* moveLedger(current, now)).executions + (yield* purgeUnticked(current, now))
  }
  return gone
}

/** Moves `ledger_from` to the last row start at or below the line, and adds what it passes to the totals. */
function* moveLedger(job: Job, now: number): Script<{ executions: number; ranges: number }> {
  const nth = yield* row(
    'SELECT tick_at FROM @job_executions WHERE job_id = ? AND tick_at IS NOT NULL ORDER BY tick_at DESC LIMIT 1 OFFSET ?',
    job.id,
    job.spec.retention.executions - 1,
  )
  const line = retentionLine(
    job.spec.retention,
    job.ledgerFrom,
    job.accountedUntil,
    optionalNumber(nth?.tick_at),
    now,
  )
  const start = yield* row(
    `SELECT max(at) AS at FROM (
       SELECT max(tick_at) AS at FROM @job_executions WHERE job_id = ? AND tick_at >= ? AND tick_at <= ?
       UNION ALL
       SELECT max(from_at) AS at FROM @tick_ranges WHERE job_id = ? AND from_at >= ? AND from_at <= ?) AS starts`,
    job.id,
    job.ledgerFrom,
    line,
    job.id,
    job.ledgerFrom,
    line,
  )
  const ledgerFrom = optionalNumber(start?.at) ?? job.ledgerFrom
  if (ledgerFrom > job.ledgerFrom) yield* addTotals(job, ledgerFrom)
  const ranges = yield* run('DELETE FROM @tick_ranges WHERE job_id = ? AND to_at < ?', job.id, ledgerFrom)
  const executions = yield* deleteExecutions(job, 'tick_at IS NOT NULL AND tick_at < ?', ledgerFrom, now)
  return { executions, ranges }
}

function* addTotals(job: Job, ledgerFrom: number): Script<void> {
  const passed = yield* rows(
    `SELECT account, '' AS reason, count(*) AS n FROM @job_executions
     WHERE job_id = ? AND tick_at >= ? AND tick_at < ? GROUP BY account
     UNION ALL
     SELECT account, reason, sum(count) AS n FROM @tick_ranges
     WHERE job_id = ? AND from_at >= ? AND from_at < ? GROUP BY account, reason`,
    job.id,
    job.ledgerFrom,
    ledgerFrom,
    job.id,
    job.ledgerFrom,
    ledgerFrom,
  )
  for (const total of passed) {
    const values = [number(total.n), job.id, text(total.account), text(total.reason)]
    const added = yield* run(
      'UPDATE @ledger_totals SET count = count + ? WHERE job_id = ? AND account = ? AND reason = ?',
      ...values,
    )
    if (added === 0) {
      yield* run('INSERT INTO @ledger_totals (count, job_id, account, reason) VALUES (?, ?, ?, ?)', ...values)
    }
  }
  yield* run(
    'UPDATE @jobs SET ledger_from = ? WHERE id = ? AND ledger_from = ?',
    ledgerFrom,
    job.id,
    job.ledgerFrom,
  )
}

/** Triggers, backfills and enqueues have no tick: they go by count and age alone. */
function* purgeUnticked(job: Job, now: number): Script<number> {
  const nth = yield* row(
    'SELECT seq FROM @job_executions WHERE job_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?',
    job.id,
    job.spec.retention.executions - 1,
  )
  const byCount = yield* deleteExecutions(
    job,
    'tick_at IS NULL AND seq < ?',
    optionalNumber(nth?.seq) ?? 0,
    now,
  )
  const byAge = yield* deleteExecutions(
    job,
    'tick_at IS NULL AND created_at < ?',
    now - job.spec.retention.ageMs,
    now,
  )
  return byCount + byAge
}

/** Never what is unfinished, never the last; dead letters only by age. */
function* deleteExecutions(job: Job, below: string, line: number, now: number): Script<number> {
  const gone = yield* rows(
    `SELECT id FROM @finished_executions WHERE job_id = ? AND ${below}
       AND (state IN ('completed', 'cancelled') OR (state = 'failed' AND finished_at < ?))
       AND seq < (SELECT max(seq) FROM @job_executions WHERE job_id = ?) LIMIT 10000`,
    job.id,
    line,
    now - job.spec.retention.ageMs,
    job.id,
  )
  return yield* deleteAll(gone)
}

/** By their ids: for an IN (SELECT …) MariaDB would read every log and attempt that there is. */
function* deleteAll(gone: readonly Row[]): Script<number> {
  if (gone.length === 0) return 0
  const ids = gone.map(({ id }) => text(id))
  yield* run('DELETE FROM @execution_logs WHERE execution_id IN ?*', ids)
  yield* run('DELETE FROM @attempts WHERE execution_id IN ?*', ids)
  return yield* run('DELETE FROM @finished_executions WHERE id IN ?*', ids)
}

const leftText = 'SELECT id FROM @finished_executions WHERE job_id = ? LIMIT 10000'

/** A deleted job goes with all that is left of it once it is old enough: its last rows would otherwise stay for ever. */
function* forgetJob(job: Job, deletedAt: number, now: number): Script<void> {
  if (deletedAt >= now - job.spec.retention.ageMs) return
  const unfinished = yield* row(
    `SELECT id FROM @live_executions WHERE job_id = ? AND ${isUnfinished} LIMIT 1`,
    job.id,
  )
  if (unfinished !== null) return
  let gone = 1
  while (gone > 0) gone = yield* deleteAll(yield* rows(leftText, job.id))
  yield* run('DELETE FROM @tick_ranges WHERE job_id = ?', job.id)
  yield* run('DELETE FROM @job_revisions WHERE job_id = ?', job.id)
  yield* run('DELETE FROM @job_tags WHERE job_id = ?', job.id)
  yield* run('DELETE FROM @ledger_totals WHERE job_id = ?', job.id)
  yield* run('DELETE FROM @unproven WHERE job_id = ?', job.id)
  yield* run('DELETE FROM @jobs WHERE id = ?', job.id)
}
