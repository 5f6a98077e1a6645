/** Gathers items while a flush is under way, and flushes them together when it ends. */
import type { Claim } from '../../store/store.ts'

interface Waiting<Item> {
  readonly item: Item
  readonly settle: (ours: boolean) => void
}

/** One flush must not hold the event loop for long. */
const largestBatch = 500

export class Batcher<Item extends Claim> {
  readonly #flush: (items: readonly Item[]) => Promise<ReadonlySet<string> | null>
  readonly #waiting: Waiting<Item>[] = []
  #working: Promise<void> | null = null

  /** `flush` returns the ids that were refused, or null where nothing could be written. */
  constructor(flush: (items: readonly Item[]) => Promise<ReadonlySet<string> | null>) {
    this.#flush = flush
  }

  /** Resolves after its flush: false where it was refused. */
  async add(item: Item): Promise<boolean> {
    return await new Promise((settle) => {
      this.#waiting.push({ item, settle })
      this.#working ??= this.#work()
    })
  }

  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working
  }

  async #work(): Promise<void> {
    // Let everybody who comes in this turn come along.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, largestBatch)
      const refused = await this.#flush(batch.map(({ item }) => item))
      for (const { item, settle } of batch) settle(refused !== null && !refused.has(item.id))
    }
    this.#working = null
  }
}
