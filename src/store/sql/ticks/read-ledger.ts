/** The ledger, page by page, read against the nominal ticks of the job's revisions: explain. */
import type { Job } from '../../../core/job/job.ts'
import {
  type ExplainedTick,
  type Explanation,
  explainTicks,
  type TickExecution,
} from '../../../core/tick/explain.ts'
import { entriesOf, LedgerCheck } from '../../../core/tick/ledger.ts'
import { type LedgerRow, rangesOf } from '../../../core/tick/ledger-row.ts'
import { jobNotFound } from '../jobs/create-job.ts'
import { listRevisions } from '../jobs/find-jobs.ts'
import { findJob } from '../jobs/lock-job.ts'
import { accountOf, number, shownState, text } from '../runtime/rows.ts'
import { pageRows, rows, type Script, type ScriptContext } from '../runtime/script.ts'
import { restText } from '../steps/step-rows.ts'
import { ledgerRowFrom } from './ledger-rows.ts'
import { listZoneSpans, spansOf } from './ledger-spans.ts'

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
  const revisions = yield* listRevisions(job.id)
  const spans = spansOf(job.name, revisions, yield* listZoneSpans(job.id), tzVersion)
  // A row that begins before the span still covers its part of it.
  const all: LedgerRow[] = yield* straddlingRows(job.id, from)
  const checkFrom = Math.min(Math.max(ledgerFrom, from), ...all.map((row) => row.from))
  const check = new LedgerCheck(spans, Math.max(checkFrom, ledgerFrom), Math.min(accountedUntil, to))
  check.add(entriesOf([], all))
  const ticks: ExplainedTick[] = []
  let truncated = false
  for (let at = from, passed = 0; at < to; ) {
    const page = yield* ledgerPage(job.id, at, to)
    while ((all[passed]?.to ?? Number.POSITIVE_INFINITY) < at) passed += 1
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
          rows: [...all.slice(passed), ...page.rows],
          straddling: at === from,
          executions: page.executions,
        })
    ticks.push(...(explained?.ticks ?? []))
    truncated ||= explained?.truncated === true && ticks.length >= limit
    // More ticks than one slice explains: the next begins after the last of them.
    const last = explained?.truncated === true && !truncated ? ticks.at(-1) : undefined
    const until = last === undefined ? page.until : last.tickAt + 1
    const own = page.rows.filter((row) => row.from < until)
    const tickAts = page.executions.map(({ tickAt }) => tickAt).filter((tickAt) => tickAt < until)
    check.add(entriesOf(tickAts, own))
    all.push(...own)
    at = until
  }
  const { findings } = check.report()
  const missing = findings.filter(({ kind, until }) => kind === 'unaccounted' && until >= from)
  const unaccounted = missing.reduce((sum, { count }) => sum + count, 0)
  return { ticks, ranges: all.flatMap(rangesOf), unaccounted, truncated, job }
}

const executionPageText = `SELECT e.id, e.tick_at, e.account, e.state, ${restText} AS rests_for FROM @job_executions e
  WHERE job_id = ? AND tick_at >= ? AND tick_at < ? ORDER BY tick_at LIMIT ?`
export const rangePageText =
  'SELECT * FROM @tick_ranges WHERE job_id = ? AND from_at >= ? AND from_at < ? ORDER BY from_at LIMIT ?'

const beforeText = 'SELECT * FROM @tick_ranges WHERE job_id = ? AND from_at < ? ORDER BY from_at DESC LIMIT 1'

/** The row that begins before an instant and goes on at it: rows do not overlap, so there is one at most. */
export function* straddlingRows(jobId: string, at: number): Script<LedgerRow[]> {
  const before = (yield* rows(beforeText, jobId, at)).map(ledgerRowFrom)
  return before.filter(({ to }) => to >= at)
}

interface LedgerPage {
  readonly executions: readonly TickExecution[]
  readonly rows: readonly LedgerRow[]
  /** The page has everything that begins before this, and nothing else. */
  readonly until: number
}

/** The next part of a job's ledger: no more executions, and no more rows, than one page. */
function* ledgerPage(jobId: string, from: number, to: number): Script<LedgerPage> {
  const executions = (yield* rows(executionPageText, jobId, from, to, pageRows)).map((execution) => ({
    id: text(execution.id),
    tickAt: number(execution.tick_at),
    account: accountOf(execution.account),
    state: shownState(execution),
  }))
  const ledgerRows = (yield* rows(rangePageText, jobId, from, to, pageRows)).map(ledgerRowFrom)
  const ends = [
    to,
    ...(executions.length < pageRows ? [] : [executions.at(-1)?.tickAt ?? to]),
    ...(ledgerRows.length < pageRows ? [] : [ledgerRows.at(-1)?.from ?? to]),
  ]
  // It moves on even where a damaged ledger has a whole page of one instant.
  const until = Math.max(from + 1, Math.min(...ends))
  return {
    executions: executions.filter(({ tickAt }) => tickAt < until),
    rows: ledgerRows.filter((row) => row.from < until),
    until,
  }
}
