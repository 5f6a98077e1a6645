/** Time, as the engine sees it. The host's clock in production; a manual one in tests; a virtual one in the simulation. */
export interface Clock {
  /** Milliseconds since 1970, UTC: the node's estimate of the database's time. */
  now(): number
  /** Milliseconds that only ever grow; says how much time really passed when `now` jumps. */
  monotonic(): number
  /** Resolves when the time has passed, or as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Calls back once; the returned function cancels. `idle`: only a look whether there is something to do, for what no news
   * has told of. A manual clock need not stop at it.
   */
  timer(ms: number, callback: () => void, idle?: boolean): () => void
  /** Every part looks at the clock at least this often: machines sleep, and clocks are set. */
  readonly longestSleepMs: number
}
