/**
 * How long a node's steps take, and what its last proof found. The store is wrapped once; where nobody listens, nothing is
 * measured.
 */
import type { Clock } from '../engine/clock.ts'
import type { Store } from '../store/store.ts'

/** `poll`: a look for due jobs. `claim`: a look for work. `lock_wait`: a wait for a named lock. */
export type MeasuredStep = 'poll' | 'claim' | 'lock_wait'

export interface LastAudit {
  readonly at: number
  readonly unaccounted: number
}

export class Measures {
  readonly #clock: Clock
  readonly #listeners = new Set<(step: MeasuredStep, ms: number) => void>()
  /** The result of this node's last audit; null before the first. */
  lastAudit: LastAudit | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the function that unsubscribes. */
  listen(listener: (step: MeasuredStep, ms: number) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async time<T>(step: MeasuredStep, work: () => Promise<T>): Promise<T> {
    if (this.#listeners.size === 0) return await work()
    const begunAt = this.#clock.monotonic()
    try {
      return await work()
    } finally {
      const ms = this.#clock.monotonic() - begunAt
      for (const listener of this.#listeners) listener(step, ms)
    }
  }

  wrap(store: Store): Store {
    const { ticks, work } = store
    return {
      ...store,
      ticks: {
        ...ticks,
        findDueJobs: (until, limit) => this.time('poll', () => ticks.findDueJobs(until, limit)),
      },
      work: {
        ...work,
        claimExecutions: (request) => this.time('claim', () => work.claimExecutions(request)),
      },
    }
  }
}
