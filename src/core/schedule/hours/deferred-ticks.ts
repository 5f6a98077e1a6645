/** When runs begin whose closed ticks wait for the opening: many that wait for one are one instant. */
import type { TickSequence } from '../schedule.ts'
import { openTicks } from './open-ticks.ts'
import type { OpeningHours } from './opening-hours.ts'

/** Of the ticks of `[from, until)`. */
export function deferredTicks(
  sequence: TickSequence,
  hours: OpeningHours,
  from: number,
  until: number,
): TickSequence {
  const dueOf = (tick: number | null) => {
    const due = tick === null || tick >= until ? null : hours.nextOpening(tick)
    return due === null || due >= until ? null : due
  }
  const open = openTicks(sequence, hours, from, until)
  return {
    next(instant) {
      const after = Math.max(instant + 1, from)
      const first = hours.isOpen(after - 1) ? after : hours.startOf(after - 1, from)
      return dueOf(sequence.next(first - 1))
    },
    previous(instant) {
      const before = Math.min(instant, until)
      const last = hours.isOpen(before - 1) ? before : hours.startOf(before - 1, from)
      const tick = sequence.previous(last)
      return tick === null || tick < from ? null : dueOf(tick)
    },
    count(first, last) {
      const [begin, end] = [Math.max(first, from), Math.min(last, until)]
      let openings = 0
      for (const { open: isOpen, startAt, endAt } of hours.stretches(begin, end)) {
        const waits = !isOpen && endAt < end && sequence.count(startAt, endAt) > 0
        if (waits && sequence.count(endAt, endAt + 1) === 0) openings += 1
      }
      return open.count(begin, end) + openings
    },
  }
}
