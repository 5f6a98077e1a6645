/** Explain and audit: the ledger read against the nominal ticks of the job's revisions. */
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { Job } from '../../core/job/job.ts'
import { nominalSequence } from '../../core/job/sequence.ts'
import { type Explanation, explainTicks as explain } from '../../core/tick/explain.ts'
import { checkLedger, entriesOf, type LedgerReport, type RevisionSpan } from '../../core/tick/ledger.ts'
import type { AuditFinding, Revision } from '../store.ts'
import { jobNotFound } from './create-job.ts'
import { listRevisions } from './find-jobs.ts'
import { jobFrom, number, rangeFrom, text } from './rows.ts'
import { row, rows, type Script, type ScriptContext } from './script.ts'
import { findJob } from './settle.ts'

export function* explainTicks(
  reference: string,
  from: number,
  to: number,
  limit: number,
  now: number,
  { tzVersion }: ScriptContext,
): Script<Explanation & { job: Job }> {
  const job = yield* findJob(reference)
  if (job === null) throw jobNotFound(reference)
  const spans = spansOf(job, yield* listRevisions(job.id), tzVersion)
  const executions = yield* rows(
    'SELECT id, tick_at, account, state FROM @job_executions WHERE job_id = ? AND tick_at >= ? AND tick_at < ? ORDER BY tick_at',
    job.id,
    from,
    to,
  )
  const ranges = (yield* rows(
    'SELECT * FROM @tick_ranges WHERE job_id = ? AND to_at >= ? AND from_at < ? ORDER BY from_at',
    job.id,
    from,
    to,
  )).map(rangeFrom)
  const ledgerFrom = Math.max(job.ledgerFrom, from)
  const accountedUntil = Math.min(job.accountedUntil, to)
  // A range that begins before the span still covers its part of it.
  const whole = Math.min(ledgerFrom, ...ranges.map((range) => range.from))
  const tickAts = executions.map((execution) => number(execution.tick_at))
  const report = checkLedger(
    spans,
    entriesOf(tickAts, ranges),
    Math.max(whole, job.ledgerFrom),
    accountedUntil,
  )
  const missing = report.findings.filter((finding) => finding.kind === 'unaccounted' && finding.until >= from)
  const explained = explain({
    from,
    to,
    now,
    ledgerFrom: job.ledgerFrom,
    accountedUntil: job.accountedUntil,
    heldBack: job.state === 'disabled',
    limit,
    spans,
    ranges,
    executions: executions.map((execution) => ({
      id: text(execution.id),
      tickAt: number(execution.tick_at),
      account: text(execution.account) as 'fired' | 'caught_up',
      state: text(execution.state) as ExecutionState,
    })),
    unaccounted: missing.reduce((sum, finding) => sum + finding.count, 0),
  })
  return { ...explained, job }
}

/** Each revision's ticks hold from its own start to the next revision's. */
function spansOf(job: Job, revisions: readonly Revision[], tzVersion: string): RevisionSpan[] {
  return revisions.map((revision, index) => ({
    from: revision.from,
    until: revisions[index + 1]?.from ?? Number.MAX_SAFE_INTEGER,
    ...evaluated(job.name, revision, tzVersion),
  }))
}

function evaluated(
  name: string,
  { spec, tzVersion }: Revision,
  current: string,
): Pick<RevisionSpan, 'sequence' | 'verifiable'> {
  // Only wall-clock schedules depend on time zone data.
  const verifiable =
    tzVersion === current || spec.schedule?.kind !== 'cron' || spec.schedule.timezone === 'UTC'
  try {
    return { sequence: nominalSequence(name, spec), verifiable }
  } catch {
    return { sequence: null, verifiable: false }
  }
}

export interface JobAudit extends LedgerReport {
  readonly executions: number
  readonly ranges: number
  readonly named: readonly AuditFinding[]
}

/** One slice of the proof: the jobs after `afterId`, deleted ones too. */
export function* auditSlice(
  afterId: string,
  limit: number,
  { tzVersion }: ScriptContext,
): Script<{ lastId: string | null; reports: JobAudit[] }> {
  const found = yield* rows('SELECT * FROM @jobs WHERE id > ? ORDER BY id LIMIT ?', afterId, limit)
  const reports: JobAudit[] = []
  for (const written of found) reports.push(yield* auditJob(jobFrom(written), tzVersion))
  return { lastId: found.length < limit ? null : text(found.at(-1)?.id), reports }
}

function* auditJob(job: Job, tzVersion: string): Script<JobAudit> {
  const executions = yield* rows(
    'SELECT tick_at FROM @job_executions WHERE job_id = ? AND tick_at >= ? ORDER BY tick_at',
    job.id,
    job.ledgerFrom,
  )
  const ranges = (yield* rows(
    'SELECT * FROM @tick_ranges WHERE job_id = ? AND from_at >= ? ORDER BY from_at',
    job.id,
    job.ledgerFrom,
  )).map(rangeFrom)
  const entries = entriesOf(
    executions.map((execution) => number(execution.tick_at)),
    ranges,
  )
  const spans = spansOf(job, yield* listRevisions(job.id), tzVersion)
  const report = checkLedger(spans, entries, job.ledgerFrom, job.accountedUntil)
  const named = report.findings.map((finding) => ({ ...finding, job: job.name }))
  return { ...report, executions: executions.length, ranges: ranges.length, named }
}

export function* countAllJobs(): Script<number> {
  return number((yield* row('SELECT count(*) AS n FROM @jobs'))?.n)
}
