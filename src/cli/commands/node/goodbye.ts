/** Counts what this process does, for its last line. */
import type { Evertick } from '../../../evertick.ts'
import { counted, listed } from '../../output/count-words.ts'
import { durationWords } from '../../output/times.ts'

export class Tally {
  readonly #startedAt = Date.now()
  #ticks = 0
  #ran = 0
  #failed = 0
  #postponed = 0

  constructor(evertick: Evertick) {
    evertick.on('tick:accounted', ({ ticks }) => {
      this.#ticks += ticks
    })
    evertick.on('execution:completed', () => {
      this.#ran += 1
    })
    evertick.on('execution:failed', () => {
      this.#failed += 1
    })
    evertick.on('execution:retrying', ({ error, state }) => {
      if (error === null && state === 'retrying') this.#postponed += 1
    })
  }

  /** "12 ticks accounted for, 11 runs completed and 1 failed". */
  goodbye(): string {
    const parts = [`${counted(this.#ticks, 'tick')} accounted for`, ...this.#runs()]
    const after = durationWords(Date.now() - this.#startedAt)
    return `Goodbye after ${after}: ${listed(parts)}.\nTicks that fall due in the meantime are accounted for at the next start.`
  }

  /** For a worker, which schedules no ticks. */
  summary(): string {
    return `Done: ${listed(this.#runs())}.`
  }

  #runs(): string[] {
    return [
      `${counted(this.#ran, 'run')} completed`,
      ...(this.#failed > 0 ? [`${this.#failed} failed`] : []),
      ...(this.#postponed > 0 ? [`${this.#postponed} postponed until the next start`] : []),
    ]
  }
}
