/** Enqueues orders and effects without a pause until it is told to stop, and keeps what was acknowledged. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Evertick, EvertickError } from '../../../src/index.ts'

export interface Order {
  readonly number: number
  readonly id: string
}

export class OrderStream {
  readonly orders: Order[] = []
  readonly effects: string[] = []
  /** Orders without an answer, as the database was away: each may be there or not. */
  readonly unsure = new Set<number>()
  readonly #evertick: Evertick
  readonly #stopping = new AbortController()
  readonly #done: Promise<void>

  constructor(evertick: Evertick) {
    this.#evertick = evertick
    this.#done = this.#produce()
    // Told by stop(); a test that fails before that has its own reason.
    this.#done.catch(() => {})
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#done
  }

  async #produce(): Promise<void> {
    for (let number = 0; !this.#stopping.signal.aborted; number += 1) {
      try {
        this.orders.push({ number, id: (await this.#evertick.enqueue('order', { number })).id })
        if (number % 3 === 0) this.effects.push((await this.#evertick.enqueue('effect', { number })).id)
      } catch (error) {
        if ((error as EvertickError).kind !== 'unavailable') throw error
        if (this.orders.at(-1)?.number !== number) this.unsure.add(number)
      }
      await delay(25)
    }
  }
}
