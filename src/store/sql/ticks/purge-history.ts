/** Retention: one job at a time, and only those are held that have something to go. */
import { ledgerLine } from '../../../core/history/retention.ts'
import { noId } from '../../../core/id.ts'
import type { Job } from '../../../core/job/job.ts'
import { packedCounts } from '../../../core/tick/packed-runs.ts'
import type { Archive, PurgeRequest, PurgeResult } from '../../store.ts'
import { timestamp } from '../cluster/leadership.ts'
import { lockJob } from '../jobs/lock-job.ts'
import { jobFrom, number, optionalNumber, text } from '../runtime/rows.ts'
import { look, row, rows, run, type Script } from '../runtime/script.ts'
import { isUnfinished } from '../work/states.ts'
import { deleteExecutions, findGoing, findOld, foldExecutions } from './fold-executions.ts'

/** What one transaction removes, about; where it has to be written to an archive first, that takes its time, too. */
const mostGoing = 10_000
const mostArchived = 1_000

export function* purgeHistory(request: PurgeRequest): Script<PurgeResult> {
  const { afterJobId, jobs, now, archive } = request
  const most = archive === undefined ? mostGoing : mostArchived
  const seen = yield* look('SELECT * FROM @jobs WHERE id > ? ORDER BY id LIMIT ?', afterJobId ?? noId, jobs)
  let executions = 0
  let ranges = 0
  let lastJobId = afterJobId ?? noId
  for (const job of seen.map(jobFrom)) {
    const purged = yield* purgeOne(job, most - executions, request)
    executions += purged.executions
    ranges += purged.ranges
    // It may have more: the next slice begins with it.
    if (executions >= most) return { lastJobId, executions, ranges }
    lastJobId = job.id
  }
  if (seen.length === jobs) return { lastJobId, executions, ranges }
  yield* forgetMissed(now)
  return { lastJobId: null, executions, ranges }
}

interface Purged {
  readonly executions: number
  readonly ranges: number
}

function* purgeOne(
  seen: Job,
  most: number,
  { now, archive }: Pick<PurgeRequest, 'now' | 'archive'>,
): Script<Purged> {
  const nothing = { executions: 0, ranges: 0 }
  const worthHolding =
    isToForget(seen, now) ||
    (yield* ledgerStart(seen, now)) > seen.ledgerFrom ||
    (yield* findOld(seen, 'retention', 1, now)).length > 0
  const job = worthHolding ? yield* holdJob(seen.id) : null
  if (job === null) return nothing
  const going = yield* findGoing(job, 'retention', most, now)
  yield* foldExecutions(job, going, now, archive)
  const ranges = yield* moveLedger(job, now)
  if (isToForget(job, now)) yield* forgetJob(job, archive)
  return { executions: going.length, ranges }
}

function* holdJob(id: string): Script<Job | null> {
  const held = yield* row('SELECT * FROM @jobs WHERE id = ? FOR UPDATE', id)
  return held === null ? null : jobFrom(held)
}

const missedKeptMs = 400 * 86_400_000

/** How long the details of what a term found missed are kept; its sums stay with the term. */
function* forgetMissed(now: number): Script<void> {
  yield* run(
    'DELETE FROM @missed_ticks WHERE term_id <= (SELECT max(id) FROM @scheduler_leader_log WHERE start_time < ?)',
    timestamp(now - missedKeptMs),
  )
}

/** The executions of one job, at once and by age alone, whatever its own retention says. */
export function* purgeJob(reference: string, ageMs: number, now: number): Script<number> {
  const held = yield* lockJob(reference)
  if (held === null) return 0
  const retention = { ...held.spec.retention, ageMs, failedMs: null }
  const job = { ...held, spec: { ...held.spec, retention } }
  let gone = 0
  for (let slice = -1; slice !== 0; gone += slice) {
    const going = yield* findGoing(job, 'age', mostGoing, now)
    yield* foldExecutions(job, going, now)
    slice = going.length
  }
  return gone
}

