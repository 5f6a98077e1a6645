/** Finished runs as statistics take them. */
import type { FinishedRun, FoldedRuns } from '../../../core/history/statistics.ts'
import { packedCounts } from '../../../core/tick/packed-runs.ts'
import { finalStateOf, number, optionalNumber, text } from '../runtime/rows.ts'
import { type Param, pageRows, type Row, rows, type Script } from '../runtime/script.ts'

const columns = 'SELECT seq, state, started_at, finished_at FROM @finished_executions'
const final = `state IN ('completed', 'failed', 'cancelled') AND seq < ? ORDER BY seq DESC LIMIT ?`

export function* newestRuns(limit: number): Script<FinishedRun[]> {
  return yield* readRuns(`${columns} WHERE ${final}`, [], limit)
}

export function* jobRuns(jobId: string, limit: number): Script<{ runs: FinishedRun[]; folded: FoldedRuns }> {
  const runs = yield* readRuns(`${columns} WHERE job_id = ? AND ${final}`, [jobId], limit)
  return { runs, folded: yield* foldedRuns(jobId) }
}

function* readRuns(select: string, params: readonly Param[], limit: number): Script<FinishedRun[]> {
  const runs: Row[] = []
  for (let before = Number.MAX_SAFE_INTEGER; runs.length < limit; ) {
    const most = Math.min(pageRows, limit - runs.length)
    const page = yield* rows(select, ...params, before, most)
    runs.push(...page)
    if (page.length < most) break
    before = number(page.at(-1)?.seq)
  }
  return runs.map(finishedRunFrom)
}

const countedText = `SELECT outcome AS state, sum(count) AS n FROM @tick_ranges
    WHERE job_id = ? AND outcome IS NOT NULL GROUP BY outcome
  UNION ALL
  SELECT state, sum(count) AS n FROM @day_totals WHERE job_id = ? GROUP BY state`
const packedText = `SELECT from_at, packed FROM @tick_ranges
  WHERE job_id = ? AND packed IS NOT NULL AND from_at > ? ORDER BY from_at LIMIT ?`

/** Of the executions that are no longer kept: how many ended so. */
function* foldedRuns(jobId: string): Script<FoldedRuns> {
  const folded = { completed: 0, failed: 0, cancelled: 0 }
  for (const { state, n } of yield* rows(countedText, jobId, jobId)) folded[finalStateOf(state)] += number(n)
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const page = yield* rows(packedText, jobId, after, pageRows)
    for (const { kind, count } of page.flatMap(({ packed }) => packedCounts(text(packed)))) {
      if (kind.outcome !== null) folded[kind.outcome] += count
    }
    if (page.length < pageRows) return folded
    after = number(page.at(-1)?.from_at)
  }
}

/** `row` has state, started_at and finished_at. */
export function finishedRunFrom(row: Row): FinishedRun {
  const startedAt = optionalNumber(row.started_at)
  const finishedAt = optionalNumber(row.finished_at)
  return {
    state: finalStateOf(row.state),
    durationMs: startedAt === null || finishedAt === null ? null : finishedAt - startedAt,
  }
}
