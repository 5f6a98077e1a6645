/** The span of a report, and its slots. */
import { EvertickError } from '../../core/error.ts'
import type { Instant } from '../../core/schedule/schedule.ts'
import { parseSpan } from '../job/explain.ts'

export interface SpanOptions {
  readonly from: Instant
  /** Exclusive. */
  readonly to: Instant
}

export interface BucketOptions extends SpanOptions {
  /** How many slots of equal length. @default 48 */
  readonly buckets?: number
}

export interface Buckets {
  readonly from: number
  readonly to: number
  readonly bucketMs: number
  /** The start of each slot. */
  readonly starts: readonly number[]
}

const dayMs = 86_400_000
const mostBuckets = 500

export function bucketsOf({ buckets = 48, ...span }: BucketOptions, mostDays: number): Buckets {
  if (!Number.isInteger(buckets) || buckets < 1 || buckets > mostBuckets) {
    throw new EvertickError('invalid_option', `buckets must be a whole number from 1 to ${mostBuckets}.`, {
      field: 'buckets',
    })
  }
  const { from, to } = spanOf(span, mostDays)
  const bucketMs = Math.ceil((to - from) / buckets)
  const starts = Array.from(
    { length: Math.ceil((to - from) / bucketMs) },
    (_, index) => from + index * bucketMs,
  )
  return { from, to, bucketMs, starts }
}

export function spanOf(span: SpanOptions, mostDays: number): { from: number; to: number } {
  const { from, to } = parseSpan(span)
  if (to - from <= mostDays * dayMs) return { from, to }
  throw new EvertickError('invalid_option', `The span is longer than ${mostDays} days.`, {
    field: 'to',
    next: 'Ask for a shorter one.',
  })
}
