import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CronCalendar, cronCalendar } from '../../../src/core/schedule/cron/cron-calendar.ts'
import { parseCron } from '../../../src/core/schedule/cron/cron-expression.ts'
import { cronSequence, fixedTimes, realInstants } from '../../../src/core/schedule/cron/cron-sequence.ts'
import { intervalSequence } from '../../../src/core/schedule/interval-sequence.ts'
import type { TickSequence } from '../../../src/core/schedule/schedule.ts'
import { type ZoneOffsets, zoneOffsets } from '../../../src/core/schedule/timezone.ts'
import type { OffsetSegment } from '../../../src/core/schedule/zone-segments.ts'
import { randomCron } from './random-cron.ts'
import { seededRandom } from './seeded-random.ts'

const zones = [
  'UTC',
  'Europe/Madrid',
  'America/Nuuk',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Gaza',
  'Africa/Cairo',
  'Pacific/Chatham',
  'Africa/Monrovia',
]
const aCron = fc
  .nat()
  .map((seed) => randomCron(seededRandom(seed), { seconds: true, hash: true, extras: true }))
const anInstant = fc.oneof(
  fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2199, 11, 31) }),
  fc.integer({ min: Date.UTC(2011, 11, 28), max: Date.UTC(2012, 0, 2) }),
  fc.integer({ min: Date.UTC(1972, 0, 5), max: Date.UTC(1972, 0, 9) }),
  fc.integer({ min: Date.UTC(2027, 2, 25), max: Date.UTC(2027, 3, 2) }),
)
const aSequence = fc.tuple(aCron, fc.constantFrom(...zones)).map(([cron, timezone]) => {
  try {
    return { cron, timezone, sequence: cronSequence(cron, timezone, 'a job') }
  } catch {
    // A random date may be an impossible one; any other stands in for it.
    return { cron: '30 2 * * *', timezone, sequence: cronSequence('30 2 * * *', timezone) }
  }
})
/** Two thousand runs each; a wrong rule shows within the first few dozen. */
const runs = { numRuns: 2000 }

