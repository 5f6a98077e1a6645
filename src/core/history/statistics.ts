/** Step 5 of the flow, what happened: figures over finished executions. */
import type { FinalState } from '../execution/execution-state.ts'

export interface Statistics {
  /** Of the runs that the ledger still knows of; the durations are of those whose details are kept. */
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  /** Completed of completed + failed, 0 to 1; null before anything finished. */
  readonly successRate: number | null
  readonly avgDurationMs: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

/** How many runs ended so whose details are no longer kept. */
export type FoldedRuns = Readonly<Record<FinalState, number>>

export interface FinishedRun {
  readonly state: FinalState
  readonly durationMs: number | null
}

const noneFolded: FoldedRuns = { completed: 0, failed: 0, cancelled: 0 }

export function statisticsOf(runs: readonly FinishedRun[], folded = noneFolded): Statistics {
  const inState = (state: FinalState) => runs.filter((run) => run.state === state).length + folded[state]
  const [completed, failed, cancelled] = [inState('completed'), inState('failed'), inState('cancelled')]
  const durations = runs
    .filter((run) => run.state !== 'cancelled')
    .flatMap((run) => (run.durationMs === null ? [] : [run.durationMs]))
    .sort((a, b) => a - b)
  const decided = completed + failed
  return {
    total: completed + failed + cancelled,
    completed,
    failed,
    cancelled,
    successRate: decided === 0 ? null : completed / decided,
    avgDurationMs:
      durations.length === 0 ? null : durations.reduce((sum, ms) => sum + ms, 0) / durations.length,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    p99Ms: percentile(durations, 0.99),
  }
}

/** Nearest rank: always a value that occurred. */
export function percentile(sorted: readonly number[], fraction: number): number | null {
  if (sorted.length === 0) return null
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)] ?? null
}
