/** What becomes of the runs that a pause has held back: the policy for missed ticks, for runs without a tick. */
import type { CatchUpSpec } from '../job/options.ts'

export interface PausedRun {
  readonly id: string
  /** When it would have begun. */
  readonly at: number
}

export interface PausedRuns {
  readonly chosen: readonly string[]
  /** Newer ones took their place. */
  readonly superseded: readonly string[]
  /** By the policy none of them runs, or they are too old. */
  readonly dropped: readonly string[]
}

/** Oldest first. `catchUp` null: they are skipped. */
export function selectPaused(
  runs: readonly PausedRun[],
  catchUp: CatchUpSpec | null,
  now: number,
): PausedRuns {
  const ids = (some: readonly PausedRun[]) => some.map(({ id }) => id)
  if (catchUp === null || catchUp.policy === 'none') return { chosen: [], superseded: [], dropped: ids(runs) }
  const oldest = catchUp.windowMs === null ? Number.NEGATIVE_INFINITY : now - catchUp.windowMs
  const recent = runs.filter(({ at }) => at >= oldest)
  const limit = catchUp.policy === 'latest' ? 1 : catchUp.maxMissedRuns
  const from = Math.max(0, recent.length - limit)
  return {
    chosen: ids(recent.slice(from)),
    superseded: ids(recent.slice(0, from)),
    dropped: ids(runs.filter(({ at }) => at < oldest)),
  }
}
