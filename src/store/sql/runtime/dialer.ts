/**
 * Opens the connections of one node to its server, for all its pools. While that fails there is one try at a time, with
 * growing pauses: callers that want a connection meanwhile wait for the next try, and share its outcome.
 */
import { Backoff } from '../../backoff.ts'
import type { Host } from '../../host.ts'

/** Short enough to notice within a few seconds that a server is back. */
const pauses = { firstMs: 100, longestMs: 2_000 } as const

export class Dialer {
  readonly #host: Host
  readonly #backoff: Backoff
  /** Before this nobody tries; null while all is well. */
  #notBefore: number | null = null
  #failedAt = Number.NEGATIVE_INFINITY
  /** The next try, which all wait for. */
  #next: Promise<unknown> | null = null

  constructor(host: Host) {
    this.#host = host
    this.#backoff = new Backoff(host, pauses)
  }

  async dial<Connection>(open: () => Promise<Connection>): Promise<Connection> {
    if (this.#notBefore === null) return await this.#try(open)
    if (this.#next !== null) {
      await this.#next
      return await this.#try(open)
    }
    const opening = this.#pause().then(async () => await this.#try(open))
    this.#next = opening
    try {
      return await opening
    } finally {
      this.#next = null
    }
  }

  async #pause(): Promise<void> {
    const ms = Math.max(0, (this.#notBefore ?? 0) - this.#host.monotonic())
    await new Promise<void>((resolve) => this.#host.timer(ms, resolve))
  }

  async #try<Connection>(open: () => Promise<Connection>): Promise<Connection> {
    const begunAt = this.#host.monotonic()
    try {
      const connection = await open()
      this.#notBefore = null
      this.#backoff.connected()
      return connection
    } catch (error) {
      // Tries that were under way together fail together: that is one failure. By when they began: a timer may fire a moment
      // early, and a try that fails at once would then be followed by another without a pause.
      if (this.#notBefore === null || begunAt >= this.#failedAt) {
        this.#failedAt = this.#host.monotonic()
        this.#notBefore = this.#failedAt + this.#backoff.pauseMs()
      }
      throw error
    }
  }
}
