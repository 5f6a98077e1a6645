import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { formatDuration, parseDuration } from '../../../src/core/schedule/duration.ts'
import type { Duration } from '../../../src/core/schedule/schedule.ts'

describe('a duration', () => {
  test.each([
    [0, 0],
    [1500, 1500],
    ['250ms', 250],
    ['10s', 10_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1w', 604_800_000],
    ['1h30m', 5_400_000],
    ['1d 2h 3m', 93_780_000],
    ['1.5h', 5_400_000],
    ['0.1s', 100],
    ['2.3s', 2300],
    [' 5M ', 300_000],
  ])('%j is %d ms', (value, ms) => {
    expect(parseDuration(value, 'every')).toBe(ms)
  })

  test.each([
    [-1, 'every is negative: -1'],
    ['-5m', 'every is negative: "-5m"'],
    [Number.NaN, 'every is NaN'],
    [Number.POSITIVE_INFINITY, 'every is too long: Infinity'],
    [1.5, 'every is not a whole number of milliseconds: 1.5'],
    ['1.5ms', 'every is not a whole number of milliseconds: "1.5ms"'],
    ['5', 'every cannot be read: "5"'],
    ['', 'every cannot be read: ""'],
    ['five minutes', 'every cannot be read: "five minutes"'],
    ['5x', 'every has the unknown unit "x": "5x"'],
    ['5min', 'every has the unknown unit "min": "5min"'],
    ['30m1h', 'every has its units out of order: "30m1h"'],
    ['1h1h', 'every has its units out of order: "1h1h"'],
    ['1e3s', 'every has the unknown unit "e": "1e3s"'],
    ['99999999999999w', 'every is too long: "99999999999999w"'],
    ['1'.repeat(100), 'every has 100 characters'],
    [undefined, 'every is missing'],
    [null, 'every is null'],
    [{}, 'every is of type object'],
  ])('%j is refused', (value, message) => {
    expect(() => parseDuration(value, 'every')).toThrow(
      expect.objectContaining({
        code: 'invalid_duration',
        field: 'every',
        message,
        next: expect.stringContaining("'1h30m'") as string,
      }),
    )
  })

  test.each([
    [0, '0ms'],
    [250, '250ms'],
    [5_400_000, '1h 30m'],
    [90_061_001, '1d 1h 1m 1s 1ms'],
    [604_800_000, '7d'],
    [-60_000, '-1m'],
  ])('%d ms is written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  test('that was written is read back', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e12 }), (ms) => {
        expect(parseDuration(formatDuration(ms), 'every')).toBe(ms)
      }),
    )
  })

  test('is typed as text with units', () => {
    expectTypeOf<'250ms'>().toExtend<Duration>()
    expectTypeOf<'1h30m'>().toExtend<Duration>()
    expectTypeOf<'1d12h30m'>().toExtend<Duration>()
    expectTypeOf<1000>().toExtend<Duration>()
    expectTypeOf<'soon'>().not.toExtend<Duration>()
    expectTypeOf<'5 minutes'>().not.toExtend<Duration>()
    expectTypeOf<'5'>().not.toExtend<Duration>()
  })
})
