/** How far a campaign is: one line that is rewritten where a person watches, else a line now and then. */

import { counted } from '../../../src/cli/output/count-words.ts'
import { cut } from '../../../src/cli/output/plain-text.ts'
import type { Stream } from '../../../src/cli/output/terminal.ts'
import { durationWords } from '../../../src/cli/output/times.ts'

export interface Standing {
  readonly done: number
  readonly total: number
  readonly violations: number
  readonly elapsedMs: number
}

const barWidth = 30
const narrowestBar = 8
const redrawMs = 100
const lineMs = 10_000

export class Progress {
  readonly #err: Stream
  readonly #total: number
  readonly #startedAt = performance.now()
  #shownAt = this.#startedAt
  #done = 0
  #violations = 0

  constructor(err: Stream, total: number) {
    this.#err = err
    this.#total = total
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt
  }

  /** Nobody who runs thousands of seeds waits for the last to hear what broke. */
  step(broken: string | null): void {
    this.#done += 1
    if (broken !== null) {
      this.#violations += 1
      if (this.#err.tty) this.#err.clearLine()
      this.#err.write(broken)
    }
    const now = performance.now()
    if (now - this.#shownAt < (this.#err.tty ? redrawMs : lineMs)) return
    this.#shownAt = now
    const words = progressWords({
      done: this.#done,
      total: this.#total,
      violations: this.#violations,
      elapsedMs: this.elapsedMs,
    })
    if (!this.#err.tty) return this.#err.write(words)
    // A line that wraps cannot be rewritten.
    const width = Math.min(barWidth, Math.max(narrowestBar, this.#err.columns - words.length - 2))
    this.#err.clearLine()
    this.#err.rewriteLine(`${this.#bar(width)} ${cut(words, this.#err.columns - width - 2)}`)
  }

  end(): void {
    if (this.#err.tty) this.#err.clearLine()
  }

  #bar(width: number): string {
    const filled = Math.round((this.#done / this.#total) * width)
    const style = this.#violations === 0 ? 'ran' : 'failed'
    return this.#err.paint(style, '━'.repeat(filled)) + this.#err.paint('dim', '━'.repeat(width - filled))
  }
}

/** "120 of 200 seeds, 1 violation, 12.5 seeds a second, 6 s left". */
export function progressWords({ done, total, violations, elapsedMs }: Standing): string {
  const rate = (done / Math.max(1, elapsedMs)) * 1_000
  const left = rate === 0 ? 'a while' : durationWords(Math.round((total - done) / rate) * 1_000)
  return [
    `${done.toLocaleString('en')} of ${counted(total, 'seed')}`,
    counted(violations, 'violation'),
    `${rate.toFixed(1)} seeds a second`,
    ...(done < total ? [`${left} left`] : []),
  ].join(', ')
}
