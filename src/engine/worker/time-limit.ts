/** The time limit of one attempt, from the check of its input to the end of its handler. */
import type { Clock } from '../clock.ts'
import type { Held } from './held.ts'
import type { LeaseKeeper } from './lease-keeper.ts'

/** A handler that heeds its signal gets this long to clean up after its timeout. */
const graceMs = 5_000

export class TimeLimit {
  readonly #held: Held
  #giveUp: (() => void) | null = null

  constructor(clock: Clock, timeoutMs: number, keeper: LeaseKeeper, held: Held) {
    this.#held = held
    const abort = () => {
      // One that was cancelled before, and goes on, is late as well.
      keeper.abort(held, 'timeout')
      held.attach(clock.timer(graceMs, () => this.#giveUp?.()))
    }
    held.attach(clock.timer(timeoutMs, abort))
  }

  /**
   * Whoever ignores the signal is given up, be it the handler or the check of its input: the slot is needed, the lease
   * would be renewed for ever, and the fence keeps it harmless.
   */
  async over(work: PromiseLike<unknown>): Promise<unknown> {
    const late = new Promise<never>((_, reject) => {
      this.#giveUp = () => reject(this.#held.signal.reason as Error)
    })
    return await Promise.race([work, late])
  }
}
