import { describe, expect, test } from 'vitest'
import { backoffMs } from '../../../src/core/attempt/backoff.ts'
import { endingOf, type Outcome, type Tried } from '../../../src/core/attempt/outcome.ts'
import { hour, jobSpec, second, t0 } from '../../store/builders.ts'

const { retry } = jobSpec()
const error = { name: 'Error', message: 'no' }

function tried(overrides: Partial<Tried> = {}): Tried {
  return {
    attempt: 1,
    maxAttempts: 3,
    cause: 'schedule',
    retry,
    overlap: 'skip',
    onCrash: 'retry',
    nextTickAt: null,
    ...overrides,
  }
}

describe('the ending of an attempt', () => {
  const rows: readonly [string, Outcome, Tried, object][] = [
    ['done completes', { kind: 'done', result: 7 }, tried(), { state: 'completed', result: 7 }],
    [
      'an error is tried again',
      { kind: 'error', error },
      tried(),
      { state: 'retrying', readyAt: t0 + second, countsAttempt: true },
    ],
    ['the last error fails', { kind: 'error', error }, tried({ attempt: 3 }), { state: 'failed', error }],
    [
      'a retry waits as long as it asks',
      { kind: 'retry', afterMs: 9, error },
      tried(),
      { state: 'retrying', readyAt: t0 + 9 },
    ],
    [
      'a retry without a wish backs off',
      { kind: 'retry', afterMs: null, error },
      tried(),
      { readyAt: t0 + second },
    ],
    [
      'a retry asks in vain after the last',
      { kind: 'retry', afterMs: 9, error },
      tried({ attempt: 3 }),
      { state: 'failed' },
    ],
    [
      'a snooze is no try',
      { kind: 'snooze', afterMs: 9 },
      tried({ attempt: 3 }),
      { state: 'retrying', readyAt: t0 + 9, countsAttempt: false, error: null },
    ],
    [
      'a crash is tried again, and is said to be one',
      { kind: 'crash', error },
      tried(),
      { state: 'retrying', readyAt: t0 + second, countsAttempt: true, crashed: true },
    ],
    [
      'a crash is the end where it may run at most once',
      { kind: 'crash', error },
      tried({ onCrash: 'fail' }),
      { state: 'failed', error, crashed: true },
    ],
    ['fail is for good', { kind: 'fail', error }, tried(), { state: 'failed', error }],
    [
      'a cancel keeps its reason',
      { kind: 'cancel', reason: 'handler', note: 'not needed' },
      tried(),
      { state: 'cancelled', reason: 'handler', error: { message: 'not needed' } },
    ],
    ['a cancel needs no note', { kind: 'cancel', reason: 'operator', note: null }, tried(), { error: null }],
    [
      'the chain waits as blocked',
      { kind: 'error', error },
      tried({ cause: 'catch_up' }),
      { state: 'blocked' },
    ],
    [
      'the chain snoozes as blocked',
      { kind: 'snooze', afterMs: 9 },
      tried({ cause: 'backfill' }),
      { state: 'blocked' },
    ],
    [
      'under allow there is no chain',
      { kind: 'error', error },
      tried({ cause: 'catch_up', overlap: 'allow' }),
      { state: 'retrying' },
    ],
  ]
  test.each(rows)('%s', (_title, outcome, of, expected) => {
    expect(endingOf(outcome, of, t0, 0)).toMatchObject(expected)
  })
})

describe('back-off', () => {
  test('grows by its factor, up to its cap', () => {
    const waits = [1, 2, 3, 4, 30].map((attempt) => backoffMs(retry, attempt, 0, t0, null) / second)
    expect(waits).toEqual([1, 2, 4, 8, 3_600])
    expect(backoffMs({ ...retry, maxMs: 24 * hour }, 2_000, 0, t0, null)).toBe(24 * hour)
  })

  test('takes at most half of what is left until the next tick, and never less than nothing', () => {
    expect(backoffMs(retry, 10, 0, t0, t0 + 10 * second)).toBe(5 * second)
    expect(backoffMs(retry, 10, 0, t0, t0 - second)).toBe(0)
  })

  test('jitter only shortens', () => {
    const spread = { ...retry, jitter: 0.5 }
    expect([0, 0.5, 0.999].map((random) => backoffMs(spread, 1, random, t0, null))).toEqual([1_000, 750, 500])
  })
})
