import fc from 'fast-check'
import { expect, test } from 'vitest'
import { intervalSequence } from '../../../src/core/schedule/interval-sequence.ts'
import { cutByMonth, rangeOf, settleMissed, skipSpan } from '../../../src/core/tick/catch-up.ts'
import { entriesOf } from '../../../src/core/tick/ledger.ts'
import { hour, jobSpec, second, t0 } from '../../store/builders.ts'
import { ledgerRow } from './ledger-rows.ts'

const tens = intervalSequence(10 * second, t0)
const { catchUp } = jobSpec()

test('a range has its first and last tick, and no row where there is no tick', () => {
  expect(skipSpan(tens, t0 + 1, t0 + 35 * second, 'paused')).toEqual([
    {
      from: t0 + 10 * second,
      to: t0 + 30 * second,
      count: 3,
      account: 'skipped',
      reason: 'paused',
      into: null,
    },
  ])
  expect(skipSpan(tens, t0 + 1, t0 + 10 * second, 'paused')).toEqual([])
  expect(skipSpan(tens, t0 + 50 * second, t0, 'paused')).toEqual([])
  expect(rangeOf(tens, t0, t0 + 1, 'coalesced', 'latest', 7)).toMatchObject([
    { from: t0, to: t0, count: 1, into: 7 },
  ])
})

test('whatever the policy, limit and window, each missed tick is settled exactly once', () => {
  fc.assert(
    fc.property(
      fc.record({
        policy: fc.constantFrom('none' as const, 'latest' as const, 'all' as const),
        maxMissedRuns: fc.integer({ min: 1, max: 30 }),
        windowMs: fc.option(fc.integer({ min: 0, max: 600 * second })),
        everyMs: fc.integer({ min: 10, max: 60 * second }),
        ticks: fc.integer({ min: 1, max: 200 }),
        lateMs: fc.integer({ min: 0, max: 100 * second }),
      }),
      ({ policy, maxMissedRuns, windowMs, everyMs, ticks, lateMs }) => {
        const sequence = intervalSequence(everyMs, t0)
        const newest = t0 + ticks * everyMs
        const now = newest + lateMs
        const settled = settleMissed(
          sequence,
          t0 + 1,
          newest,
          { ...catchUp, policy, maxMissedRuns, windowMs },
          now,
        )
        const ranges = settled.ranges.map(ledgerRow)
        const entries = entriesOf(settled.chosen, ranges)
        expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(ticks)
        let covered = t0
        for (const { from, to, count } of entries) {
          expect(sequence.count(covered + 1, from)).toBe(0)
          expect(sequence.count(from, to + 1)).toBe(count)
          covered = to
        }
        expect(covered).toBe(newest)
        const limit = { none: 0, latest: 1, all: maxMissedRuns }[policy]
        expect(settled.chosen.length).toBeLessThanOrEqual(limit)
        expect(settled.chosen).toEqual([...settled.chosen].sort((a, b) => a - b))
        const outside = settled.chosen.filter((tick) => windowMs !== null && tick < now - windowMs)
        expect(outside).toEqual([])
      },
    ),
    { seed: 4, numRuns: 500 },
  )
})

test('a range over months is cut at each, and loses nothing', () => {
  const hours = intervalSequence(hour, t0)
  const [draft] = rangeOf(hours, Date.UTC(2027, 0, 31, 22), Date.UTC(2027, 2, 1, 2), 'skipped', 'paused')
  const cut = draft === undefined ? [] : cutByMonth(hours, draft)
  expect(
    cut.map(({ from, to, count }) => [new Date(from).toISOString(), new Date(to).toISOString(), count]),
  ).toEqual([
    ['2027-01-31T22:00:00.000Z', '2027-01-31T23:00:00.000Z', 2],
    ['2027-02-01T00:00:00.000Z', '2027-02-28T23:00:00.000Z', 28 * 24],
    ['2027-03-01T00:00:00.000Z', '2027-03-01T01:00:00.000Z', 2],
  ])
  expect(cut.map(({ account, reason }) => `${account} ${reason}`)).toEqual(Array(3).fill('skipped paused'))
})