describe('a cron sequence', () => {
  test('strictly increases, and previous is the inverse of next', () => {
    fc.assert(
      fc.property(aSequence, anInstant, ({ sequence }, from) => {
        let last = from
        for (let step = 0; step < 20; step++) {
          const tick = sequence.next(last)
          if (tick === null) return
          expect(tick).toBeGreaterThan(last)
          expect(tick % 1000).toBe(0)
          // The start is no tick in general: there, the tick before it is asked for.
          expect(sequence.previous(tick)).toBe(step > 0 ? last : sequence.previous(from + 1))
          expect(sequence.previous(tick + 1)).toBe(tick)
          expect(sequence.next(tick - 1)).toBe(tick)
          last = tick
        }
      }),
      runs,
    )
  })

  test('counts what a walk would count', () => {
    fc.assert(
      fc.property(aSequence, anInstant, fc.nat({ max: 5 * 86_400_000 }), ({ sequence }, from, span) => {
        // A walk over a per-second cron is what count avoids; here it is cut at a length that a test can afford.
        let walked = 0
        let end = from
        for (
          let tick = sequence.next(from - 1);
          tick !== null && tick < from + span;
          tick = sequence.next(tick)
        ) {
          if (walked === 500) break
          walked++
          end = tick + 1
        }
        if (walked < 500) end = from + span
        expect(sequence.count(from, end)).toBe(walked)
      }),
      runs,
    )
  })

  test('counts a span as the sum of its parts, over years', () => {
    fc.assert(
      fc.property(aSequence, anInstant, anInstant, anInstant, ({ sequence }, ...instants) => {
        const [a, b, c] = instants.sort((x, y) => x - y)
        expect(sequence.count(a, b) + sequence.count(b, c)).toBe(sequence.count(a, c))
        expect(sequence.count(c, a)).toBe(0)
      }),
      runs,
    )
  })

  test('ends for any instant, finite or not', () => {
    const edges = [
      0,
      -1,
      8.64e15,
      -8.64e15,
      1e300,
      -1e300,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      0.5,
    ]
    for (const timezone of zones) {
      for (const cron of [
        '* * * * * *',
        '0 0 29 2 *',
        '0 0 29 2 +MON#5',
        '41,47 * * * *',
        '0 0 31 12 +5#5',
      ]) {
        const sequence = cronSequence(cron, timezone)
        for (const edge of edges) {
          expect(sequence.next(edge) ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(edge)
          expect(sequence.previous(edge) ?? Number.NEGATIVE_INFINITY).toBeLessThanOrEqual(edge)
        }
        expect(sequence.next(Number.POSITIVE_INFINITY)).toBeNull()
        expect(sequence.previous(Number.NEGATIVE_INFINITY)).toBeNull()
        const all = sequence.count(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
        const halves =
          sequence.count(Number.NEGATIVE_INFINITY, 0) + sequence.count(0, Number.POSITIVE_INFINITY)
        expect(all).toBe(halves)
        expect(() => sequence.next(Number.NaN)).toThrow(RangeError)
      }
    }
  })

  test('finds 29 February across 2100, and the rarest date', () => {
    const leap = cronSequence('0 0 29 2 *', 'Europe/Madrid')
    const ticks: string[] = []
    for (
      let tick = leap.next(Date.UTC(2095, 0, 1));
      tick !== null && ticks.length < 3;
      tick = leap.next(tick)
    ) {
      ticks.push(new Date(tick).toISOString())
    }
    expect(ticks).toEqual([
      '2096-02-28T23:00:00.000Z',
      '2104-02-28T23:00:00.000Z',
      '2108-02-28T23:00:00.000Z',
    ])
    const rare = cronSequence('0 0 29 2 +MON#5', 'UTC')
    expect(rare.next(Date.UTC(2072, 2, 1))).toBe(Date.UTC(2112, 1, 29))
    expect(rare.next(Date.UTC(9998, 0, 1))).toBeNull()
    expect(rare.previous(Date.parse('0005-01-01T00:00:00Z'))).toBeNull()
  })
})

describe('counting', () => {
  /** A calendar that tells how often it was asked, and for what. */
  function watched(calendar: CronCalendar) {
    const asked = { instants: 0, counts: 0 }
    const watcher: CronCalendar = {
      atOrAfter: (local) => {
        asked.instants++
        return calendar.atOrAfter(local)
      },
      before: (local) => {
        asked.instants++
        return calendar.before(local)
      },
      count: (from, to) => {
        asked.counts++
        return calendar.count(from, to)
      },
    }
    return { watcher, asked }
  }

  test.each([
    ['* * * * * *', realInstants, 31 * 86_400 - 3600],
    ['0-59 0-59 0-23 * * *', fixedTimes, 31 * 86_400 - 3600],
  ] as const)('a month of %s visits no instant', (cron, overlay, expected) => {
    const { watcher, asked } = watched(cronCalendar(parseCron(cron)))
    const sequence = overlay(watcher, zoneOffsets('Europe/Madrid'))
    // March 2027 in Madrid: 31 days less the hour of the gap.
    expect(sequence.count(Date.UTC(2027, 1, 28, 23), Date.UTC(2027, 2, 31, 22))).toBe(expected)
    expect(asked.instants).toBe(0)
    expect(asked.counts).toBeLessThanOrEqual(4)
  })

  test('a century is counted by its segments', () => {
    const { watcher, asked } = watched(cronCalendar(parseCron('* * * * * *')))
    const sequence = realInstants(watcher, zoneOffsets('Europe/Madrid'))
    expect(sequence.count(Date.UTC(2000, 0, 1), Date.UTC(2100, 0, 1))).toBe(36_525 * 86_400)
    expect(asked.instants).toBe(0)
    expect(asked.counts).toBeLessThan(400)
  })
})

describe('a zone whose clock misbehaves', () => {
  const hour = 3_600_000
  const start = Date.UTC(2030, 0, 1)
  /** Forward 3 h, an hour later back 4 h, an hour later forward 1 h: folds and gaps within each other. */
  const segments: readonly OffsetSegment[] = [
    { startAt: -8.64e15, endAt: start + 4 * hour, offsetMs: 0, peak: Number.NEGATIVE_INFINITY },
    { startAt: start + 4 * hour, endAt: start + 5 * hour, offsetMs: 3 * hour, peak: start + 4 * hour },
    { startAt: start + 5 * hour, endAt: start + 6 * hour, offsetMs: -hour, peak: start + 8 * hour },
    { startAt: start + 6 * hour, endAt: 8.64e15, offsetMs: 0, peak: start + 8 * hour },
  ]
  const wild: ZoneOffsets = {
    timezone: 'Test/Wild',
    segmentAt: (instant) => segments.find(({ endAt }) => instant < endAt) as OffsetSegment,
  }

  test('still gets each fixed time once, and real instants as shown', () => {
    const fixed = fixedTimes(cronCalendar(parseCron('0,30 0-12 1 1 *')), wild)
    const ticks = walk(fixed, start - 1, start + 20 * hour)
    // Up to 04:00 as usual; 04:30-06:30 in the gap and 07:00 at 04:00Z; 07:30 at 04:30Z; 08:00 once shown again.
    const halves = ticks.map((tick) => (tick - start) / hour)
    expect(halves).toEqual([
      0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 8, 8.5, 9, 9.5, 10, 10.5, 11, 11.5, 12, 12.5,
    ])
    expect(fixed.count(start, start + 20 * hour)).toBe(ticks.length)
    const real = realInstants(cronCalendar(parseCron('*/30 0-12 1 1 *')), wild)
    expect(real.count(start, start + 20 * hour)).toBe(walk(real, start - 1, start + 20 * hour).length)
  })

  function walk(sequence: TickSequence, from: number, to: number): number[] {
    const ticks: number[] = []
    for (let tick = sequence.next(from); tick !== null && tick < to; tick = sequence.next(tick))
      ticks.push(tick)
    return ticks
  }
})

describe('an interval sequence', () => {
  test('is anchor + n * every, by arithmetic', () => {
    const args = [fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 4e12 }), anInstant] as const
    fc.assert(
      fc.property(...args, (everyMs, anchorAt, from) => {
        const sequence = intervalSequence(everyMs, anchorAt)
        const next = sequence.next(from) as number
        expect(next).toBeGreaterThan(from)
        expect(next - from).toBeLessThanOrEqual(everyMs)
        expect(Math.abs(next - anchorAt) % everyMs).toBe(0)
        expect(sequence.previous(next)).toBe(next - everyMs)
        expect(sequence.previous(next + 1)).toBe(next)
        expect(sequence.count(next, next + 10 * everyMs)).toBe(10)
        expect(sequence.count(next + 1, next + everyMs)).toBe(0)
      }),
      runs,
    )
  })
})
