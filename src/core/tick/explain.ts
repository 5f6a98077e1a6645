/**
 * Says of every tick of a span what became of it and why: the nominal ticks, recomputed from the revisions, joined with
 * the ledger.
 */
import type { ExecutionState } from '../execution/execution-state.ts'
import type { Account, RangeReason, TickRange } from './account.ts'
import type { RevisionSpan } from './ledger.ts'

/** `upcoming` is not due yet; `undecided` is due, but the job is paused or nobody has looked; `purged` is beyond retention. */
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
  readonly state: ExecutionState | null
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
  readonly ranges: readonly TickRange[]
}

export function explainTicks(request: ExplainRequest): Pick<Explanation, 'ticks' | 'truncated'> {
  const executions = new Map(request.executions.map((execution) => [execution.tickAt, execution]))
  const ticks: ExplainedTick[] = []
  let truncated = false
  // Ticks and ranges are both sorted, so one pass over each is enough.
  let passed = 0
  for (const tickAt of nominalTicks(request)) {
    if (ticks.length >= request.limit) {
      truncated = true
      break
    }
    while ((request.ranges[passed]?.to ?? Number.POSITIVE_INFINITY) < tickAt) passed += 1
    ticks.push(explainTick(request, tickAt, executions.get(tickAt), request.ranges[passed]))
  }
  return { ticks, truncated }
}

function* nominalTicks(request: ExplainRequest): Generator<number> {
  for (const span of request.spans) {
    const from = Math.max(span.from, request.from)
    const until = Math.min(span.until, request.to)
    if (span.sequence === null) {
      yield* ledgerTicks(request, from, until)
      continue
    }
    let tick = span.sequence.next(from - 1)
    while (tick !== null && tick < until) {
      yield tick
      tick = span.sequence.next(tick)
    }
  }
}

/** The ticks of a fixedDelay job are known from its ledger alone. */
function* ledgerTicks(request: ExplainRequest, from: number, until: number): Generator<number> {
  const instants = [
    ...request.executions.map((execution) => execution.tickAt),
    ...request.ranges.map((range) => range.from),
  ]
  yield* instants.filter((instant) => instant >= from && instant < until).sort((a, b) => a - b)
}

function explainTick(
  request: ExplainRequest,
  tickAt: number,
  execution: TickExecution | undefined,
  range: TickRange | undefined,
): ExplainedTick {
  if (execution !== undefined) {
    const { account, id, state } = execution
    return { tickAt, verdict: account, reason: null, executionId: id, state }
  }
  if (range !== undefined && range.from <= tickAt) {
    return {
      tickAt,
      verdict: range.account,
      reason: range.reason,
      executionId: range.executionId,
      state: null,
    }
  }
  const verdict = withoutRow(request, tickAt)
  const reason = verdict === 'undecided' && request.heldBack ? 'disabled' : null
  return { tickAt, verdict, reason, executionId: null, state: null }
}

function withoutRow(request: ExplainRequest, tickAt: number): Verdict {
  if (tickAt < request.ledgerFrom) return 'purged'
  if (tickAt < request.accountedUntil) return 'unaccounted'
  return tickAt > request.now ? 'upcoming' : 'undecided'
}
