/**
 * The end of a lease by this process's own time. In doubt its holder stops: whoever cannot renew a lease, or does not hear
 * whether it was renewed, is told when it is over.
 */
import type { Clock } from './clock.ts'

/** By `clock.now()`, by `clock.monotonic()`, or by both: then the earlier one counts. */
export interface LeaseUntil {
  readonly now?: number
  readonly monotonic?: number
}

export class LeaseEnd {
  readonly #clock: Clock
  readonly #onOver: () => void
  #until: LeaseUntil | null = null
  #cancelTimer: () => void = () => {}

  constructor(clock: Clock, onOver: () => void) {
    this.#clock = clock
    this.#onOver = onOver
  }

  /** Count it from before the call that took or renewed the lease: the answer may have taken any time. */
  set(until: LeaseUntil): void {
    this.#until = until
    this.#wait()
  }

  /** There is no lease any more: nobody is told of its end. */
  clear(): void {
    this.#until = null
    this.#cancelTimer()
  }

  get isOver(): boolean {
    return this.leftMs <= 0
  }

  /** Nothing where there is no lease. */
  get leftMs(): number {
    if (this.#until === null) return 0
    const { now = Number.POSITIVE_INFINITY, monotonic = Number.POSITIVE_INFINITY } = this.#until
    return Math.min(now - this.#clock.now(), monotonic - this.#clock.monotonic())
  }

  #wait(): void {
    this.#cancelTimer()
    const ms = Math.min(Math.max(0, this.leftMs), this.#clock.longestSleepMs)
    this.#cancelTimer = this.#clock.timer(ms, () => {
      if (this.isOver) this.#onOver()
      else this.#wait()
    })
  }
}
