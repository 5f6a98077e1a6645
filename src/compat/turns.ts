/** Runs calls one after the other, in the order in which they were made, whether or not the caller awaits them. */
import type { Logger } from '../engine/logger.ts'

export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work)
    this.#last = mine
    // Only the caller hears of the failure.
    mine.catch(() => {})
    return mine
  }

  /** The same for a call whose caller may not look: its failure is logged. */
  logged(logger: Logger, what: string, work: () => Promise<void>): Promise<void> {
    const mine = this.take(work)
    mine.catch((error: unknown) => logger.error(`Could not ${what}`, { error }))
    return mine
  }

  async idle(): Promise<void> {
    await Promise.allSettled([this.#last])
  }
}
