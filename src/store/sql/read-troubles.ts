/** What needs a person's eye, and what a new leader had to make good; and the ticks of one job, counted by slots. */
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { TickRange } from '../../core/tick/account.ts'
import type { JobTroubles, MissedTicks, TickCell, TroublesQuery } from '../store.ts'
import { queueCountTexts } from './nodes.ts'
import { number, optionalNumber, optionalText, rangeFrom, text } from './rows.ts'
import { type Row, row, rows, type Script } from './script.ts'
import { seqAround } from './seq-at.ts'

const lateText = `SELECT id, name, next_due_at FROM @jobs WHERE next_due_at < ? AND state = 'active' ORDER BY next_due_at LIMIT ?`
const lateCountText = `SELECT count(*) AS n FROM (SELECT id FROM @jobs WHERE next_due_at < ? AND state = 'active' LIMIT ?) late`
/** In the words of its partial index. */
const restingText = `SELECT id, name, state, paused_at, updated_at FROM @jobs
  WHERE deleted_at IS NULL AND state <> 'active' AND state IN ('paused', 'disabled', 'error') LIMIT ?`
const failedText = `SELECT job_id FROM @job_executions WHERE state = 'failed' AND seq >= ? ORDER BY seq DESC LIMIT ?`
const missedText = `SELECT job_name, account, reason, sum(count) AS n FROM @missed_ticks WHERE term_id = ?
  GROUP BY job_name, account, reason ORDER BY job_name, account, reason`
const ticksText = `SELECT at, account, state, late, count(*) AS n FROM (
    SELECT tick_at - tick_at % ? AS at, account, state, CASE WHEN started_at - tick_at > ? THEN 1 ELSE 0 END AS late
    FROM @job_executions WHERE job_id = ? AND tick_at >= ? AND tick_at < ?) ticks
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

export function* missedTicks(termId: number): Script<MissedTicks[]> {
  const found = yield* rows(missedText, termId)
  return [...Map.groupBy(found, ({ job_name }) => text(job_name))].map(([job, own]) => {
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
  const found = yield* rows(ticksText, slotMs, lateMs, jobId, from, to)
  return found.map((written) => ({
    at: number(written.at),
    account: text(written.account) as TickCell['account'],
    state: text(written.state) as ExecutionState,
    late: number(written.late) === 1,
    count: number(written.n),
  }))
}

export function* tickRanges(jobId: string, from: number, to: number): Script<TickRange[]> {
  const found = yield* rows(
    'SELECT * FROM @tick_ranges WHERE job_id = ? AND to_at >= ? AND from_at < ? ORDER BY from_at',
    jobId,
    from,
    to,
  )
  return found.map(rangeFrom)
}
