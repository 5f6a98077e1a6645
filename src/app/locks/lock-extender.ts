/**
 * Keeps a lock while work is done under it, and says when it is lost: at once where the keeper says so, and at the latest
 * when the lease is over by this process's own time. In doubt the work stops.
 */
import { EvertickError } from '../../core/error.ts'
import type { Clock } from '../../engine/clock.ts'
import { type Grant, type HeldLock, lockLost } from './held-lock.ts'

/** Extensions that fail are tried again this many times in a ttl. */
const triesPerTtl = 10

export class LockExtender {
  readonly #lock: HeldLock
  readonly #ttlMs: number
  readonly #clock: Clock
  readonly #lost = new AbortController()
  readonly #ended = new AbortController()
  readonly #running: Promise<void>
  #until: number
  #cancelDeadline: () => void = () => {}
  #lastError: unknown

  constructor({ lock, until }: Grant, ttlMs: number, clock: Clock) {
    this.#lock = lock
    this.#ttlMs = ttlMs
    this.#clock = clock
    this.#until = until
    this.#awaitEnd()
    this.#running = this.#run()
  }

  /** Aborted with `lock_lost` when the lock is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async stop(): Promise<void> {
    this.#ended.abort()
    this.#cancelDeadline()
    await this.#running
  }

  async #run(): Promise<void> {
    let pauseMs = this.#until - this.#ttlMs / 2 - this.#clock.monotonic()
    for (;;) {
      await this.#clock.sleep(Math.max(0, pauseMs), this.#ended.signal)
      if (this.#ended.signal.aborted) return
      pauseMs = await this.#extend()
    }
  }

  /** How long until the next time. */
  async #extend(): Promise<number> {
    const askedAt = this.#clock.monotonic()
    try {
      await this.#lock.extend(this.#ttlMs)
    } catch (error) {
      this.#lastError = error
      if (error instanceof EvertickError && error.code === 'lock_lost') this.#lose()
      return this.#ttlMs / triesPerTtl
    }
    this.#until = askedAt + this.#ttlMs
    this.#awaitEnd()
    return this.#ttlMs / 2
  }

  #awaitEnd(): void {
    this.#cancelDeadline()
    if (this.#ended.signal.aborted) return
    this.#cancelDeadline = this.#clock.timer(this.#until - this.#clock.monotonic(), () => {
      // Very long timers come early.
      if (this.#clock.monotonic() < this.#until) this.#awaitEnd()
      else this.#lose()
    })
  }

  #lose(): void {
    this.#lost.abort(lockLost(this.#lock.name, this.#lastError))
    this.#ended.abort()
    this.#cancelDeadline()
  }
}
