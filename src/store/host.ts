/**
 * What a driver asks of the process that it runs in: event-loop turns, timers and random numbers. Nothing else in the store
 * uses them, so that a simulation can take the place of the process.
 */
export interface Host {
  /** Calls back one turn of the event loop later. */
  readonly defer: (callback: () => void) => void
  /** Ends a slice of long work: everybody else has a turn before it goes on. */
  readonly rest: () => Promise<void>
  readonly sleep: (ms: number) => Promise<void>
  /** Calls back once; the returned function cancels. */
  readonly timer: (ms: number, callback: () => void) => () => void
  /** Milliseconds that only ever grow. */
  readonly monotonic: () => number
  /** A number in [0, 1). */
  readonly random: () => number
}

/**
 * One slice in each turn of the event loop, however many are at work: callbacks of one turn run together, so that the
 * slices of a crowd would be as long as all of them.
 */
export function oneSlicePerTurn(defer: Host['defer']): Host['rest'] {
  const waiting: (() => void)[] = []
  const next = () => {
    waiting.shift()?.()
    if (waiting.length > 0) defer(next)
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1) defer(next)
    })
}

const defer: Host['defer'] = (callback) => void setImmediate(callback)

export const processHost: Host = {
  defer,
  rest: oneSlicePerTurn(defer),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  timer: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  monotonic: () => performance.now(),
  random: () => Math.random(),
}
