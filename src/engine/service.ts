/** A moving part that starts and stops cleanly, twice if need be, and leaves no timer behind. */
import type { Clock } from './clock.ts'

export abstract class Service {
  #stopping: AbortController | null = null
  #running: Promise<void> | null = null

  start(): void {
    if (this.#running !== null) return
    this.#stopping = new AbortController()
    this.#running = this.run(this.#stopping.signal)
  }

  async stop(): Promise<void> {
    this.#stopping?.abort()
    await this.#running
    this.#running = null
    this.#stopping = null
  }

  /** Works until the signal is aborted. It handles its own errors: a loop that ends by itself is a bug. */
  protected abstract run(signal: AbortSignal): Promise<void>
}

/** Lets a loop sleep until its time, or until somebody has news for it. News that come while it works are not lost. */
export class Alarm {
  readonly #clock: Clock
  #rung = false
  #wake: (() => void) | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ring(): void {
    this.#rung = true
    this.#wake?.()
  }

  /** Returns whether there was news. */
  async wait(ms: number, signal: AbortSignal, { idle = false }: { idle?: boolean } = {}): Promise<boolean> {
    if (!this.#rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.timer(Math.max(0, ms), resolve, idle)
        const wake = () => {
          cancel()
          resolve()
        }
        this.#wake = wake
        signal.addEventListener('abort', wake, { once: true })
      })
      if (this.#wake !== null) signal.removeEventListener('abort', this.#wake)
      this.#wake = null
    }
    const rung = this.#rung
    this.#rung = false
    return rung
  }
}
