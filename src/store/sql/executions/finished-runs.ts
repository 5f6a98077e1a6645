/** Finished runs as statistics take them. */
import type { FinishedRun } from '../../../core/history/statistics.ts'
import { finalStateOf, number, optionalNumber } from '../runtime/rows.ts'
import { pageRows, type Row, rows, type Script } from '../runtime/script.ts'

/** The newest finished runs, for statistics: of one job, or of all. */
export function* jobRuns(jobId: string | null, limit: number): Script<FinishedRun[]> {
  const columns = 'SELECT seq, state, started_at, finished_at FROM @finished_executions'
  const final = `state IN ('completed', 'failed', 'cancelled') AND seq < ?`
  const runs: Row[] = []
  for (let before = Number.MAX_SAFE_INTEGER; runs.length < limit; ) {
    const most = Math.min(pageRows, limit - runs.length)
    const page =
      jobId === null
        ? yield* rows(`${columns} WHERE ${final} ORDER BY seq DESC LIMIT ?`, before, most)
        : yield* rows(
            `${columns} WHERE job_id = ? AND ${final} ORDER BY seq DESC LIMIT ?`,
            jobId,
            before,
            most,
          )
    runs.push(...page)
    if (page.length < most) break
    before = number(page.at(-1)?.seq)
  }
  return runs.map(finishedRunFrom)
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
