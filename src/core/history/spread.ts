/** Counts of a span laid over slots of time. */
export interface CountedSpan {
  readonly from: number
  /** Inclusive. */
  readonly to: number
  readonly count: number
}

/**
 * How much of the count lies before an instant, as if it were spread evenly: whole numbers that add up to the count, however
 * the span is cut.
 */
export function countBefore({ from, to, count }: CountedSpan, instant: number): number {
  if (instant <= from) return 0
  if (instant > to) return count
  return Math.round((count * (instant - from)) / (to - from + 1))
}

/** The part of the count in `[from, to)`. */
export function countWithin(span: CountedSpan, from: number, to: number): number {
  return countBefore(span, to) - countBefore(span, from)
}
