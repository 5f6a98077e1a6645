/** What is under way or rests, and what a new leader had to make good; and the ticks of one job, counted by slots. */
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { TickRange } from '../../core/tick/account.ts'
import type { MissedTicks, PausedJob, TickCell, Unfinished } from '../store.ts'
import { queueCountTexts } from './nodes.ts'
import { number, rangeFrom, text } from './rows.ts'
import { type Row, rows, type Script } from './script.ts'
import { seqAround } from './seq-at.ts'

/** In the words of its partial index. */
const pausedText = `SELECT name, paused_at FROM @jobs
  WHERE deleted_at IS NULL AND state <> 'active' AND state = 'paused' AND paused_at <= ? LIMIT ?`
const missedText = `SELECT job_id, count(*) AS n FROM (
    SELECT job_id FROM @job_executions WHERE seq >= ? AND seq < ? AND tick_at < ? AND created_at >= ? LIMIT ?) missed
  GROUP BY job_id`
const missedRangesText = `SELECT job_id, account, reason, sum(count) AS n FROM (
    SELECT job_id, account, reason, count FROM @tick_ranges WHERE id >= ? AND id < ? AND from_at < ? AND created_at >= ? LIMIT ?) missed
  GROUP BY job_id, account, reason`
const ticksText = `SELECT at, account, state, late, count(*) AS n FROM (
    SELECT tick_at - tick_at % ? AS at, account, state, CASE WHEN started_at - tick_at > ? THEN 1 ELSE 0 END AS late
    FROM @job_executions WHERE job_id = ? AND tick_at >= ? AND tick_at < ?) ticks
  GROUP BY at, account, state, late`

export function* countUnfinished(): Script<Unfinished> {
  const unfinished: Row[] = []
  for (const counts of queueCountTexts) unfinished.push(...(yield* rows(counts)))
  const count = (runs: boolean) =>
    unfinished.reduce((sum, { state, n }) => sum + ((state === 'running') === runs ? number(n) : 0), 0)
  return { running: count(true), waiting: count(false) }
}

export function* pausedBefore(at: number, limit: number): Script<PausedJob[]> {
  const found = yield* rows(pausedText, at, limit)
  return found.map(({ name, paused_at }) => ({ name: text(name), since: number(paused_at) }))
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
  return jobs.map(({ id, name }) => {
    const own = ranges.filter(({ job_id }) => job_id === id)
    const sum = (account: string) =>
      own.filter((range) => range.account === account).reduce((all, { n }) => all + number(n), 0)
    return {
      job: text(name),
      caughtUp: number(runs.find(({ job_id }) => job_id === id)?.n ?? 0),
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
