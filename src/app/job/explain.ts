/** The ledger for people: what became of every tick of a span, and why. */
import { EvertickError } from '../../core/error.ts'
import type { Job } from '../../core/job/job.ts'
import { sequenceOfJob } from '../../core/job/sequence.ts'
import { parseInstant } from '../../core/schedule/instant.ts'
import type { Instant } from '../../core/schedule/schedule.ts'
import type { TickRange } from '../../core/tick/account.ts'
import type { Verdict } from '../../core/tick/explain.ts'
import type { AppContext } from '../app-context.ts'

export interface ExplainedTickView {
  readonly scheduledFor: Date
  readonly account: Verdict
  readonly reason?: string
  readonly executionId?: string
  /** Of its execution; how that ended, where it is no longer kept. */
  readonly state?: string
  /** Of a cancelled execution that is no longer kept. */
  readonly cancelReason?: string
  /** True where the tick had an execution whose details are no longer kept. */
  readonly folded?: true
  /** How many ticks, up to `to`, where the ledger no longer knows each instant of a fixedDelay job. */
  readonly count?: number
  readonly to?: Date
}

export interface ExplanationView {
  readonly job: string
  readonly ticks: readonly ExplainedTickView[]
  readonly ranges: readonly {
    readonly from: Date
    readonly to: Date
    readonly count: number
    readonly account: TickRange['account']
    /** Of skipped and coalesced ticks. */
    readonly reason?: string
    /** How the executions of these ticks ended, whose details are no longer kept. */
    readonly state?: string
    readonly executionId?: string
  }[]
  readonly unaccounted: number
  readonly truncated: boolean
}

export async function explain(
  { store, clock }: AppContext,
  job: string,
  options: { from: Instant; to: Instant; limit?: number },
): Promise<ExplanationView> {
  const { from, to } = parseSpan(options)
  const explained = await store.ticks.explainSpan(job, from, to, options.limit ?? 1_000, clock.now())
  return {
    job: explained.job.name,
    ticks: explained.ticks.map((tick) => ({
      scheduledFor: new Date(tick.tickAt),
      account: tick.verdict,
      ...(tick.reason === null ? {} : { reason: tick.reason }),
      ...(tick.executionId === null ? {} : { executionId: tick.executionId }),
      ...(tick.state === null ? {} : { state: tick.state }),
      ...(tick.cancelReason === null ? {} : { cancelReason: tick.cancelReason }),
      ...(tick.folded ? { folded: true as const } : {}),
      ...(tick.count === 1 ? {} : { count: tick.count, to: new Date(tick.to) }),
    })),
    ranges: explained.ranges.map((range) => ({
      from: new Date(range.from),
      to: new Date(range.to),
      count: range.count,
      account: range.account,
      ...(range.reason === null ? {} : { reason: range.reason }),
      ...(range.outcome === null ? {} : { state: range.outcome }),
      ...(range.executionId === null ? {} : { executionId: range.executionId }),
    })),
    unaccounted: explained.unaccounted,
    truncated: explained.truncated,
  }
}

/** The newest ticks that are due, newest last. */
export async function newestTicks(
  app: AppContext,
  job: Job,
  limit: number,
): Promise<readonly ExplainedTickView[]> {
  const now = app.clock.now()
  const sequence = sequenceOfJob(job)
  let from = now + 1
  for (let count = 0; count < limit; count += 1) {
    const previous = sequence.previous(from)
    if (previous === null || previous < job.createdAt) break
    from = previous
  }
  // The ticks of a fixedDelay job are known from its ledger alone.
  const since = job.spec.schedule?.kind === 'fixed_delay' ? await beginOfNewest(app, job, limit) : from
  if (since > now) return []
  const span = { from: new Date(since), to: new Date(now + 1), limit: 100_000 }
  return (await explain(app, job.id, span)).ticks.slice(-limit)
}

async function beginOfNewest({ store }: AppContext, job: Job, limit: number): Promise<number> {
  const newest = await store.ticks.recentTicks([job.id], limit)
  return newest.reduce((first, tick) => Math.min(first, tick.from), Number.POSITIVE_INFINITY)
}

export function parseSpan(span: { from: Instant; to: Instant }): { from: number; to: number } {
  const from = parseInstant(span.from, 'from')
  const to = parseInstant(span.to, 'to')
  if (from < to) return { from, to }
  throw new EvertickError('invalid_option', 'The span ends before it begins.', {
    field: 'to',
    next: 'Give a `to` after `from`.',
  })
}
