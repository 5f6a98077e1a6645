/** Gathers items while a flush is under way, and flushes them together when it ends. */
import type { Claim } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'

/** Called after the flush: false where the item was refused. Not a promise: a short run would wait longer for that. */
export type Settle = (ours: boolean) => void

interface Waiting<Item> {
  readonly item: Item
  readonly settle: Settle
}

/** One flush must not hold the event loop for long: so many take SQLite a few milliseconds. */
const largestBatch = 1_000

export class Batcher<Item extends Claim> {
  readonly #defer: EngineContext['defer']
  readonly #flush: (items: readonly Item[]) => Promise<ReadonlySet<string> | null>
  #waiting: Waiting<Item>[] = []
  #working: Promise<void> | null = null

  /** `flush` returns the ids that were refused, or null where nothing could be written. */
  constructor(
    { defer }: Pick<EngineContext, 'defer'>,
    flush: (items: readonly Item[]) => Promise<ReadonlySet<string> | null>,
  ) {
    this.#defer = defer
    this.#flush = flush
  }

  add(item: Item, settle: Settle): void {
    this.#waiting.push({ item, settle })
    this.#working ??= this.#work()
  }

  /** More are waiting than the next flush takes. */
  get isBehind(): boolean {
    return this.#waiting.length > largestBatch
  }

  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working
  }

  async #work(): Promise<void> {
    // Whoever comes in this turn joins this batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#next()
      const refused = await this.#flush(batch.map(({ item }) => item))
      for (const { item, settle } of batch) this.#settle(settle, refused !== null && !refused.has(item.id))
      // What these go on to do in this turn belongs into the next batch, with those that have gathered: else a few and
      // many take turns for ever, and each pays for a commit.
      await new Promise<void>((resolve) => this.#defer(resolve))
    }
    this.#working = null
  }

  /** What is called back runs a user's logger, too: whatever that throws is not the trouble of the others. */
  #settle(settle: Settle, ours: boolean): void {
    try {
      settle(ours)
    } catch (error) {
      this.#defer(() => {
        throw error
      })
    }
  }

  /**
   * No execution twice: this worker may hold it again while the end of its last attempt is still to be written, and the
   * answer names executions, not attempts.
   */
  #next(): Waiting<Item>[] {
    const ids = new Set<string>()
    const batch: Waiting<Item>[] = []
    const rest: Waiting<Item>[] = []
    for (const waiting of this.#waiting) {
      const { id } = waiting.item
      if (batch.length >= largestBatch || ids.has(id)) rest.push(waiting)
      else batch.push(waiting)
      ids.add(id)
    }
    this.#waiting = rest
    return batch
  }
}
