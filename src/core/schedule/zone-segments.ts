import { dayMs } from './civil-day.ts'

/** A stretch of time in which a zone's clock runs on without a jump. Local time is `instant + offsetMs`. */
export interface OffsetSegment {
  readonly startAt: number
  /** Exclusive. */
  readonly endAt: number
  readonly offsetMs: number
  /**
   * The local time reached before this segment, exclusive: the highest that the zone's clocks ever showed.
   * `startAt + offsetMs > peak` is a gap of that size; `< peak` a fold, in which times below it come again.
   */
  readonly peak: number
}

/**
 * Two changes between two samples can hide each other. The shortest stretch of 1970-2042 over all zones is
 * measured in days, see the test; samples stand closer than that.
 */
export const sampleMs = 3 * dayMs

/** The segments of `[startAt, endAt)`, found by sampling the offset and bisecting where it differs. */
export function findSegments(
  offsetAt: (instant: number) => number,
  startAt: number,
  endAt: number,
): readonly OffsetSegment[] {
  const segments: OffsetSegment[] = []
  // A jump shortly before the start still shapes the peak: no jump of a clock is longer than a day or so.
  let segmentStart = Math.max(0, startAt - sampleMs)
  let offsetMs = offsetAt(segmentStart)
  let peak = segmentStart + offsetMs
  const close = (at: number) => {
    if (segmentStart >= startAt) segments.push({ startAt: segmentStart, endAt: at, offsetMs, peak })
    // Begun before the window: cut at its start, with what the clock has shown by then.
    else if (at > startAt) {
      segments.push({ startAt, endAt: at, offsetMs, peak: Math.max(peak, startAt + offsetMs) })
    }
    peak = Math.max(peak, at + offsetMs)
  }
  for (let low = segmentStart; low < endAt; ) {
    const high = Math.min(low + sampleMs, endAt)
    if (offsetAt(high) === offsetMs) {
      low = high
      continue
    }
    const changeAt = firstChange(offsetAt, offsetMs, low, high)
    if (changeAt >= endAt) break
    close(changeAt)
    segmentStart = changeAt
    offsetMs = offsetAt(changeAt)
    low = changeAt
  }
  close(endAt)
  return segments
}

/** The first whole second in `(low, high]` whose offset is not `offsetMs`. Changes happen at whole seconds. */
function firstChange(
  offsetAt: (instant: number) => number,
  offsetMs: number,
  low: number,
  high: number,
): number {
  let before = low / 1000
  let after = high / 1000
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle * 1000) === offsetMs) before = middle
    else after = middle
  }
  return after * 1000
}
