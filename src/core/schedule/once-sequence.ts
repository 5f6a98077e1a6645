import type { TickSequence } from './schedule.ts'

/** The single tick of an `at` schedule. */
export function onceSequence(at: number): TickSequence {
  return {
    next: (instant) => (instant < at ? at : null),
    previous: (instant) => (instant > at ? at : null),
    count: (from, to) => (from <= at && at < to ? 1 : 0),
  }
}

/**
 * What `fixedDelay` has before it ran: no nominal ticks. Each of its due instants follows from the end of a run, so
 * they are read from the ledger; no sequence tells them.
 */
export const noNominalTicks: TickSequence = {
  next: () => null,
  previous: () => null,
  count: () => 0,
}
