/**
 * A clock that leaps far ahead is more likely wrong than right. Up to a week counts as a machine that slept; more is held
 * until the clock has stood there for five minutes.
 */
import type { Clock } from './clock.ts'
import type { Logger } from './logger.ts'

export const trustedJumpMs = 7 * 86_400_000
export const holdMs = 5 * 60_000

export class JumpGuard {
  readonly #clock: Clock
  readonly #logger: Logger
  #lastNow: number
  #lastMonotonic: number
  #heldSince: number | null = null

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock
    this.#logger = logger
    this.#lastNow = clock.now()
    this.#lastMonotonic = clock.monotonic()
  }

  holds(): boolean {
    const now = this.#clock.now()
    const monotonic = this.#clock.monotonic()
    const jumped = now - this.#lastNow - (monotonic - this.#lastMonotonic)
    this.#lastNow = now
    this.#lastMonotonic = monotonic
    if (jumped > trustedJumpMs) {
      this.#heldSince = monotonic
      const days = Math.round(jumped / 86_400_000)
      this.#logger.error(
        `The clock jumped ${days} days ahead; no tick is decided until it has been steady for 5 minutes`,
      )
    } else if (jumped < -trustedJumpMs) {
      // It came back: the jump was wrong.
      this.#heldSince = null
    }
    if (this.#heldSince !== null && monotonic - this.#heldSince >= holdMs) this.#heldSince = null
    return this.#heldSince !== null
  }
}
