/** The ledger, page by page, read against the nominal ticks of the job's revisions: explain. */
import type { Job } from '../../../core/job/job.ts'
import { nominalSequence } from '../../../core/job/sequence.ts'
import type { TickRange } from '../../../core/tick/account.ts'
import {
  type ExplainedTick,
  type Explanation,
  explainTicks,
  type TickExecution,
} from '../../../core/tick/explain.ts'
import { entriesOf, LedgerCheck, type RevisionSpan } from '../../../core/tick/ledger.ts'
import type { Revision } from '../../store.ts'
import { jobNotFound } from '../jobs/create-job.ts'
import { listRevisions } from '../jobs/find-jobs.ts'
import { findJob } from '../jobs/lock-job.ts'
import { accountOf, executionStateOf, number, rangeFrom, text } from '../runtime/rows.ts'
import { pageRows, rows, type Script, type ScriptContext } from '../runtime/script.ts'

export function* explainSpan(
  reference: string,
  from: number,
  to: number,
  limit: number,
  now: number,
  { tzVersion }: ScriptContext,
): Script<Explanation & { job: Job }> {
  const job = yield* findJob(reference)
  if (job === null) throw jobNotFound(reference)
  const { ledgerFrom, accountedUntil } = job
  const spans = spansOf(job, yield* listRevisions(job.id), tzVersion)
  // A range that begins before the span still covers its part of it.
  const ranges = (yield* rows(straddlingText, job.id, from, from)).map(rangeFrom)
  const checkFrom = Math.min(Math.max(ledgerFrom, from), ...ranges.map((range) => range.from))
  const check = new LedgerCheck(spans, Math.max(checkFrom, ledgerFrom), Math.min(accountedUntil, to))
  check.add(entriesOf([], ranges))
  const ticks: ExplainedTick[] = []
  let truncated = false
  for (let at = from, passed = 0; at < to; ) {
    const page = yield* ledgerPage(job.id, at, to)
    while ((ranges[passed]?.to ?? Number.POSITIVE_INFINITY) < at) passed += 1
    const explained: Pick<Explanation, 'ticks' | 'truncated'> | null = truncated
      ? null
      : explainTicks({
          from: at,
          to: page.until,
          now,
          ledgerFrom,
          accountedUntil,
          heldBack: job.state === 'disabled',
          limit: Math.min(limit - ticks.length, pageRows),
          spans,
          ranges: [...ranges.slice(passed), ...page.ranges],
          executions: page.executions,
        })
    ticks.push(...(explained?.ticks ?? []))
    truncated ||= explained?.truncated === true && ticks.length >= limit
    // More ticks than one slice explains: the next begins after the last of them.
    const last = explained?.truncated === true && !truncated ? ticks.at(-1) : undefined
    const until = last === undefined ? page.until : last.tickAt + 1
    const own = page.ranges.filter((range) => range.from < until)
    const tickAts = page.executions.map(({ tickAt }) => tickAt).filter((tickAt) => tickAt < until)
    check.add(entriesOf(tickAts, own))
    ranges.push(...own)
    at = until
  }
  const { findings } = check.report()
  const missing = findings.filter(({ kind, until }) => kind === 'unaccounted' && until >= from)
  const unaccounted = missing.reduce((sum, { count }) => sum + count, 0)
  return { ticks, ranges, unaccounted, truncated, job }
}

export const straddlingText =
  'SELECT * FROM @tick_ranges WHERE job_id = ? AND to_at >= ? AND from_at < ? ORDER BY from_at'
const executionPageText = `SELECT id, tick_at, account, state FROM @job_executions
  WHERE job_id = ? AND tick_at >= ? AND tick_at < ? ORDER BY tick_at LIMIT ?`
export const rangePageText =
  'SELECT * FROM @tick_ranges WHERE job_id = ? AND from_at >= ? AND from_at < ? ORDER BY from_at LIMIT ?'

interface LedgerPage {
  readonly executions: readonly TickExecution[]
  readonly ranges: readonly TickRange[]
  /** The page has everything that begins before this, and nothing else. */
  readonly until: number
}

/** The next part of a job's ledger: no more executions, and no more ranges, than one page. */
export function* ledgerPage(jobId: string, from: number, to: number): Script<LedgerPage> {
  const executions = (yield* rows(executionPageText, jobId, from, to, pageRows)).map((execution) => ({
    id: text(execution.id),
    tickAt: number(execution.tick_at),
    account: accountOf(execution.account),
    state: executionStateOf(execution.state),
  }))
  const ranges = (yield* rows(rangePageText, jobId, from, to, pageRows)).map(rangeFrom)
  const ends = [
    to,
    ...(executions.length < pageRows ? [] : [executions.at(-1)?.tickAt ?? to]),
    ...(ranges.length < pageRows ? [] : [ranges.at(-1)?.from ?? to]),
  ]
  // It moves on even where a damaged ledger has a whole page of one instant.
  const until = Math.max(from + 1, Math.min(...ends))
  return {
    executions: executions.filter(({ tickAt }) => tickAt < until),
    ranges: ranges.filter((range) => range.from < until),
    until,
  }
}

/** Each revision's ticks hold from its own start to the next revision's. */
export function spansOf(job: Job, revisions: readonly Revision[], tzVersion: string): RevisionSpan[] {
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
