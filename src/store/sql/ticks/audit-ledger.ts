/** The proof: of every job, that each nominal tick of its ledger stands there exactly once. */
import { noId } from '../../../core/id.ts'
import type { Job } from '../../../core/job/job.ts'
import { entriesOf, LedgerCheck, type LedgerReport } from '../../../core/tick/ledger.ts'
import type { AuditFinding, AuditReport } from '../../store.ts'
import { listRevisions } from '../jobs/find-jobs.ts'
import type { SqlDriver } from '../runtime/driver.ts'
import { jobFrom, number, text } from '../runtime/rows.ts'
import { row, rows, type Script, type ScriptContext } from '../runtime/script.ts'
import { oneMoment } from '../runtime/scripts.ts'
import { ledgerPage, spansOf } from './read-ledger.ts'

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
  const jobs = yield* rows('SELECT * FROM @jobs WHERE id > ? ORDER BY id LIMIT ?', afterId, limit)
  const reports: JobAudit[] = []
  for (const written of jobs) reports.push(yield* auditJob(jobFrom(written), tzVersion))
  return { lastId: jobs.length < limit ? null : text(jobs.at(-1)?.id), reports }
}

function* auditJob(job: Job, tzVersion: string): Script<JobAudit> {
  const spans = spansOf(job, yield* listRevisions(job.id), tzVersion)
  const check = new LedgerCheck(spans, job.ledgerFrom, job.accountedUntil)
  let executions = 0
  let ranges = 0
  for (let at = job.ledgerFrom; at < Number.MAX_SAFE_INTEGER; ) {
    const page = yield* ledgerPage(job.id, at, Number.MAX_SAFE_INTEGER)
    const tickAts = page.executions.map(({ tickAt }) => tickAt)
    check.add(entriesOf(tickAts, page.ranges))
    executions += tickAts.length
    ranges += page.ranges.length
    at = page.until
  }
  const report = check.report()
  const named = report.findings.map((finding) => ({ ...finding, job: job.name }))
  return { ...report, executions, ranges, named }
}

function* countAllJobs(): Script<number> {
  return number((yield* row('SELECT count(*) AS n FROM @jobs'))?.n)
}
