/**
 * Keeps a lock while work is done under it, and says when it is lost: at once where the keeper says so, and at the latest
 * when the lease is over by this process's own time. In doubt the work stops.
 */
import { EvertickError } from '../../core/error.ts'
import type { Clock } from '../../engine/clock.ts'
import { KeepAlive } from '../../engine/keep-alive.ts'
import { LeaseEnd } from '../../engine/lease-end.ts'
import { type Grant, type HeldLock, lockLost } from './held-lock.ts'

/** Extensions that fail are tried again this many times in a ttl. */
const triesPerTtl = 10

export class LockExtender {
  readonly #lock: HeldLock
  readonly #ttlMs: number
  readonly #clock: Clock
  readonly #lost = new AbortController()
  readonly #end: LeaseEnd
  readonly #keepAlive: KeepAlive
  #lastError: unknown

  constructor({ lock, until }: Grant, ttlMs: number, clock: Clock, everyMs = ttlMs / 2) {
    this.#lock = lock
    this.#ttlMs = ttlMs
    this.#clock = clock
    this.#end = new LeaseEnd(clock, () => this.#lose())
    this.#keepAlive = new KeepAlive({
      clock,
      everyMs,
      firstMs: until - ttlMs + everyMs - clock.monotonic(),
      retryMs: ttlMs / triesPerTtl,
      renew: () => this.#extend(),
      onFailed: (error) => this.#failed(error),
    })
    this.#end.set({ monotonic: until })
    this.#keepAlive.start()
  }

  /** Aborted with `lock_lost` when the lock is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async stop(): Promise<void> {
    this.#end.clear()
    await this.#keepAlive.stop()
    // A renewal that was under way has set it again.
    this.#end.clear()
  }

  async #extend(): Promise<void> {
    const askedAt = this.#clock.monotonic()
    await this.#lock.extend(this.#ttlMs)
    if (!this.lost.aborted) this.#end.set({ monotonic: askedAt + this.#ttlMs })
  }

  #failed(error: unknown): void {
    this.#lastError = error
    if (error instanceof EvertickError && error.code === 'lock_lost') this.#lose()
  }

  #lose(): void {
    this.#end.clear()
    this.#lost.abort(lockLost(this.#lock.name, this.#lastError))
    void this.#keepAlive.stop()
  }
}
