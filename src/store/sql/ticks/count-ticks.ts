/** The ticks of one job, counted by slots, its ranges, and what a new leader had to make good. */
import type { TickRange } from '../../../core/tick/account.ts'
import { rangesOf } from '../../../core/tick/ledger-row.ts'
import type { CountedTicks, MissedTicks } from '../../store.ts'
import { accountOf, executionStateOf, number, optionalText, text } from '../runtime/rows.ts'
import { countedRows, pageRows, type Row, rows, type Script } from '../runtime/script.ts'
import { ledgerRowFrom } from './ledger-rows.ts'
import { rangePageText, straddlingRows } from './read-ledger.ts'

const missedText = `SELECT job_name, account, reason, sum(count) AS n FROM @missed_ticks WHERE term_id = ?
  GROUP BY job_name, account, reason ORDER BY job_name, account, reason`
const ticksText = `SELECT at, account, state, late, count(*) AS n, max(tick_at) AS last FROM (
    SELECT tick_at, tick_at - tick_at % ? AS at, account, state, CASE WHEN started_at - tick_at > ? THEN 1 ELSE 0 END AS late
    FROM @job_executions WHERE job_id = ? AND tick_at >= ? AND tick_at < ? ORDER BY tick_at LIMIT ?) ticks
  GROUP BY at, account, state, late`

export function* missedTicks(termId: number): Script<MissedTicks[]> {
  const missed = yield* rows(missedText, termId)
  return [...Map.groupBy(missed, ({ job_name }) => text(job_name))].map(([job, own]) => {
    const sum = (account: string) =>
      own.reduce((all, one) => all + (one.account === account ? number(one.n) : 0), 0)
    const reasons = own.map(({ reason }) => optionalText(reason)).filter((reason) => reason !== null)
    return {
      job,
      caughtUp: sum('caught_up'),
      coalesced: sum('coalesced'),
      skipped: sum('skipped'),
      reasons: [...new Set(reasons)],
    }
  })
}

export function* countTicks(
  jobId: string,
  from: number,
  to: number,
  slotMs: number,
  lateMs: number,
): Script<CountedTicks> {
  const cells: Row[] = []
  for (let at = from; at < to; ) {
    const page = yield* rows(ticksText, slotMs, lateMs, jobId, at, to, countedRows)
    cells.push(...page)
    if (page.reduce((sum, { n }) => sum + number(n), 0) < countedRows) break
    at = page.reduce((last, cell) => Math.max(last, number(cell.last)), at) + 1
  }
  return {
    cells: cells.map((written) => ({
      at: number(written.at),
      account: accountOf(written.account),
      state: executionStateOf(written.state),
      late: number(written.late) === 1,
      count: number(written.n),
    })),
    ranges: yield* tickRanges(jobId, from, to),
  }
}

/** Ranges of a job's ticks that touch `[from, to)`. */
function* tickRanges(jobId: string, from: number, to: number): Script<TickRange[]> {
  const ledgerRows = yield* straddlingRows(jobId, from)
  for (let at = from; at < to; ) {
    const page = yield* rows(rangePageText, jobId, at, to, pageRows)
    ledgerRows.push(...page.map(ledgerRowFrom))
    if (page.length < pageRows) break
    at = number(page.at(-1)?.from_at) + 1
  }
  return ledgerRows.flatMap(rangesOf)
}
