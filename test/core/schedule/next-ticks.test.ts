import { describe, expect, test } from 'vitest'
import { nextTicks, previousTicks } from '../../../src/core/schedule/next-ticks.ts'

const from = '2027-03-26T12:00:00Z'
const iso = (ticks: readonly Date[]) => ticks.map((tick) => tick.toISOString().slice(0, 16))

describe('nextTicks', () => {
  test('lists a cron in its zone, from exclusive', () => {
    const schedule = { cron: '0 9 * * *', timezone: 'Europe/Madrid' }
    const first = ['2027-03-27T08:00', '2027-03-28T07:00', '2027-03-29T07:00']
    expect(iso(nextTicks(schedule, { from, count: 3 }))).toEqual(first)
    expect(iso(nextTicks(schedule, { from: '2027-03-27T08:00Z', count: 2 }))).toEqual(first.slice(1))
  })

  test('goes on with the next day when asked while a repeated hour runs for the second time', () => {
    const schedule = { cron: '30 2 * * *', timezone: 'Europe/Madrid' }
    const secondPass = '2027-10-31T01:10:00Z'
    expect(iso(nextTicks(schedule, { from: secondPass, count: 1 }))).toEqual(['2027-11-01T01:30'])
    expect(iso(previousTicks(schedule, { from: secondPass, count: 1 }))).toEqual(['2027-10-31T00:30'])
  })

  test('stops before until', () => {
    const until = new Date('2027-03-26T15:00Z')
    expect(iso(nextTicks({ cron: '@hourly' }, { from, count: 10, until }))).toEqual([
      '2027-03-26T13:00',
      '2027-03-26T14:00',
    ])
  })

  test('counts an interval from `from` unless it has an anchor', () => {
    expect(iso(nextTicks({ every: '90m' }, { from, count: 2 }))).toEqual([
      '2027-03-26T13:30',
      '2027-03-26T15:00',
    ])
    const anchored = { every: '1d', anchor: '2027-01-01T06:00Z' } as const
    expect(iso(nextTicks(anchored, { from, count: 1 }))).toEqual(['2027-03-27T06:00'])
  })

  test('estimates fixedDelay, and knows `at` once', () => {
    expect(iso(nextTicks({ fixedDelay: '1h' }, { from, count: 2 }))).toEqual([
      '2027-03-26T13:00',
      '2027-03-26T14:00',
    ])
    expect(iso(nextTicks({ at: '2027-04-01T00:00Z' }, { from, count: 5 }))).toEqual(['2027-04-01T00:00'])
    expect(nextTicks({ at: from }, { from, count: 5 })).toEqual([])
  })

  test('takes H from the name', () => {
    const [first] = nextTicks({ cron: 'H 3 * * *' }, { from, count: 1, name: 'nightly-report' })
    expect(first?.toISOString()).toBe('2027-03-27T03:26:00.000Z')
    expect(() => nextTicks({ cron: 'H 3 * * *' }, { from, count: 1 })).toThrow('no name was given')
  })

  test.each([0, -1, 1.5, Number.NaN, 100_001])('count %d is refused', (count) => {
    expect(() => nextTicks({ cron: '@daily' }, { from, count })).toThrow(
      expect.objectContaining({ code: 'invalid_option', field: 'count' }),
    )
  })
})

describe('previousTicks', () => {
  test('lists the newest first, from exclusive, since inclusive', () => {
    const options = { from: '2027-03-26T12:00:00Z', since: '2027-03-26T10:00Z', count: 10 }
    expect(iso(previousTicks({ cron: '@hourly' }, options))).toEqual(['2027-03-26T11:00', '2027-03-26T10:00'])
  })

  test('is nextTicks, backwards', () => {
    const schedule = { cron: '*/20 1-3 * * *', timezone: 'Europe/Madrid' }
    const forward = nextTicks(schedule, { from: '2027-10-30T12:00Z', count: 20 })
    const last = forward.at(-1) as Date
    const back = previousTicks(schedule, { from: new Date(last.getTime() + 1), count: 20 })
    expect(back.toReversed()).toEqual(forward)
  })
})
