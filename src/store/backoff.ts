/**
 * The pauses between tries to connect. They grow while tries fail, and have random lengths, so that a fleet does not come
 * back all at once.
 */
import type { Host } from './host.ts'

export class Backoff {
  readonly #host: Pick<Host, 'monotonic' | 'random'>
  readonly #firstMs: number
  readonly #longestMs: number
  #failures = 0
  #connectedAt: number | null = null

  constructor(
    host: Pick<Host, 'monotonic' | 'random'>,
    { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
  ) {
    this.#host = host
    this.#firstMs = firstMs
    this.#longestMs = longestMs
  }

  connected(): void {
    this.#connectedAt = this.#host.monotonic()
  }

  /** The connection was used. */
  worked(): void {
    this.#failures = 0
  }

  /**
   * Whether the next pause is the first of its row. Only a connection that has worked or lasted ends a row: a balancer
   * whose server is down may let everybody in, and hang up.
   */
  get isFirst(): boolean {
    const lasted = this.#connectedAt !== null && this.#host.monotonic() - this.#connectedAt >= this.#longestMs
    return lasted || this.#failures === 0
  }

  /** After a failed try, or a loss: how long until the next try. */
  pauseMs(): number {
    if (this.isFirst) this.#failures = 0
    this.#connectedAt = null
    const ms = Math.min(this.#longestMs, this.#firstMs * 2 ** this.#failures)
    this.#failures += 1
    return ms * (0.5 + this.#host.random() / 2)
  }
}
