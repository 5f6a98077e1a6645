/** What comes into the ledger and goes from it, by what became of its ticks. */
import { keptCancelReason, kindText } from '../../../src/core/tick/ledger-row.ts'
import { unpackRuns } from '../../../src/core/tick/packed-runs.ts'
import type { ExecutionRow, RangeRow } from './change-log.ts'

export interface Account {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly is: string
}

/** A row of the ledger that went or came, by what became of its ticks, in order. */
export interface Entry extends Account {
  readonly runs: readonly Run[]
}

/** A run of ticks of one kind. */
export interface Run {
  readonly kind: string
  readonly count: number
}

export function executionKind({ account, state, cancel_reason: reason }: ExecutionRow): string {
  return `${account}/${state}${state === 'cancelled' ? `/${keptCancelReason(reason ?? '')}` : ''}`
}

export function entryOf(range: RangeRow): Entry {
  const {
    from_at: from,
    to_at: to,
    count,
    account,
    reason,
    outcome,
    cancel_reason: cancelled,
    packed,
  } = range
  const kind = [account, reason ?? outcome, cancelled].filter((word) => word !== null).join('/')
  const runs =
    packed === null
      ? [{ kind, count }]
      : unpackRuns(packed).map((run) => ({ kind: kindText(run.kind), count: run.count }))
  return { from, to, count, is: rangeIs(range), runs }
}

/** "2 fired/completed, 1 skipped/overlap": each tick in its order, however the rows are cut. */
export function inOrder(entries: readonly Entry[]): string {
  const runs: { kind: string; count: number }[] = []
  for (const { kind, count } of entries.toSorted((a, b) => a.from - b.from).flatMap((entry) => entry.runs)) {
    const last = runs.at(-1)
    if (last?.kind === kind) last.count += count
    else runs.push({ kind, count })
  }
  return runs.map(({ kind, count }) => `${count} ${kind}`).join(', ')
}

export function rangeIs({ account, reason, outcome, from_at: from, to_at: to, count }: RangeRow): string {
  return `${count} ${account} (${reason ?? outcome ?? 'mixed'}) from ${at(from)} to ${at(to)}`
}

export function at(instant: number | null | undefined): string {
  return instant === null || instant === undefined ? 'none' : new Date(instant).toISOString().slice(11, 23)
}
