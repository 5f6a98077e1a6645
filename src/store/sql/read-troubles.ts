/** What needs a person's eye, and what a new leader had to make good; and the ticks of one job, counted by slots. */
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { TickRange } from '../../core/tick/account.ts'
import type { JobTroubles, MissedTicks, TickCell, TroublesQuery } from '../store.ts'
import { queueCountTexts } from './nodes.ts'
import { rangePageText, straddlingText } from './read-ledger.ts'
import { number, optionalNumber, rangeFrom, text } from './rows.ts'
import { countedRows, pageRows, type Row, row, rows, type Script } from './script.ts'
import { seqAround } from './seq-at.ts'

const lateText = `SELECT id, name, next_due_at FROM @jobs WHERE next_due_at < ? AND state = 'active' ORDER BY next_due_at LIMIT ?`
const lateCountText = `SELECT count(*) AS n FROM (SELECT id FROM @jobs WHERE next_due_at < ? AND state = 'active' LIMIT ?) late`
/** In the words of its partial index. */
const restingText = `SELECT id, name, state, paused_at, updated_at FROM @jobs
  WHERE deleted_at IS NULL AND state <> 'active' AND state IN ('paused', 'disabled', 'error') LIMIT ?`
const failedText = `SELECT job_id FROM @job_executions WHERE state = 'failed' AND seq >= ? ORDER BY seq DESC LIMIT ?`
const missedText = `SELECT job_id, count(*) AS n FROM (
    SELECT job_id FROM @job_executions WHERE seq >= ? AND seq < ? AND tick_at < ? AND created_at >= ? LIMIT ?) missed
  GROUP BY job_id`
const missedRangesText = `SELECT job_id, account, reason, sum(count) AS n FROM (
    SELECT job_id, account, reason, count FROM @tick_ranges WHERE id >= ? AND id < ? AND from_at < ? AND created_at >= ? LIMIT ?) missed
  GROUP BY job_id, account, reason`
const ticksText = `SELECT at, account, state, late, count(*) AS n, max(tick_at) AS last FROM (
    SELECT tick_at, tick_at - tick_at % ? AS at, account, state, CASE WHEN started_at - tick_at > ? THEN 1 ELSE 0 END AS late
    FROM @job_executions WHERE job_id = ? AND tick_at >= ? AND tick_at < ? ORDER BY tick_at LIMIT ?) ticks
  GROUP BY at, account, state, late`

export function* findTroubles({
  lateBefore,
  failedSince,
  limit,
  maxRows,
}: TroublesQuery): Script<JobTroubles> {
  const late = yield* rows(lateText, lateBefore, limit)
  const lateCount = yield* row(lateCountText, lateBefore, maxRows)
  const resting = yield* rows(restingText, limit)
  const { surelyBelow } = yield* seqAround('executions', failedSince)
  const failed = yield* rows(failedText, surelyBelow, maxRows)
  const unfinished: Row[] = []
  for (const counts of queueCountTexts) unfinished.push(...(yield* rows(counts)))
  const count = (runs: boolean) =>
    unfinished.reduce((sum, { state, n }) => sum + ((state === 'running') === runs ? number(n) : 0), 0)
  return {
    late: late.map((job) => ({ id: text(job.id), name: text(job.name), dueAt: number(job.next_due_at) })),
    lateCount: number(lateCount?.n),
    resting: resting.map((job) => ({
      id: text(job.id),
      name: text(job.name),
      state: text(job.state) as 'paused' | 'disabled' | 'error',
      since: optionalNumber(job.paused_at) ?? number(job.updated_at),
    })),
    failedJobIds: [...new Set(failed.map(({ job_id }) => text(job_id)))],
    running: count(true),
    waiting: count(false),
  }
}

export function* missedTicks(startAt: number, until: number, maxRows: number): Script<MissedTicks[]> {
  const executions = yield* stretchOf('executions', startAt, until)
  const runs = yield* rows(missedText, ...executions, startAt, startAt, maxRows)
  const ranges = yield* rows(
    missedRangesText,
    ...(yield* stretchOf('ranges', startAt, until)),
    startAt,
    startAt,
    maxRows,
  )
  const ids = [...new Set([...runs, ...ranges].map(({ job_id }) => text(job_id)))]
  if (ids.length === 0) return []
  const jobs = yield* rows('SELECT id, name FROM @jobs WHERE id IN ?* ORDER BY name', ids)
  const rangesOf = Map.groupBy(ranges, ({ job_id }) => text(job_id))
  const caughtUpOf = new Map(runs.map(({ job_id, n }) => [text(job_id), number(n)]))
  return jobs.map(({ id, name }) => {
    const own = rangesOf.get(text(id)) ?? []
    const sum = (account: string) =>
      own.filter((range) => range.account === account).reduce((all, { n }) => all + number(n), 0)
    return {
      job: text(name),
      caughtUp: caughtUpOf.get(text(id)) ?? 0,
      coalesced: sum('coalesced'),
      skipped: sum('skipped'),
      reasons: [...new Set(own.map(({ reason }) => text(reason)))],
    }
  })
}

function* stretchOf(table: 'executions' | 'ranges', from: number, to: number): Script<[number, number]> {
  const { surelyBelow } = yield* seqAround(table, from)
  const { surelyAbove } = yield* seqAround(table, to)
  return [surelyBelow, surelyAbove]
}

export function* countTicks(
  jobId: string,
  from: number,
  to: number,
  slotMs: number,
  lateMs: number,
): Script<TickCell[]> {
  const found: Row[] = []
  for (let at = from; at < to; ) {
    const page = yield* rows(ticksText, slotMs, lateMs, jobId, at, to, countedRows)
    found.push(...page)
    if (page.reduce((sum, { n }) => sum + number(n), 0) < countedRows) break
    at = page.reduce((last, cell) => Math.max(last, number(cell.last)), at) + 1
  }
  return found.map((written) => ({
    at: number(written.at),
    account: text(written.account) as TickCell['account'],
    state: text(written.state) as ExecutionState,
    late: number(written.late) === 1,
    count: number(written.n),
  }))
}

export function* tickRanges(jobId: string, from: number, to: number): Script<TickRange[]> {
  const found = yield* rows(straddlingText, jobId, from, from)
  for (let at = from; at < to; ) {
    const page = yield* rows(rangePageText, jobId, at, to, pageRows)
    found.push(...page)
    if (page.length < pageRows) break
    at = number(page.at(-1)?.from_at) + 1
  }
  return found.map(rangeFrom)
}
