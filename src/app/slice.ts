/** Slices long work: after a number of elements, the event loop has a turn. */
import type { AppContext } from './app-context.ts'

/** A millisecond or two, whatever is done with each. */
const mostAtOnce = 1_000

export class Slice {
  readonly #rest: AppContext['rest']
  #taken = 0

  constructor(rest: AppContext['rest']) {
    this.#rest = rest
  }

  /** Counts elements that are done. */
  took(elements: number): Promise<void> | undefined {
    this.#taken += elements
    if (this.#taken < mostAtOnce) return undefined
    this.#taken = 0
    return this.#rest()
  }
}
