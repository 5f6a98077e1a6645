/** How executions ended over a span, and how many ticks had none. */
import { countWithin } from '../../core/history/spread.ts'
import type { TickRange } from '../../core/tick/account.ts'
import type { AppContext } from '../app-context.ts'
import { Slice } from '../slice.ts'
import { type BucketOptions, bucketsOf } from './span.ts'

export interface ActivityBucket {
  readonly at: Date
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly skipped: number
  readonly coalesced: number
}

export interface ActivityReport {
  readonly from: Date
  readonly to: Date
  readonly bucketMs: number
  readonly buckets: readonly ActivityBucket[]
  /** Before this instant not everything is counted: there was too much. */
  readonly coveredFrom: Date
}

const mostDays = 400
/** A busy day; as many rows of one stretch of the primary key take some tens of milliseconds. */
const mostRows = 100_000

export async function activityOf(
  { store, rest }: AppContext,
  options: BucketOptions,
): Promise<ActivityReport> {
  const { from, to, bucketMs, starts } = bucketsOf(options, mostDays)
  const { ended, ranges, days, coveredFrom } = await store.executions.readActivity({
    from,
    to,
    bucketMs,
    maxRows: mostRows,
  })
  const endedAt = Map.groupBy(ended, ({ at }) => at)
  const spread = starts.map(() => ({ completed: 0, failed: 0, cancelled: 0, skipped: 0, coalesced: 0 }))
  const slice = new Slice(rest)
  // What is no longer kept one by one is spread over its time.
  const spans = [
    ...ranges.map((range) => ({ ...range, as: range.outcome ?? wentAs(range) })),
    ...days.map((day) => ({ ...day, as: day.state })),
  ]
  for (const span of spans) {
    const [first, last] = [span.from, span.to].map((at) => Math.floor((at - from) / bucketMs))
    for (let index = Math.max(0, first ?? 0); index <= Math.min(last ?? 0, starts.length - 1); index += 1) {
      const [at, counts] = [starts[index] ?? 0, spread[index]]
      if (counts !== undefined) counts[span.as] += countWithin(span, at, Math.min(at + bucketMs, to))
      await slice.took(1)
    }
  }
  return {
    from: new Date(from),
    to: new Date(to),
    bucketMs,
    buckets: starts.map((at, index) => {
      const count = (state: string) =>
        (endedAt.get(at) ?? []).reduce((sum, group) => sum + (group.state === state ? group.count : 0), 0)
      return {
        at: new Date(at),
        completed: count('completed') + (spread[index]?.completed ?? 0),
        failed: count('failed') + (spread[index]?.failed ?? 0),
        cancelled: count('cancelled') + (spread[index]?.cancelled ?? 0),
        skipped: spread[index]?.skipped ?? 0,
        coalesced: spread[index]?.coalesced ?? 0,
      }
    }),
    coveredFrom: new Date(coveredFrom),
  }
}

/** Of ticks that never had an execution. */
function wentAs({ account }: Pick<TickRange, 'account'>): 'skipped' | 'coalesced' {
  return account === 'coalesced' ? 'coalesced' : 'skipped'
}
