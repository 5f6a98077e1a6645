/**
 * Sees to it that a stop ends in its time, whatever hangs. After its grace the database is cut off: whatever waits for it
 * then fails, and so comes to its end. What does not end even then is no longer waited for.
 */
import type { Host } from '../store/host.ts'

/** For the last writes: ends of runs, the lead, this node's own row. */
const farewellMs = 5_000
/** After the cut. */
const leaveMs = 1_000
const longestTimerMs = 2 ** 31 - 1

export class StopDeadline {
  readonly #host: Host
  readonly #cutOff: () => void
  readonly #over = Promise.withResolvers<boolean>()
  #cancelTimer: () => void = () => {}
  #ended = false

  constructor(host: Host, cutOff: () => void) {
    this.#host = host
    this.#cutOff = cutOff
  }

  /** Counts from now; a second call, by somebody who is in a hurry, takes the place of the first. */
  grant(timeoutMs: number): void {
    if (this.#ended) return
    this.#cancelTimer()
    this.#cancelTimer = this.#host.timer(Math.min(timeoutMs + farewellMs, longestTimerMs), () => {
      this.#cutOff()
      this.#cancelTimer = this.#host.timer(leaveMs, () => this.#over.resolve(false))
    })
  }

  /** Whether `work` came to its end; its error is thrown. */
  async watch(work: Promise<void>): Promise<boolean> {
    try {
      return await Promise.race([work.then(() => true), this.#over.promise])
    } finally {
      this.#ended = true
      this.#cancelTimer()
    }
  }
}
