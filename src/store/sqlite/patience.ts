/** SQLite's own: waits for a file that another process holds, without blocking the event loop. */
import type { Host } from '../host.ts'
import { troubleOf } from './dialect.ts'

const retryMs = 15
const giveUpMs = 30_000

export class Patience {
  readonly #host: Host
  #ms = giveUpMs
  readonly #napping = new Set<() => void>()

  constructor(host: Host) {
    this.#host = host
  }

  /** From now on it waits no longer than this; who rests looks at once whether that is over. */
  limit(ms: number): void {
    this.#ms = Math.min(this.#ms, ms)
    for (const wake of this.#napping) wake()
  }

  isOver(since: number): boolean {
    return this.#host.monotonic() - since > this.#ms
  }

  async nap(): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        cancel()
        this.#napping.delete(wake)
        resolve()
      }
      const cancel = this.#host.timer(this.#host.random() * retryMs, wake)
      this.#napping.add(wake)
    })
  }

  /** Other processes only poll for the file: after holding it for long, this one lets them in first. */
  async letOthers(): Promise<void> {
    await this.#host.sleep(2 * retryMs)
  }

  async whenFree<T>(use: () => T | Promise<T>): Promise<T> {
    const since = this.#host.monotonic()
    for (;;) {
      try {
        return await use()
      } catch (error) {
        if (troubleOf(error) !== 'conflict' || this.isOver(since)) throw error
        await this.nap()
      }
    }
  }
}
