/**
 * What happened in a span, for pictures of it. No index orders executions by their end, and none is worth its price on the
 * hot path: a stretch of the primary key is read, from where the span begins, and never more than `maxRows` of it.
 */
import { rangesOf } from '../../../core/tick/ledger-row.ts'
import type { Activity, ActivityQuery, TimelineQuery, TimelineRow } from '../../store.ts'
import {
  causeOf,
  executionStateOf,
  finalStateOf,
  number,
  optionalNumber,
  optionalText,
  text,
} from '../runtime/rows.ts'
import { countedRows, pageRows, type Row, row, rows, type Script } from '../runtime/script.ts'
import { seqAround } from '../runtime/seq-at.ts'
import { Where } from '../runtime/where.ts'
import { withRests } from '../steps/step-rows.ts'
import { ledgerRowFrom } from '../ticks/ledger-rows.ts'
import { jobIdOf, longestRunMs } from './list-executions.ts'

const dayMs = 86_400_000

const endedText = `SELECT at, state, count(*) AS n FROM (
    SELECT finished_at - (finished_at - ?) % ? AS at, state FROM @finished_executions
    WHERE seq >= ? AND seq < ? AND state IN ('completed', 'failed', 'cancelled')
      AND finished_at >= ? AND finished_at < ?) ended
  GROUP BY at, state`
const rangesText = `SELECT * FROM @tick_ranges WHERE to_at >= ? AND from_at < ? AND (to_at < ? OR to_at = ? AND id < ?)
  ORDER BY to_at DESC, id DESC LIMIT ?`
const daysText = `SELECT day_at, state, sum(count) AS n FROM @day_totals WHERE day_at > ? AND day_at < ?
  GROUP BY day_at, state`
const timelineColumns = (
  table: string,
) => `SELECT e.seq, e.id, e.job_id, j.name AS job_name, e.state, e.cause, e.leased_by, e.started_at, e.finished_at,
    e.scheduled_for, e.attempt FROM ${table} e LEFT JOIN @jobs j ON j.id = e.job_id`
const heldText = `${timelineColumns('@live_executions')} WHERE e.state = 'running' AND e.leased_until > 0 AND e.seq < ? AND e.started_at < ?
  ORDER BY e.leased_until DESC LIMIT ?`

export function* readActivity({ from, to, bucketMs, maxRows }: ActivityQuery): Script<Activity> {
  const { low, high, coveredFrom } = yield* stretch(from, to, longestRunMs, maxRows)
  const ended: Row[] = []
  for (let at = low; at < high; at += countedRows) {
    ended.push(...(yield* rows(endedText, from, bucketMs, at, Math.min(at + countedRows, high), from, to)))
  }
  const ranges: Row[] = []
  for (let [at, id] = [Number.MAX_SAFE_INTEGER, 0]; ranges.length < maxRows; ) {
    const most = Math.min(pageRows, maxRows - ranges.length)
    const page = yield* rows(rangesText, from, to, at, at, id, most)
    ranges.push(...page)
    if (page.length < most) break
    at = number(page.at(-1)?.to_at)
    id = number(page.at(-1)?.id)
  }
  const days = yield* rows(daysText, from - dayMs, to)
  return {
    ended: ended.map((written) => ({
      at: number(written.at),
      state: finalStateOf(written.state),
      count: number(written.n),
    })),
    ranges: ranges.flatMap((written) => rangesOf(ledgerRowFrom(written))),
    days: days.map((written) => ({
      from: number(written.day_at),
      to: number(written.day_at) + dayMs - 1,
      state: finalStateOf(written.state),
      count: number(written.n),
    })),
    coveredFrom,
  }
}

export function* readTimeline(query: TimelineQuery): Script<TimelineRow[]> {
  const { from, to, job, limit, beforeSeq, lookBackMs, maxRows } = query
  const { low, high } = yield* stretch(from, to, lookBackMs, maxRows)
  const jobId = job === undefined ? null : yield* jobIdOf(job)
  const executions: Row[] = []
  for (
    let end = Math.min(high, beforeSeq ?? high);
    end > low && executions.length < limit;
    end -= countedRows
  ) {
    const where = new Where('e.seq >= ? AND e.seq < ?')
    where.params.push(Math.max(low, end - countedRows), end)
    if (jobId !== null) where.and('e.job_id = ?', jobId)
    where.and('e.started_at < ? AND (e.finished_at >= ? OR e.finished_at IS NULL)', to, from)
    const page = yield* rows(
      `${timelineColumns('@job_executions')} WHERE ${where.text} ORDER BY e.seq DESC LIMIT ?`,
      ...where.params,
      limit - executions.length,
    )
    executions.push(...page)
  }
  if (executions.length === limit) return yield* withRests(executions.map(timelineRow))
  // What still runs may be much older.
  const held = yield* heldRuns({ below: Math.min(low, beforeSeq ?? low), to, limit, jobId })
  return yield* withRests([...executions, ...held].slice(0, limit).map(timelineRow))
}

/** What runs, and was made before a place; newest first. */
export function* heldRuns(query: {
  readonly below: number
  readonly to: number
  readonly limit: number
  readonly jobId: string | null
}): Script<Row[]> {
  const { below, to, limit, jobId } = query
  return (yield* rows(heldText, below, to, limit))
    .filter((written) => jobId === null || text(written.job_id) === jobId)
    .toSorted((a, b) => number(b.seq) - number(a.seq))
}

/** The numbers of executions that may belong to the span; `coveredFrom` says from where on none is left out. */
export function* stretch(
  from: number,
  to: number,
  lookBackMs: number,
  maxRows: number,
): Script<{ wanted: number; low: number; high: number; coveredFrom: number }> {
  const { surelyBelow: wanted } = yield* seqAround(from - lookBackMs)
  const { surelyAbove: high } = yield* seqAround(to)
  const low = Math.max(wanted, high - maxRows)
  if (low === wanted) return { wanted, low, high, coveredFrom: from }
  const first = yield* row('SELECT created_at FROM @job_executions WHERE seq >= ? ORDER BY seq LIMIT 1', low)
  return { wanted, low, high, coveredFrom: Math.max(from, number(first?.created_at ?? from)) }
}

export function timelineRow(written: Row): TimelineRow {
  return {
    seq: number(written.seq),
    id: text(written.id),
    jobId: text(written.job_id),
    job: text(written.job_name ?? ''),
    state: executionStateOf(written.state),
    cause: causeOf(written.cause),
    nodeId: optionalText(written.leased_by),
    startedAt: number(written.started_at),
    finishedAt: optionalNumber(written.finished_at),
    scheduledFor: number(written.scheduled_for),
    attempt: number(written.attempt),
  }
}
