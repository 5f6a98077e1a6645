/** Token buckets by caller, in memory: a caller that asks too often gets a 429, and others notice nothing. */

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

interface Bucket {
  left: number
  at: number
}

const mostBuckets = 10_000

export class RateLimit {
  readonly #rate: Rate
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  /** `now` only ever grows. */
  constructor(rate: Rate, now: () => number) {
    this.#rate = rate
    this.#now = now
  }

  /** Zero if the call may pass, else the seconds to wait. */
  take(caller: string): number {
    const { perSecond, burst } = this.#rate
    const at = this.#now()
    const bucket = this.#buckets.get(caller) ?? { left: burst, at }
    bucket.left = Math.min(burst, bucket.left + ((at - bucket.at) / 1_000) * perSecond)
    bucket.at = at
    // Moved to the end, so that the first is the caller that was idle longest.
    this.#buckets.delete(caller)
    this.#buckets.set(caller, bucket)
    if (this.#buckets.size > mostBuckets) {
      const [oldest] = this.#buckets.keys()
      if (oldest !== undefined) this.#buckets.delete(oldest)
    }
    if (bucket.left >= 1) {
      bucket.left -= 1
      return 0
    }
    return Math.max(1, Math.ceil((1 - bucket.left) / perSecond))
  }
}
