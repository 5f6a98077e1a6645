/** SIGTERM and SIGINT stop something gracefully. A second one ends the process at once, as it would without us. */

const signals = ['SIGINT', 'SIGTERM'] as const

export class StopSignals {
  readonly #stop: () => Promise<void>
  #heard = false

  /** `stop` tells its own troubles, and never rejects. */
  constructor(stop: () => Promise<void>) {
    this.#stop = stop
  }

  listen(): void {
    this.#heard = false
    for (const signal of signals) process.on(signal, this.#onSignal)
  }

  off(): void {
    for (const signal of signals) process.off(signal, this.#onSignal)
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#heard) return this.#handOn(signal)
    this.#heard = true
    void this.#stop().finally(() => this.#handOn(signal))
  }

  /** Whoever else listens decides when the process ends, another worker that still stops among them. */
  #handOn(signal: NodeJS.Signals): void {
    this.off()
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
  }
}
