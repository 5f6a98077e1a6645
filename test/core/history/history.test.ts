import { describe, expect, test } from 'vitest'
import { ledgerLine, mayGo, mostExecutions, wholeFamilies } from '../../../src/core/history/retention.ts'
import { percentile, statisticsOf } from '../../../src/core/history/statistics.ts'
import { day, second, t0 } from '../../store/builders.ts'

describe('what may go', () => {
  const retention = { executions: 100, ageMs: 30 * day, failedMs: null, ledgerMs: 400 * day }
  const now = t0 + 100 * day
  const newest = { kept: 900, most: 10, mostFailed: 5 }
  const goes = (
    seq: number,
    agoMs: number,
    overrides: object = {},
    state: 'completed' | 'failed' = 'completed',
  ) => mayGo({ ...retention, ...overrides }, { seq, state, finishedAt: now - agoMs }, newest, now)

  test.each([
    ['old, and beyond the count', goes(899, 31 * day), true],
    ['old, but among the newest', goes(900, 31 * day), false],
    ['young, though beyond the count', goes(899, 29 * day), false],
    ['young, but beyond the most that are kept', goes(9, second), true],
    ['failed, where failures are like all others', goes(899, 31 * day, {}, 'failed'), true],
    ['failed, where failures are kept longer', goes(899, 31 * day, { failedMs: 60 * day }, 'failed'), false],
    ['failed, and older than that', goes(899, 61 * day, { failedMs: 60 * day }, 'failed'), true],
    ['failed, but there are too many of them', goes(4, second, { failedMs: 60 * day }, 'failed'), true],
    ['completed, where failures are kept longer', goes(899, 31 * day, { failedMs: 60 * day }), true],
  ])('%s', (_title, actual, expected) => {
    expect(actual).toBe(expected)
  })

  test('who asks for more than the most gets them', () => {
    expect(mostExecutions(retention)).toBe(10_000)
    expect(mostExecutions({ ...retention, executions: 50_000 })).toBe(50_000)
  })

  test('a retry and what it retries go together', () => {
    const one = (id: string, retryOf: string | null = null) => ({ id, retryOf })
    const chain = [one('b', 'a'), one('c', 'b')]
    const going = (ids: string[], others: string[] = []) =>
      wholeFamilies(
        [one('a'), ...chain, one('z')].filter(({ id }) => ids.includes(id)),
        chain,
        new Set(others),
      ).map(({ id }) => id)
    expect(going(['a', 'b', 'c', 'z'])).toEqual(['a', 'b', 'c', 'z'])
    expect(going(['a', 'b', 'z'])).toEqual(['z'])
    expect(going(['b', 'c', 'z'], ['a'])).toEqual(['z'])
    expect(going(['b', 'c'])).toEqual(['b', 'c'])
  })
})

describe('where the ledger may start', () => {
  const retention = { executions: 100, ageMs: day, failedMs: null, ledgerMs: 4 * day }
  const now = t0 + 10 * day
  const line = (ledgerFrom: number, accountedUntil = now + 1) =>
    ledgerLine(retention, ledgerFrom, accountedUntil, now)

  test.each([
    ['by its own age, not by that of the executions', line(t0), now - 4 * day],
    ['never back', line(now - second), now - second],
    ['never past the cursor', line(t0, t0 + day), t0 + day],
    ['never past now', ledgerLine({ ...retention, ledgerMs: 0 }, t0, now + second, now), now],
  ])('%s', (_title, actual, expected) => {
    expect(actual).toBe(expected)
  })
})

describe('statistics', () => {
  test('of nothing are nothing', () => {
    expect(statisticsOf([])).toEqual({
      total: 0,
      completed: 0,
      failed: 0,
      cancelled: 0,
      successRate: null,
      avgDurationMs: null,
      p50Ms: null,
      p95Ms: null,
      p99Ms: null,
    })
  })

  test('cancelled runs count neither for the rate nor for the durations', () => {
    const runs = [
      { state: 'completed', durationMs: 10 },
      { state: 'completed', durationMs: 30 },
      { state: 'completed', durationMs: null },
      { state: 'failed', durationMs: 80 },
      { state: 'cancelled', durationMs: 9_999 },
    ] as const
    expect(statisticsOf(runs)).toMatchObject({
      total: 5,
      completed: 3,
      failed: 1,
      cancelled: 1,
      successRate: 0.75,
      avgDurationMs: 40,
      p50Ms: 30,
      p99Ms: 80,
    })
  })

  test('runs whose details are gone still count', () => {
    const runs = [{ state: 'completed', durationMs: 10 }] as const
    expect(statisticsOf(runs, { completed: 7, failed: 2, cancelled: 1 })).toMatchObject({
      total: 11,
      completed: 8,
      failed: 2,
      cancelled: 1,
      successRate: 0.8,
      avgDurationMs: 10,
    })
  })

  test('a percentile is always a value that occurred', () => {
    const hundred = Array.from({ length: 100 }, (_, n) => n + 1)
    expect([0, 0.5, 0.95, 0.99, 1].map((fraction) => percentile(hundred, fraction))).toEqual([
      1, 50, 95, 99, 100,
    ])
    expect(percentile([7], 0.5)).toBe(7)
  })
})
