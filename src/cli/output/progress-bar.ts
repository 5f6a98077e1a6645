/** A bar on standard error for work that takes a while; nothing if no person is watching. */
import type { Terminal } from './terminal.ts'

const width = 30
/** Work that takes less than this needs no bar. */
const patienceMs = 300
const everyMs = 50

export class ProgressBar {
  readonly #terminal: Terminal
  readonly #what: string
  readonly #startedAt = performance.now()
  #drawnAt = 0

  constructor(terminal: Terminal, what: string) {
    this.#terminal = terminal
    this.#what = what
  }

  readonly update = (done: number, total: number): void => {
    const { err, json } = this.#terminal
    const now = performance.now()
    if (json || !err.tty || now - this.#startedAt < patienceMs || now - this.#drawnAt < everyMs) return
    this.#drawnAt = now
    const filled = total === 0 ? width : Math.round((done / total) * width)
    const bar = err.paint('ran', '━'.repeat(filled)) + err.paint('dim', '━'.repeat(width - filled))
    err.rewriteLine(`${this.#what} ${bar} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`)
  }

  end(): void {
    if (this.#drawnAt > 0) this.#terminal.err.clearLine()
  }
}
