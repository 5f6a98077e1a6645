/**
 * What a driver asks of the process that it runs in: its turns, its naps and its dice. Nothing else in the store reaches
 * for them, so that a simulation can be the process.
 */
export interface Host {
  /** Calls back one turn of the event loop later. */
  readonly defer: (callback: () => void) => void
  readonly sleep: (ms: number) => Promise<void>
  /** Calls back once; the returned function cancels. */
  readonly timer: (ms: number, callback: () => void) => () => void
  /** Milliseconds that only ever grow. */
  readonly monotonic: () => number
  /** A number in [0, 1). */
  readonly random: () => number
}

export const processHost: Host = {
  defer: (callback) => void setImmediate(callback),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  timer: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  monotonic: () => performance.now(),
  random: () => Math.random(),
}
