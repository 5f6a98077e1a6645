/** Watches the store of a test node: calls that are not answered yet, and whether another node uses it. */
import type { Store } from '../store/store.ts'
import { wrapVerbs } from '../store/wrap-store.ts'

export class StoreWatch {
  /** Calls that have not been answered. */
  open = 0
  /** Of these, the transactions of handlers. */
  transactions = 0
  #store: Store | null = null
  /** The answer to the node's last question whether others have written. */
  #seen: unknown = null
  readonly #waiting: (() => void)[] = []

  watch(store: Store): Store {
    this.#store = store
    return wrapVerbs(store, async ({ verb, run }) => {
      const transactions = verb === 'completeWithin' || verb === 'stepWithin' ? 1 : 0
      this.#count(1, transactions)
      try {
        const answer = await run()
        if (verb === 'changes') this.#seen = answer
        return answer
      } finally {
        this.#count(-1, -transactions)
      }
    })
  }

  /** Resolves with the next call or answer, or after this much real time. */
  async news(patienceMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs)
      this.#waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** Whether this node has seen all that others wrote, and no other node is there to see what it writes. */
  async isAlone(nodeId: string): Promise<boolean> {
    // Any query would wait for the transaction, whose handler may wait for the clock.
    if (this.#store === null || this.transactions > 0) return false
    // A server's word of change is the newest instant in its rows: what others write while the clock stands still, it misses.
    if (this.#store.dialect !== 'sqlite') return false
    try {
      if ((await this.#store.changes()) !== this.#seen) return false
      return (await this.#store.cluster.listNodes()).every(({ id }) => id === nodeId)
    } catch {
      // A closed database or a missing file: the node finds out itself.
      return false
    }
  }

  #count(calls: number, transactions: number): void {
    this.open += calls
    this.transactions += transactions
    for (const tell of this.#waiting.splice(0)) tell()
  }
}
