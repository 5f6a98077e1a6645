/**
 * Makes a stop end in time, whatever hangs. After a grace period the database is cut off, so that everything that waits
 * for it fails and ends. Work that does not end even then is left behind.
 */
import type { Logger } from '../../engine/logger.ts'
import type { Host } from '../../store/host.ts'

/** For the last writes: ends of runs, the lead, this node's own row. */
const farewellMs = 5_000
/** After the database is cut off. Longer than handlers may take to heed: a process that was frozen asks them only then. */
const leaveMs = 2_000
/** So much later than its timeout a stop ends at the latest. */
export const stopOverrunMs = farewellMs + leaveMs
const longestTimerMs = 2 ** 31 - 1

export class StopDeadline {
  readonly #host: Host
  readonly #logger: Logger
  readonly #cutOff: () => void
  readonly #over = Promise.withResolvers<boolean>()
  #watching = false
  #cancelTimer: () => void = () => {}

  constructor(host: Host, logger: Logger, cutOff: () => void) {
    this.#host = host
    this.#logger = logger
    this.#cutOff = cutOff
  }

  /** `work` has its own timeout, and after that a moment for what is left to write. */
  async watch(timeoutMs: number, work: Promise<void>): Promise<void> {
    this.#watching = true
    this.#countFrom(timeoutMs)
    try {
      if (await Promise.race([work.then(() => true), this.#over.promise])) return
      this.#logger.error('Some work did not end with this node, and is left behind', {
        next: 'End the process. The leases that it holds run out by themselves.',
      })
    } finally {
      this.#watching = false
      this.#cancelTimer()
    }
  }

  /** The caller will not wait any longer. */
  hurry(): void {
    if (this.#watching) this.#countFrom(0)
  }

  #countFrom(timeoutMs: number): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#host.timer(Math.min(timeoutMs + farewellMs, longestTimerMs), () => {
      this.#cutOff()
      this.#cancelTimer = this.#host.timer(leaveMs, () => this.#over.resolve(false))
    })
  }
}
