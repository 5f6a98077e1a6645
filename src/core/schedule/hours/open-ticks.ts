/** The ticks of a schedule that lie in open time, counted stretch by stretch and not tick by tick. */
import type { TickSequence } from '../schedule.ts'
import type { OpeningHours } from './opening-hours.ts'

/** Of `[from, until)`, so that every call ends. */
export function openTicks(
  sequence: TickSequence,
  hours: OpeningHours,
  from: number,
  until: number,
): TickSequence {
  return {
    next(instant) {
      let tick = sequence.next(Math.max(instant, from - 1))
      while (tick !== null && tick < until) {
        const opening = hours.nextOpening(tick)
        if (opening === tick) return tick
        tick = opening === null ? null : sequence.next(opening - 1)
      }
      return null
    },
    previous(instant) {
      let tick = sequence.previous(Math.min(instant, until))
      while (tick !== null && tick >= from) {
        if (hours.isOpen(tick)) return tick
        tick = sequence.previous(hours.startOf(tick, from))
      }
      return null
    },
    count(first, last) {
      let count = 0
      for (const { open, startAt, endAt } of hours.stretches(Math.max(first, from), Math.min(last, until)))
        if (open) count += sequence.count(startAt, endAt)
      return count
    },
  }
}

/** As many closed ticks are passed by a look ahead; behind them, each is decided when it is due. */
const mostPassed = 1_000

/** The first open tick from an instant on. Null: none, or far away. */
export function nextOpenTick(sequence: TickSequence, hours: OpeningHours, instant: number): number | null {
  let tick = sequence.next(instant - 1)
  for (let passed = 0; tick !== null && passed < mostPassed; passed += 1) {
    const opening = hours.nextOpening(tick)
    if (opening === tick) return tick
    tick = opening === null ? null : sequence.next(opening - 1)
  }
  return null
}
