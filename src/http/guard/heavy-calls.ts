/**
 * Calls that read a lot. A caller may have only a few under way, and each begins in its own turn of the event loop. They
 * work in slices, so that many of them delay answers, but never a heartbeat.
 */
import { TooMany } from './too-many.ts'

/** About as many as two pages of the dashboard need at once. */
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
