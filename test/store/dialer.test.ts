/** While a server is away there is one try at a time, and a pause between two of them. */
import { expect, test } from 'vitest'
import { processHost } from '../../src/store/host.ts'
import { Dialer } from '../../src/store/sql/runtime/dialer.ts'

test('a timer that fires a moment early does not bring a second try without a pause', async () => {
  let now = 0
  const earlyMs = 0.5
  const host = {
    ...processHost,
    random: () => 1,
    monotonic: () => now,
    timer: (ms: number, callback: () => void) => {
      now += Math.max(0, ms - earlyMs)
      queueMicrotask(callback)
      return () => {}
    },
  }
  const dialer = new Dialer(host)
  const triedAt: number[] = []
  const open = () => {
    triedAt.push(now)
    return Promise.reject(new Error('refused'))
  }
  for (let tries = 0; tries < 10; tries += 1) await expect(dialer.dial(open)).rejects.toThrow('refused')
  const pauses = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0))
  // Doubled from 100 ms up to 2 s, less the moment.
  expect(pauses).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000, 2_000].map((ms) => ms - earlyMs))
})
