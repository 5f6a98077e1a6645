/** Calls that need not be awaited still happen one after the other, in the order in which they were made. */
import type { Logger } from '../engine/logger.ts'

export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work)
    this.#last = mine
    // Whoever took the turn hears of its failure, and nobody else.
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
