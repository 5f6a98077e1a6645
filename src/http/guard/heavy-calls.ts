/**
 * Calls that read much: of one caller only so many are under way, and each begins in a turn of the event loop of its own.
 * What it does then it does in slices, so that a crowd of them makes answers late, and never a heartbeat.
 */
import { TooMany } from './too-many.ts'

/** Two pages of the dashboard ask for about as many at once. */
const mostOfCaller = 16

export class HeavyCalls {
  readonly #rest: () => Promise<void>
  readonly #underWay = new Map<string, number>()

  constructor(rest: () => Promise<void>) {
    this.#rest = rest
  }

  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const own = this.#underWay.get(caller) ?? 0
    if (own >= mostOfCaller) throw new TooMany(1, null, `You have ${mostOfCaller} long reads under way`)
    this.#underWay.set(caller, own + 1)
    try {
      await this.#rest()
      return await work()
    } finally {
      const left = (this.#underWay.get(caller) ?? 1) - 1
      if (left === 0) this.#underWay.delete(caller)
      else this.#underWay.set(caller, left)
    }
  }
}
