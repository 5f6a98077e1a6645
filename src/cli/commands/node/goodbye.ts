/** Counts what this process accounts for, for the line it leaves with. */
import type { Evertick } from '../../../app/evertick.ts'
import { counted, listed } from '../../output/count-words.ts'
import { durationWords } from '../../output/times.ts'

export class Tally {
  readonly #startedAt = Date.now()
  #ticks = 0
  #ran = 0
  #failed = 0
  #putOff = 0

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
    evertick.on('execution:retrying', ({ error }) => {
      if (error === null) this.#putOff += 1
    })
  }

  /** "12 ticks accounted for, 11 runs completed and 1 failed". */
  goodbye(): string {
    const parts = [`${counted(this.#ticks, 'tick')} accounted for`, ...this.#runs()]
    const after = durationWords(Date.now() - this.#startedAt)
    return `Goodbye after ${after}: ${listed(parts)}.\nWhat falls due meanwhile is accounted for at the next start.`
  }

  /** For a worker, which accounts for no ticks. */
  summary(): string {
    return `Done: ${listed(this.#runs())}.`
  }

  #runs(): string[] {
    return [
      `${counted(this.#ran, 'run')} completed`,
      ...(this.#failed > 0 ? [`${this.#failed} failed`] : []),
      ...(this.#putOff > 0 ? [`${this.#putOff} put off until the next start`] : []),
    ]
  }
}