/** The last start of a row at or below the line: a row that straddles it stays whole. */
function* ledgerStart(job: Job, now: number): Script<number> {
  const line = ledgerLine(job.spec.retention, job.ledgerFrom, job.accountedUntil, now)
  if (line <= job.ledgerFrom) return job.ledgerFrom
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
  return optionalNumber(start?.at) ?? job.ledgerFrom
}

/** Moves `ledger_from`, and adds what it passes to the totals; what lies before it is then only deleted. */
function* moveLedger(job: Job, now: number): Script<number> {
  const ledgerFrom = yield* ledgerStart(job, now)
  if (ledgerFrom === job.ledgerFrom) return 0
  yield* addTotals(job, ledgerFrom)
  const moved = yield* run(
    'UPDATE @jobs SET ledger_from = ? WHERE id = ? AND ledger_from = ?',
    ledgerFrom,
    job.id,
    job.ledgerFrom,
  )
  if (moved !== 1) throw new Error(`The ledger of job ${job.name} moved while it was held.`)
  return yield* run('DELETE FROM @tick_ranges WHERE job_id = ? AND to_at < ?', job.id, ledgerFrom)
}

const passedText = `SELECT account, '' AS reason, count(*) AS n FROM @job_executions
    WHERE job_id = ? AND tick_at >= ? AND tick_at < ? GROUP BY account
  UNION ALL
  SELECT account, COALESCE(reason, '') AS reason, sum(count) AS n FROM @tick_ranges
    WHERE job_id = ? AND from_at >= ? AND from_at < ? AND packed IS NULL GROUP BY account, reason`
const packedText = `SELECT packed FROM @tick_ranges
  WHERE job_id = ? AND from_at >= ? AND from_at < ? AND packed IS NOT NULL`

function* addTotals(job: Job, ledgerFrom: number): Script<void> {
  const span = [job.id, job.ledgerFrom, ledgerFrom]
  const passed = (yield* rows(passedText, ...span, ...span)).map((total) => ({
    account: text(total.account),
    reason: text(total.reason),
    count: number(total.n),
  }))
  for (const { packed } of yield* rows(packedText, ...span)) {
    for (const { kind, count } of packedCounts(text(packed))) {
      passed.push({ account: kind.account, reason: kind.reason ?? '', count })
    }
  }
  for (const [key, all] of Map.groupBy(passed, ({ account, reason }) => `${account} ${reason}`)) {
    const [account = '', reason = ''] = key.split(' ')
    const count = all.reduce((sum, total) => sum + total.count, 0)
    const values = [count, job.id, account, reason]
    const added = yield* run(
      'UPDATE @ledger_totals SET count = count + ? WHERE job_id = ? AND account = ? AND reason = ?',
      ...values,
    )
    if (added === 0) {
      yield* run('INSERT INTO @ledger_totals (count, job_id, account, reason) VALUES (?, ?, ?, ?)', ...values)
    }
  }
}

const leftText = 'SELECT id FROM @finished_executions WHERE job_id = ? LIMIT 10000'

function isToForget({ deletedAt, spec }: Job, now: number): boolean {
  return deletedAt !== null && deletedAt < now - spec.retention.ageMs
}

/** A deleted job goes with all that is left of it once it is old enough: its last rows would otherwise stay for ever. */
function* forgetJob(job: Job, archive?: Archive): Script<void> {
  const unfinished = yield* row(
    `SELECT id FROM @live_executions WHERE job_id = ? AND ${isUnfinished} LIMIT 1`,
    job.id,
  )
  if (unfinished !== null) return
  let gone = 1
  while (gone > 0) {
    const left = (yield* rows(leftText, job.id)).map(({ id }) => text(id))
    gone = yield* deleteExecutions(left, archive)
  }
  for (const table of [
    'tick_ranges',
    'day_totals',
    'zone_spans',
    'job_revisions',
    'job_tags',
    'ledger_totals',
    'unproven',
  ]) {
    yield* run(`DELETE FROM @${table} WHERE job_id = ?`, job.id)
  }
  yield* run('DELETE FROM @jobs WHERE id = ?', job.id)
}
