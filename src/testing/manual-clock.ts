/** A clock that stands still until it is told to move: for tests that never sleep. */
import type { Clock } from '../engine/clock.ts'

interface Timer {
  at: number
  readonly order: number
  readonly idle: boolean
  readonly callback: () => void
}

export class ManualClock implements Clock {
  /** Only its own methods set this clock, so nothing needs to check it often. */
  readonly longestSleepMs = 3 * 3_600_000
  #now: number
  #monotonic = 0
  #order = 0
  #sleeping = 0
  readonly #timers = new Set<Timer>()

  constructor(start: Date | number | string = 0) {
    this.#now = new Date(start).getTime()
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#monotonic
  }

  /** How many handlers wait in `sleep`. */
  get sleeping(): number {
    return this.#sleeping
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return
    this.#sleeping += 1
    await new Promise<void>((resolve) => {
      const cancel = this.timer(ms, resolve)
      signal?.addEventListener('abort', () => (cancel(), resolve()), { once: true })
    })
    this.#sleeping -= 1
  }

  timer(ms: number, callback: () => void, idle = false): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, idle, callback }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** When the next timer is due, or null. */
  nextTimerAt(): number | null {
    return this.#first()?.at ?? null
  }

  /** The same, without polls that only another node could give work. */
  nextWorkAt(): number | null {
    return this.#first((timer) => !timer.idle)?.at ?? null
  }

  /** Moves to an instant and calls what falls due on the way, in order. */
  moveTo(instant: number): void {
    for (let timer = this.#first(); timer !== undefined && timer.at <= instant; timer = this.#first()) {
      this.#timers.delete(timer)
      this.#step(timer.at)
      timer.callback()
    }
    this.#step(instant)
  }

  /** Sets the clock, forward or back, as a bad time server would: no time passes. */
  jump(ms: number): void {
    this.#now += ms
    // Timers measure passing time, so they move along.
    for (const timer of this.#timers) timer.at += ms
  }

  #step(instant: number): void {
    if (instant <= this.#now) return
    this.#monotonic += instant - this.#now
    this.#now = instant
  }

  #first(counts: (timer: Timer) => boolean = () => true): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (!counts(timer)) continue
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer
    }
    return first
  }
}
