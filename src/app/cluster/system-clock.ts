/** The host's clock. On SQLite it is also the database's. */
import type { Clock } from '../../engine/clock.ts'

/** Node's timers overflow beyond this. */
const longestTimerMs = 2 ** 31 - 1

export const systemClock: Clock = {
  longestSleepMs: 30_000,
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, Math.min(ms, longestTimerMs))
      signal?.addEventListener('abort', done, { once: true })
    }),
  timer: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, longestTimerMs))
    return () => clearTimeout(timer)
  },
}
