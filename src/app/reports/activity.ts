/** How executions ended over a span, and how many ticks had none. */
import { countWithin } from '../../core/history/spread.ts'
import type { AppContext } from '../app-context.ts'
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
  /** Before it not all is counted: there was too much of it. */
  readonly coveredFrom: Date
}

const mostDays = 92
/** A busy day; as many rows of one stretch of the primary key take some tens of milliseconds. */
const mostRows = 100_000

export async function activityOf({ store }: AppContext, options: BucketOptions): Promise<ActivityReport> {
  const { from, to, bucketMs, starts } = bucketsOf(options, mostDays)
  const { ended, ranges, coveredFrom } = await store.readActivity({ from, to, bucketMs, maxRows: mostRows })
  const endedAt = Map.groupBy(ended, ({ at }) => at)
  return {
    from: new Date(from),
    to: new Date(to),
    bucketMs,
    buckets: starts.map((at) => {
      const end = Math.min(at + bucketMs, to)
      const count = (state: string) =>
        (endedAt.get(at) ?? []).reduce((sum, group) => sum + (group.state === state ? group.count : 0), 0)
      const ticks = (account: string) =>
        ranges.reduce((sum, range) => sum + (range.account === account ? countWithin(range, at, end) : 0), 0)
      return {
        at: new Date(at),
        completed: count('completed'),
        failed: count('failed'),
        cancelled: count('cancelled'),
        skipped: ticks('skipped'),
        coalesced: ticks('coalesced'),
      }
    }),
    coveredFrom: new Date(coveredFrom),
  }
}
