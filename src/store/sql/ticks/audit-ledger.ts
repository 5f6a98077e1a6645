/** The proof: of every job, that each nominal tick of its ledger stands there exactly once. */
import { noId } from '../../../core/id.ts'
import type { Job } from '../../../core/job/job.ts'
import {
  LedgerCheck,
  type LedgerEntry,
  type LedgerReport,
  type RevisionSpan,
} from '../../../core/tick/ledger.ts'
import { countOf } from '../../../core/tick/ledger-row.ts'
import { packedCounts } from '../../../core/tick/packed-runs.ts'
import type { AuditFinding, AuditReport } from '../../store.ts'
import { revisionFrom } from '../jobs/find-jobs.ts'
import type { SqlDriver } from '../runtime/driver.ts'
import { jobFrom, number, text } from '../runtime/rows.ts'
import { type Row, row, rows, type Script, type ScriptContext } from '../runtime/script.ts'
import { oneMoment } from '../runtime/scripts.ts'
import { spansOf, zoneSpanFrom } from './ledger-spans.ts'
import { LedgersOfJobs } from './ledgers-of-jobs.ts'

const auditSliceJobs = 200

/** The proof in slices, each a read of its own: a job's cursor and rows are of one moment, the jobs need not be. */
export async function auditLedger(
  driver: SqlDriver,
  context: ScriptContext,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<AuditReport> {
  const total = await driver.read(() => countAllJobs())
  const reports: JobAudit[] = []
  let lastId: string | null = noId
  while (lastId !== null) {
    const after: string = lastId
    const slice = await driver.read(() => auditSlice(after, auditSliceJobs, context), oneMoment)
    reports.push(...slice.reports)
    lastId = slice.lastId
    onProgress(reports.length, Math.max(total, reports.length))
    await driver.rest()
  }
  const sum = (figure: (report: JobAudit) => number) =>
    reports.reduce((all, report) => all + figure(report), 0)
  return {
    jobs: reports.length,
    ticks: sum((report) => report.ticks),
    executions: sum((report) => report.executions),
    ranges: sum((report) => report.ranges),
    unaccounted: sum((report) => report.unaccounted),
    doubled: sum((report) => report.doubled),
    unverifiable: sum((report) => report.unverifiable),
    findings: reports.flatMap((report) => report.named),
  }
}

interface JobAudit extends LedgerReport {
  readonly executions: number
  readonly ranges: number
  readonly named: readonly AuditFinding[]
}

/** One slice of the proof: the jobs after `afterId`, deleted ones too. */
function* auditSlice(
  afterId: string,
  limit: number,
  { tzVersion }: ScriptContext,
): Script<{ lastId: string | null; reports: JobAudit[] }> {
  const jobs = (yield* rows('SELECT * FROM @jobs WHERE id > ? ORDER BY id LIMIT ?', afterId, limit)).map(
    jobFrom,
  )
  const ids = jobs.map(({ id }) => id)
  const revisions = byJob(
    yield* rows('SELECT * FROM @job_revisions WHERE job_id IN ?* ORDER BY job_id, revision', ids),
  )
  const zones = byJob(yield* rows('SELECT * FROM @zone_spans WHERE job_id IN ?* ORDER BY from_at', ids))
  const lastId = ids.at(-1) ?? ''
  const ticks = new LedgersOfJobs('ticks', lastId)
  const ranges = new LedgersOfJobs('ranges', lastId)
  const reports: JobAudit[] = []
  for (const job of jobs) {
    const own = (revisions.get(job.id) ?? []).map(revisionFrom)
    const spans = spansOf(job.name, own, (zones.get(job.id) ?? []).map(zoneSpanFrom), tzVersion)
    reports.push(auditJob(job, spans, yield* ticks.of(job.id), yield* ranges.of(job.id)))
  }
  return { lastId: jobs.length < limit ? null : lastId, reports }
}

function byJob(written: readonly Row[]): Map<string, Row[]> {
  return Map.groupBy(written, ({ job_id }) => text(job_id))
}

function auditJob(
  job: Job,
  spans: readonly RevisionSpan[],
  ticks: readonly Row[],
  ranges: readonly Row[],
): JobAudit {
  const check = new LedgerCheck(spans, job.ledgerFrom, job.accountedUntil)
  const entries = [...ticks.map(entryOfTick), ...ranges.map(entryOfRange)]
    .filter(({ from }) => from >= job.ledgerFrom)
    .sort((a, b) => a.from - b.from || a.to - b.to)
  check.add(entries)
  const report = check.report()
  const named = report.findings.map((finding) => ({ ...finding, job: job.name }))
  const executions = ticks.filter(({ tick_at }) => number(tick_at) >= job.ledgerFrom).length
  return { ...report, executions, ranges: entries.length - executions, named }
}

function entryOfTick({ tick_at }: Row): LedgerEntry {
  const at = number(tick_at)
  return { from: at, to: at, count: 1 }
}

/** A packed row counts as many ticks as it says something of. */
function entryOfRange({ from_at, to_at, count, packed }: Row): LedgerEntry {
  return {
    from: number(from_at),
    to: number(to_at),
    count: packed === null ? number(count) : countOf({ runs: packedCounts(text(packed)) }),
  }
}

function* countAllJobs(): Script<number> {
  return number((yield* row('SELECT count(*) AS n FROM @jobs'))?.n)
}
