/** The ticks of one job, counted by slots, its ranges, and what a new leader had to make good. */
import type { TickRange } from '../../../core/tick/account.ts'
import type { MissedTicks, TickCell } from '../../store.ts'
import { accountOf, executionStateOf, number, optionalText, rangeFrom, text } from '../runtime/rows.ts'
import { countedRows, pageRows, type Row, rows, type Script } from '../runtime/script.ts'
import { rangePageText, straddlingText } from './read-ledger.ts'

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
): Script<TickCell[]> {
  const cells: Row[] = []
  for (let at = from; at < to; ) {
    const page = yield* rows(ticksText, slotMs, lateMs, jobId, at, to, countedRows)
    cells.push(...page)
    if (page.reduce((sum, { n }) => sum + number(n), 0) < countedRows) break
    at = page.reduce((last, cell) => Math.max(last, number(cell.last)), at) + 1
  }
  return cells.map((written) => ({
    at: number(written.at),
    account: accountOf(written.account),
    state: executionStateOf(written.state),
    late: number(written.late) === 1,
    count: number(written.n),
  }))
}

export function* tickRanges(jobId: string, from: number, to: number): Script<TickRange[]> {
  const ranges = yield* rows(straddlingText, jobId, from, from)
  for (let at = from; at < to; ) {
    const page = yield* rows(rangePageText, jobId, at, to, pageRows)
    ranges.push(...page)
    if (page.length < pageRows) break
    at = number(page.at(-1)?.from_at) + 1
  }
  return ranges.map(rangeFrom)
}
