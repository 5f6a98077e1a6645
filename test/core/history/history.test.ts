import { describe, expect, test } from 'vitest'
import { retentionLine } from '../../../src/core/history/retention.ts'
import { percentile, statisticsOf } from '../../../src/core/history/statistics.ts'
import { day, second, t0 } from '../../store/builders.ts'

describe('where the ledger may start', () => {
  const retention = { executions: 100, ageMs: day }
  const now = t0 + 10 * day
  const line = (nthNewestTick: number | null, ledgerFrom = t0, accountedUntil = now + 1) =>
    retentionLine(retention, ledgerFrom, accountedUntil, nthNewestTick, now)

  test.each([
    ['by age, where there are few', line(null), now - day],
    ['by count, where there are many', line(now - second), now - second],
    ['whichever lets more go', line(t0 + day), now - day],
    ['never back', line(null, now - second), now - second],
    ['never past the cursor', line(null, t0, t0 + day), t0 + day],
    [
      'never past now: what is accounted ahead may be taken back',
      line(now + second, t0, now + 2 * second),
      now,
    ],
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

  test('a percentile is always a value that occurred', () => {
    const hundred = Array.from({ length: 100 }, (_, n) => n + 1)
    expect([0, 0.5, 0.95, 0.99, 1].map((fraction) => percentile(hundred, fraction))).toEqual([
      1, 50, 95, 99, 100,
    ])
    expect(percentile([7], 0.5)).toBe(7)
  })
})
