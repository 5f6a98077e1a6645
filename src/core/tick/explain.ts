/**
 * Says of every tick of a span what became of it and why: the nominal ticks, recomputed from the revisions, joined with
 * the ledger.
 */
import type { CancelReason } from '../execution/execution.ts'
import type { ExecutionState } from '../execution/execution-state.ts'
import type { TickSequence } from '../schedule/schedule.ts'
import type { Account, RangeReason, TickKind, TickRange } from './account.ts'
import type { RevisionSpan } from './ledger.ts'
import { kindAt, type LedgerRow, rangesOf } from './ledger-row.ts'

/** `upcoming` is not due yet; `undecided` is due, but the job is paused or nobody has looked; `purged` is older than the ledger. */
export type Verdict = Account | 'upcoming' | 'undecided' | 'unaccounted' | 'purged'

export interface TickExecution {
  readonly id: string
  readonly tickAt: number
  readonly account: 'fired' | 'caught_up'
  readonly state: ExecutionState
}

export interface ExplainedTick {
  readonly tickAt: number
  readonly verdict: Verdict
  readonly reason: RangeReason | null
  readonly executionId: string | null
  /** Of its execution; how that ended, where it is no longer kept. */
  readonly state: ExecutionState | null
  /** Of a cancelled one that is no longer kept. */
  readonly cancelReason: CancelReason | null
  /** It had an execution, whose details are no longer kept. */
  readonly folded: boolean
  /** More ticks than one, up to `to`: a fixedDelay's of which the ledger no longer knows each instant. */
  readonly count: number
  readonly to: number
}

export interface Explanation {
  readonly ticks: readonly ExplainedTick[]
  readonly ranges: readonly TickRange[]
  /** How many ticks of the span below the cursor have no row. */
  readonly unaccounted: number
  /** There were more ticks than asked for; the ranges still cover the whole span. */
  readonly truncated: boolean
}

export interface ExplainRequest {
  readonly from: number
  readonly to: number
  readonly now: number
  readonly ledgerFrom: number
  readonly accountedUntil: number
  /** Nobody can run the job: what is due waits for that. */
  readonly heldBack: boolean
  readonly limit: number
  readonly spans: readonly RevisionSpan[]
  readonly executions: readonly TickExecution[]
  /** In order of their start. */
  readonly rows: readonly LedgerRow[]
  /** Rows that begin before the span are part of it. */
  readonly straddling: boolean
}

export function explainTicks(request: ExplainRequest): Pick<Explanation, 'ticks' | 'truncated'> {
  const executions = new Map(request.executions.map((execution) => [execution.tickAt, execution]))
  const ticks: ExplainedTick[] = []
  let truncated = false
  // Ticks and rows are both sorted, so one pass over each is enough.
  let passed = 0
  for (const nominal of nominalTicks(request)) {
    if (ticks.length >= request.limit) {
      truncated = true
      break
    }
    if ('verdict' in nominal) {
      ticks.push(nominal)
      continue
    }
    const { tickAt, sequence } = nominal
    while ((request.rows[passed]?.to ?? Number.POSITIVE_INFINITY) < tickAt) passed += 1
    const row = request.rows[passed]
    const execution = executions.get(tickAt)
    if (execution !== undefined) ticks.push(withExecution(execution))
    else ticks.push(byRow(tickAt, row, sequence) ?? withoutRow(request, tickAt))
  }
  return { ticks, truncated }
}

type Nominal = { readonly tickAt: number; readonly sequence: TickSequence } | ExplainedTick

function* nominalTicks(request: ExplainRequest): Generator<Nominal> {
  for (const span of request.spans) {
    const from = Math.max(span.from, request.from)
    const until = Math.min(span.until, request.to)
    if (span.sequence === null) {
      yield* ledgerTicks(request, from, until)
      continue
    }
    let tick = span.sequence.next(from - 1)
    while (tick !== null && tick < until) {
      yield { tickAt: tick, sequence: span.sequence }
      tick = span.sequence.next(tick)
    }
  }
}

/** The ticks of a fixedDelay job are known from its ledger alone: what it no longer knows one by one is given as ranges. */
function* ledgerTicks(request: ExplainRequest, from: number, until: number): Generator<ExplainedTick> {
  const begins = (row: LedgerRow) =>
    row.from >= from && row.from < until
      ? true
      : request.straddling && row.from < request.from && row.to >= from
  const entries = [
    ...request.executions.filter(({ tickAt }) => tickAt >= from && tickAt < until).map(withExecution),
    ...request.rows.filter(begins).flatMap((row) => rangesOf(row).map(withRange)),
  ]
  yield* entries.sort((a, b) => a.tickAt - b.tickAt)
}

function withExecution({ tickAt, account, id, state }: TickExecution): ExplainedTick {
  return { ...plain(tickAt, account), executionId: id, state }
}

function byRow(tickAt: number, row: LedgerRow | undefined, sequence: TickSequence): ExplainedTick | null {
  if (row === undefined || row.from > tickAt) return null
  const kind = row.runs.length === 1 ? row.runs[0]?.kind : kindAt(row, sequence.count(row.from, tickAt))
  if (kind === undefined || kind === null) return null
  return { ...ofKind(tickAt, kind), executionId: row.executionId }
}

function withRange({ from, to, count, executionId, ...kind }: TickRange): ExplainedTick {
  return { ...ofKind(from, kind), executionId, count, to }
}

function ofKind(tickAt: number, { account, reason, outcome, cancelReason }: TickKind): ExplainedTick {
  return { ...plain(tickAt, account), reason, state: outcome, cancelReason, folded: outcome !== null }
}

function withoutRow(request: ExplainRequest, tickAt: number): ExplainedTick {
  const verdict = verdictWithout(request, tickAt)
  const reason = verdict === 'undecided' && request.heldBack ? 'disabled' : null
  return { ...plain(tickAt, verdict), reason }
}

function plain(tickAt: number, verdict: Verdict): ExplainedTick {
  return {
    tickAt,
    verdict,
    reason: null,
    executionId: null,
    state: null,
    cancelReason: null,
    folded: false,
    count: 1,
    to: tickAt,
  }
}

function verdictWithout(request: ExplainRequest, tickAt: number): Verdict {
  if (tickAt < request.ledgerFrom) return 'purged'
  if (tickAt < request.accountedUntil) return 'unaccounted'
  return tickAt > request.now ? 'upcoming' : 'undecided'
}
