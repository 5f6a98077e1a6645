/** A node's own clock: it may be wrong, run fast or slow, and be set while the node runs. */
import type { Clock } from '../../../src/engine/clock.ts'
import type { Owner, Timeline } from './timeline.ts'

export interface ClockPlan {
  /** How far it is ahead of true time at first. */
  readonly skewMs: number
  /** How fast it runs: 1 is right. */
  readonly rate: number
}

export class NodeClock implements Clock {
  readonly longestSleepMs: number
  readonly #timeline: Timeline
  readonly #owner: Owner
  /** Local time since the process began, up to the last change of rate. */
  #elapsed = 0
  #since: number
  #rate: number
  #origin: number

  constructor(timeline: Timeline, owner: Owner, plan: ClockPlan, longestSleepMs: number) {
    this.#timeline = timeline
    this.#owner = owner
    this.#since = timeline.now
    this.#rate = plan.rate
    this.#origin = timeline.now + plan.skewMs
    this.longestSleepMs = longestSleepMs
  }

  now(): number {
    return Math.floor(this.#origin + this.monotonic())
  }

  monotonic(): number {
    return this.#elapsed + (this.#timeline.now - this.#since) * this.#rate
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return
    await new Promise<void>((resolve) => {
      const done = () => {
        cancel()
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const cancel = this.timer(ms, done)
      signal?.addEventListener('abort', done, { once: true })
    })
  }

  /** Like the host's, no timer is shorter than a millisecond. */
  timer(ms: number, callback: () => void): () => void {
    const event = this.#timeline.after(Math.max(1, ms) / this.#rate, this.#owner, callback)
    return () => {
      event.run = null
    }
  }

  /** Somebody sets the clock; no time passes. */
  jump(ms: number): void {
    this.#origin += ms
  }

  set rate(rate: number) {
    this.#elapsed = this.monotonic()
    this.#since = this.#timeline.now
    this.#rate = rate
  }

  /** What a time server does: right again, at once. */
  correct(): void {
    this.rate = 1
    this.#origin = this.#timeline.now - this.#elapsed
  }
}
