/**
 * A row of the ledger: what became of a run of ticks whose executions are no longer kept, or that never had any. Rows join,
 * so that a year of success is twelve of them; where the outcomes vary too much for that, an hour of them is packed.
 */
import { type CancelReason, cancelReasons } from '../execution/execution.ts'
import { keysOf } from '../table-keys.ts'
import type { TickKind, TickRange } from './account.ts'

export interface KindRun {
  readonly kind: TickKind
  readonly count: number
}

export interface LedgerRow {
  /** The first and the last tick. */
  readonly from: number
  readonly to: number
  /** What became of its ticks, in their order: one run, and several where they are packed. */
  readonly runs: readonly KindRun[]
  /** Of coalesced ticks: the tick, and its execution, that stand for them. */
  readonly into: number | null
  readonly executionId: string | null
  readonly revision: number
  readonly tzVersion: string
}

/** Beyond this many rows an hour is packed: as many cost about as much as the packed one. */
const packAbove = 8
const hourMs = 3_600_000

export function countOf({ runs }: Pick<LedgerRow, 'runs'>): number {
  return runs.reduce((sum, { count }) => sum + count, 0)
}

/** What a handler gave as its reason is a detail, and goes with the others. */
export function keptCancelReason(reason: string): CancelReason {
  return keysOf(cancelReasons).find((known) => known === reason) ?? 'handler'
}

export function sameKind(a: TickKind, b: TickKind): boolean {
  return (
    a.account === b.account &&
    a.reason === b.reason &&
    a.outcome === b.outcome &&
    a.cancelReason === b.cancelReason
  )
}

/** Whether two rows with nothing of the ledger between them may be one: a month at most, so that retention can pass it. */
export function joins(a: LedgerRow, b: LedgerRow): boolean {
  const [first, ...more] = a.runs
  const [second, ...others] = b.runs
  if (first === undefined || second === undefined || more.length + others.length > 0) return false
  return (
    sameKind(first.kind, second.kind) &&
    a.into === b.into &&
    a.revision === b.revision &&
    a.tzVersion === b.tzVersion &&
    utcMonth(a.from) === utcMonth(b.to)
  )
}

/** Both in order. What is left as it was is the same object; `kept` are the ticks that have executions. */
export function joinRows(rows: readonly LedgerRow[], kept: readonly number[]): LedgerRow[] {
  const joined: LedgerRow[] = []
  const between = gapsOf(kept)
  for (const row of rows) {
    const last = joined.at(-1)
    if (last === undefined || between(last.to, row.from) || !joins(last, row)) joined.push(row)
    else joined.splice(-1, 1, oneOf([last, row]))
  }
  return joined
}

/** Makes one row of those of an hour where they are many, with no execution between them. */
export function packRows(rows: readonly LedgerRow[], kept: readonly number[]): LedgerRow[] {
  const between = gapsOf(kept)
  const stretches: LedgerRow[][] = []
  for (const row of rows) {
    const stretch = stretches.at(-1)
    const last = stretch?.at(-1)
    const goesOn =
      last !== undefined &&
      !between(last.to, row.from) &&
      hourOf(last.from) === hourOf(row.to) &&
      last.revision === row.revision &&
      last.tzVersion === row.tzVersion
    if (goesOn) stretch?.push(row)
    else stretches.push([row])
  }
  // What is packed already takes in what is folded later of its hour.
  const worth = (stretch: readonly LedgerRow[]) =>
    stretch.length > packAbove || (stretch.length > 1 && stretch.some(({ runs }) => runs.length > 1))
  return stretches.flatMap((stretch) => (worth(stretch) ? [oneOf(stretch)] : stretch))
}

/** Counts are summed, never computed, so that an audit still finds what was lost before. */
function oneOf(rows: readonly LedgerRow[]): LedgerRow {
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) throw new TypeError('There is no row to make one of.')
  const runs = mergedRuns(rows.flatMap((row) => row.runs))
  // Packed ticks do not say into which one they were coalesced: it is the next that ran.
  const { into, executionId } = runs.length === 1 ? first : { into: null, executionId: null }
  return { ...first, to: last.to, runs, into, executionId }
}

export function mergedRuns(runs: readonly KindRun[]): KindRun[] {
  const merged: KindRun[] = []
  for (const run of runs) {
    const last = merged.at(-1)
    if (last === undefined || !sameKind(last.kind, run.kind)) merged.push(run)
    else merged.splice(-1, 1, { kind: run.kind, count: last.count + run.count })
  }
  return merged
}

/** Whether one of the instants lies between two others; asked in order. */
function gapsOf(kept: readonly number[]): (after: number, before: number) => boolean {
  let next = 0
  return (after, before) => {
    while ((kept[next] ?? Number.POSITIVE_INFINITY) <= after) next += 1
    return (kept[next] ?? Number.POSITIVE_INFINITY) < before
  }
}

/** Of the tick with this place in the row; null beyond its last. */
export function kindAt({ runs }: Pick<LedgerRow, 'runs'>, index: number): TickKind | null {
  let left = index
  for (const { kind, count } of runs) {
    if (left < count) return kind
    left -= count
  }
  return null
}

/** The row by what became of its ticks: one range, and of a packed row one for each kind. */
export function rangesOf({ from, to, runs, executionId }: LedgerRow): TickRange[] {
  const kinds = new Map<string, { kind: TickKind; count: number }>()
  for (const { kind, count } of runs) {
    const key = kindText(kind)
    kinds.set(key, { kind, count: (kinds.get(key)?.count ?? 0) + count })
  }
  return [...kinds.values()].map(({ kind, count }) => ({ from, to, count, ...kind, executionId }))
}

export function kindText({ account, reason, outcome, cancelReason }: TickKind): string {
  return [account, reason ?? outcome ?? '', cancelReason ?? ''].filter((word) => word !== '').join('/')
}

function utcMonth(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/** The first instant of the next month. */
export function monthAfter(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

function hourOf(at: number): number {
  return Math.floor(at / hourMs)
}

/** Where the hours begin and end that have anything of `[from, to]`: what is packed together. */
export function hoursAround(from: number, to: number): { from: number; until: number } {
  return { from: hourOf(from) * hourMs, until: (hourOf(to) + 1) * hourMs }
}
