import { describe, expect, test } from 'vitest'
import { cronSequence } from '../../../src/core/schedule/cron/cron-sequence.ts'
import { parseTimezone, zoneFrom, zoneOffsets } from '../../../src/core/schedule/timezone.ts'
import { findSegments, sampleMs } from '../../../src/core/schedule/zone-segments.ts'

const hour = 3_600_000

describe('zone offsets', () => {
  test.each([
    ['Europe/Madrid', '2027-03-28T00:59:59.999Z', 1],
    ['Europe/Madrid', '2027-03-28T01:00:00Z', 2],
    ['Australia/Lord_Howe', '2027-04-03T14:59:59Z', 11],
    ['Australia/Lord_Howe', '2027-04-03T15:00:00Z', 10.5],
    ['Asia/Kathmandu', '2027-01-01T00:00:00Z', 5.75],
    ['Pacific/Apia', '2011-12-30T09:59:59Z', -10],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', 14],
    ['Pacific/Kwajalein', '1993-08-21T11:59:59Z', -12],
    ['Pacific/Kwajalein', '1993-08-21T12:00:00Z', 12],
    ['Africa/Monrovia', '1972-01-07T00:44:29Z', -44.5 / 60],
    ['Africa/Monrovia', '1972-01-07T00:44:30Z', 0],
    ['Asia/Gaza', '2040-10-25T12:00:00Z', 3],
  ] as const)('%s at %s is %d hours ahead', (timezone, instant, hours) => {
    expect(zoneOffsets(timezone).segmentAt(Date.parse(instant)).offsetMs).toBe(hours * hour)
  })

  test('stay as they are beyond 1970 and 2200, and end', () => {
    const zone = zoneOffsets('Europe/Madrid')
    expect(zone.segmentAt(Date.UTC(1900, 0, 1)).offsetMs).toBe(zone.segmentAt(0).offsetMs)
    const late = zone.segmentAt(Date.UTC(2300, 0, 1))
    expect(zone.segmentAt(Date.UTC(9999, 0, 1))).toBe(late)
    expect(late.endAt).toBe(8.64e15)
  })

  test('are read from Intl once per window, not per question', () => {
    let reads = 0
    const zone = zoneFrom('Test/Counted', (instant) => {
      reads++
      return instant < Date.UTC(2027, 2, 28, 1) ? hour : 2 * hour
    })
    const lookAtYear = () => {
      for (let day = 0; day < 365; day++) zone.segmentAt(Date.UTC(2027, 0, 1 + day))
    }
    lookAtYear()
    const first = reads
    // Two windows of 120 samples, and a bisection.
    expect(first).toBeLessThan(300)
    lookAtYear()
    expect(reads).toBe(first)
  })

  test('see both of two changes a week apart, the closest that the zone data has', () => {
    // America/Noronha, October 2000, and Asia/Gaza, October 2040: seven days of summer time.
    for (const [timezone, from] of [
      ['America/Noronha', Date.UTC(2000, 9, 1)],
      ['Asia/Gaza', Date.UTC(2040, 9, 15)],
    ] as const) {
      const zone = zoneOffsets(timezone)
      const first = zone.segmentAt(from)
      const second = zone.segmentAt(first.endAt)
      expect(second.endAt - second.startAt).toBeLessThanOrEqual(7 * 86_400_000 + hour)
      expect(second.endAt - second.startAt).toBeGreaterThan(2 * sampleMs)
    }
  })

  test('know what the clock has shown where a window begins just after a fold', () => {
    const fold = 100 * 86_400_000
    const offsetAt = (instant: number) => (instant < fold ? 2 * hour : hour)
    const [segment] = findSegments(offsetAt, fold + hour / 2, fold + 86_400_000)
    expect(segment).toEqual({
      startAt: fold + hour / 2,
      endAt: fold + 86_400_000,
      offsetMs: hour,
      peak: fold + 2 * hour,
    })
  })
})

describe('zone names', () => {
  test.each([
    ['Europe/Madird', '"Europe/Madird" is not a known time zone; did you mean Europe/Madrid?'],
    ['Madrid', '"Madrid" is not a known time zone; did you mean Europe/Madrid?'],
    ['New York', '"New York" is not a known time zone; did you mean America/New_York?'],
    ['+01:00', '"+01:00" is an offset, not a time zone'],
    ['UTC+3', '"UTC+3" is an offset, not a time zone'],
    ['Mars/Olympus_Mons', '"Mars/Olympus_Mons" is not a known time zone'],
    ['', '"" is not a known time zone'],
    ['local', '"local" is not a known time zone'],
    ['x'.repeat(5000), `"${'x'.repeat(64)}" is not a known time zone`],
  ])('%s is refused', (name, message) => {
    expect(() => parseTimezone(name, 'timezone')).toThrow(
      expect.objectContaining({ code: 'invalid_timezone', message, field: 'timezone' }),
    )
  })

  test.each([
    ['UTC', 'UTC'],
    ['utc', 'UTC'],
    ['europe/madrid', 'Europe/Madrid'],
    ['Etc/GMT-3', 'Etc/GMT-3'],
    ['US/Eastern', 'US/Eastern'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
  ])('%s is taken as %s', (name, taken) => {
    expect(parseTimezone(name, 'timezone')).toBe(taken)
  })
})

describe('ticks in unusual zones', () => {
  function ticks(cron: string, timezone: string, from: string, count: number): string[] {
    const sequence = cronSequence(cron, timezone)
    const found: string[] = []
    for (let tick = sequence.next(Date.parse(from)); tick !== null && found.length < count; ) {
      found.push(new Date(tick).toISOString().replace('.000Z', 'Z'))
      tick = sequence.next(tick)
    }
    return found
  }

  test('a day that the date line swallowed runs once, at the first instant after it', () => {
    expect(ticks('0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00Z', 1)).toEqual(['2011-12-30T10:00:00Z'])
    expect(ticks('0 0,12 * * *', 'Pacific/Apia', '2011-12-29T12:00Z', 4)).toEqual([
      '2011-12-29T22:00:00Z',
      '2011-12-30T10:00:00Z',
      '2011-12-30T22:00:00Z',
      '2011-12-31T10:00:00Z',
    ])
  })

  test('a zone with half a minute in its offset ticks on its own minutes', () => {
    expect(ticks('0 12 * * *', 'Africa/Monrovia', '1972-01-05T00:00Z', 3)).toEqual([
      '1972-01-05T12:44:30Z',
      '1972-01-06T12:44:30Z',
      '1972-01-07T12:00:00Z',
    ])
  })

  test('the expression on which two libraries loop for ever goes on', () => {
    expect(ticks('41,47 * * * *', 'Pacific/Chatham', '2027-04-03T13:30Z', 4)).toEqual([
      '2027-04-03T13:56:00Z',
      '2027-04-03T14:02:00Z',
      '2027-04-03T14:56:00Z',
      '2027-04-03T15:02:00Z',
    ])
  })
})
