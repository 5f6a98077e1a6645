/**
 * What webhooks listen to, as this node knows it: the ends of executions ask here, not the database, so that they cost
 * nothing while nobody listens. The watcher refreshes it whenever a webhook was changed, by whomever.
 */
import type { Heard, Store } from '../store/store.ts'

export class Audience {
  readonly #store: Store
  readonly #onNews: () => void
  #heard: Heard = []

  /** `onNews`: somebody else listens now, or there is something to tell. */
  constructor(store: Store, onNews: () => void) {
    this.#store = store
    this.#onNews = onNews
  }

  get heard(): Heard {
    return this.#heard
  }

  async refresh(): Promise<void> {
    const before = this.#heard
    this.#heard = await this.#store.notices.heardNow()
    if (before.join() !== this.#heard.join()) this.#onNews()
  }

  /** This process has written what somebody may hear of. */
  written(): void {
    if (this.#heard.length > 0) this.#onNews()
  }
}
