import type { TickSequence } from './schedule.ts'

export interface TickBounds {
  /** Inclusive. */
  readonly startAt?: number | undefined
  /** Exclusive. */
  readonly endAt?: number | undefined
}

/** The ticks of a sequence that lie in `[startAt, endAt)`. */
export function boundedSequence(sequence: TickSequence, { startAt, endAt }: TickBounds): TickSequence {
  if (startAt === undefined && endAt === undefined) return sequence
  const start = startAt ?? Number.NEGATIVE_INFINITY
  const end = endAt ?? Number.POSITIVE_INFINITY
  return {
    next(instant) {
      const tick = sequence.next(Math.max(instant, start - 1))
      return tick === null || tick >= end ? null : tick
    },
    previous(instant) {
      const tick = sequence.previous(Math.min(instant, end))
      return tick === null || tick < start ? null : tick
    },
    count: (from, to) => sequence.count(Math.max(from, start), Math.min(to, end)),
  }
}
