import { expect, test } from 'vitest'
import { Backoff } from '../../src/store/backoff.ts'

function bench(random = 1) {
  const time = { now: 0 }
  const host = { monotonic: () => time.now, random: () => random }
  return { time, backoff: new Backoff(host, { firstMs: 100, longestMs: 2_000 }) }
}

test('pauses double up to the longest, and have random lengths of at least half', () => {
  const pauses = (random: number) => {
    const { backoff } = bench(random)
    return Array.from({ length: 7 }, () => backoff.pauseMs())
  }
  expect(pauses(1)).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000])
  expect(pauses(0)).toEqual([50, 100, 200, 400, 800, 1_000, 1_000])
})

test('one that lets in and hangs up is no better than one that refuses; one that has lasted or worked begins a new row', () => {
  const { time, backoff } = bench()
  for (const expected of [100, 200, 400]) {
    backoff.connected()
    time.now += 10
    expect(backoff.pauseMs()).toBe(expected)
  }
  backoff.connected()
  time.now += 2_000
  expect(backoff.isFirst).toBe(true)
  expect(backoff.pauseMs()).toBe(100)
  expect(backoff.isFirst).toBe(false)
  backoff.worked()
  expect(backoff.isFirst).toBe(true)
})
