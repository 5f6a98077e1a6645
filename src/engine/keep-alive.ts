/**
 * Renews what ends by itself: a lease, a lock, a leader's term. The interval counts from the beginning of a renewal, so
 * that a slow one does not delay the next.
 */
import type { Clock } from './clock.ts'
import { Alarm, Service } from './service.ts'

export interface KeepAliveOptions {
  readonly clock: Clock
  readonly everyMs: number
  /** How long until the first renewal. @default everyMs */
  readonly firstMs?: number
  /** How long until the next try after a renewal that failed. @default everyMs */
  readonly retryMs?: number
  /** What it throws is a renewal that failed. */
  readonly renew: () => Promise<void>
  readonly onFailed: (error: unknown) => void
}

export class KeepAlive extends Service {
  readonly #options: KeepAliveOptions
  readonly #alarm: Alarm

  constructor(options: KeepAliveOptions) {
    super()
    this.#options = options
    this.#alarm = new Alarm(options.clock)
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { clock, everyMs, firstMs = everyMs } = this.#options
    let restMs = firstMs
    for (;;) {
      if (restMs > 0) await this.#alarm.wait(restMs, signal)
      if (signal.aborted) return
      const beganAt = clock.monotonic()
      const nextMs = await this.#renew()
      restMs = nextMs - (clock.monotonic() - beganAt)
    }
  }

  /** How long from its beginning until the next one. */
  async #renew(): Promise<number> {
    const { everyMs, retryMs = everyMs, renew, onFailed } = this.#options
    try {
      await renew()
      return everyMs
    } catch (error) {
      onFailed(error)
      return retryMs
    }
  }
}
