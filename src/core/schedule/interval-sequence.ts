import type { TickSequence } from './schedule.ts'

/**
 * The ticks `anchor + n * every` for every whole n, before the anchor too: an anchor gives the phase, not a start
 * (that is `startAt`). Counted from the anchor each time, so nothing drifts.
 */
export function intervalSequence(everyMs: number, anchorAt: number): TickSequence {
  const at = (n: number) => bounded(anchorAt + n * everyMs)
  return {
    next: (instant) => at(Math.floor((instant - anchorAt) / everyMs) + 1),
    previous: (instant) => at(Math.ceil((instant - anchorAt) / everyMs) - 1),
    count: (from, to) =>
      from >= to ? 0 : Math.ceil((to - anchorAt) / everyMs) - Math.ceil((from - anchorAt) / everyMs),
  }
}

/** The largest instant of a `Date`. */
const lastInstant = 8_640_000_000_000_000

function bounded(instant: number): number | null {
  // -0 is what an anchor at the epoch gives for n = -0.
  return Math.abs(instant) <= lastInstant ? instant + 0 : null
}
