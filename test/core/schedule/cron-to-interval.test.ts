import { describe, expect, test } from 'vitest'
import { cronToInterval } from '../../../src/core/schedule/cron/cron-to-interval.ts'
import { nextTicks } from '../../../src/core/schedule/next-ticks.ts'

const from = '2027-01-01T00:00Z'

describe('a cron becomes an interval', () => {
  test.each([
    ['*/5 * * * *', '5m', 'epoch'],
    ['* * * * *', '1m', 'epoch'],
    ['0 * * * *', '1h', 'epoch'],
    ['15 * * * *', '1h', '1970-01-01T00:15:00.000Z'],
    ['0 */6 * * *', '6h', 'epoch'],
    ['0 0 * * *', '1d', 'epoch'],
    ['30 6 * * *', '1d', '1970-01-01T06:30:00.000Z'],
    ['@hourly', '1h', 'epoch'],
    ['@weekly', '7d', '1970-01-04T00:00:00.000Z'],
    ['*/10 * * * * *', '10s', 'epoch'],
    ['0,30 * * * *', '30m', 'epoch'],
    ['0 0 * * 0-6', '1d', 'epoch'],
  ] as const)('%s, with the same ticks', (cron, every, anchor) => {
    const result = cronToInterval(cron)
    expect(result).toMatchObject({ kind: 'interval', every, anchor })
    if (result.kind !== 'interval') return
    const asInterval = nextTicks({ every: result.every, anchor: result.anchor }, { from, count: 400 })
    expect(asInterval).toEqual(nextTicks({ cron }, { from, count: 400 }))
  })

  test.each([
    ['*/7 * * * *', 'its ticks are not evenly spaced: 7m and 4m'],
    ['0 9,17 * * *', 'its ticks are not evenly spaced: 8h and 16h'],
    ['0 9 * * 1-5', 'it runs only on some days: weekday "1-5"'],
    ['0 0 1 * *', 'it runs only on some days: day of month "1"'],
    ['0 0 1 * 5', 'it runs only on some days: day of month "1", weekday "5"'],
    ['0 0 * * FRI#2', 'it runs only on some days: weekday "FRI#2"'],
    ['0 0 * 1 *', 'it runs only in some months: "1"'],
    ['0 9,17 * * 1', 'it runs several times on one day of the week'],
    ['H * * * *', "H depends on the job's name"],
  ])('%s does not', (cron, reason) => {
    expect(cronToInterval(cron)).toEqual({ kind: 'cron', reason })
  })

  test('an invalid one is an error, not a reason', () => {
    expect(() => cronToInterval('61 * * * *')).toThrow(expect.objectContaining({ code: 'invalid_cron' }))
  })
})
