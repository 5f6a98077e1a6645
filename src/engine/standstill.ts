/**
 * Finds leases that nobody renews, though they never expire: a clock that was far ahead has dated them there. What looks
 * the same for too long, by passing time and not by any clock, has no living holder.
 */
import type { Clock } from './clock.ts'

/** Long enough for a few renewals of anybody. */
const patienceMs = 60_000

export class Standstill {
  readonly #clock: Clock
  #since = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Of what is seen now, that which has looked the same for too long. What is no longer seen is forgotten. */
  still<Item>(items: readonly Item[], look: (item: Item) => string, leaseMs: number): Item[] {
    const now = this.#clock.monotonic()
    const before = this.#since
    this.#since = new Map(items.map((item) => [look(item), before.get(look(item)) ?? now]))
    const longest = Math.max(patienceMs, 3 * leaseMs)
    return items.filter((item) => now - (this.#since.get(look(item)) ?? now) > longest)
  }
}
