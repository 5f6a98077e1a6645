import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { layerOf } from '../../../src/core/job/window.ts'
import { parseHoursRule } from '../../../src/core/schedule/hours/hours-rule.ts'
import { nextOpenTick, openTicks } from '../../../src/core/schedule/hours/open-ticks.ts'
import { OpeningHours } from '../../../src/core/schedule/hours/opening-hours.ts'
import { intervalSequence } from '../../../src/core/schedule/interval-sequence.ts'

const minute = 60_000
const day = 86_400_000

function hours(
  open: string[],
  { closed = [], timezone = 'UTC' }: { closed?: string[]; timezone?: string } = {},
) {
  return new OpeningHours([layerOf({ open, closed }, timezone)])
}

const utc = (text: string) => Date.parse(`${text}Z`)
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString().slice(0, 16))

describe('opening hours', () => {
  const office = hours(['Mon-Fri 08:00-18:00'])

  test('open and close at their very instants', () => {
    // 2027-01-04 is a Monday.
    expect(office.isOpen(utc('2027-01-04T07:59:59.999'))).toBe(false)
    expect(office.isOpen(utc('2027-01-04T08:00'))).toBe(true)
    expect(office.isOpen(utc('2027-01-04T17:59:59.999'))).toBe(true)
    expect(office.isOpen(utc('2027-01-04T18:00'))).toBe(false)
    expect(iso(office.nextOpening(utc('2027-01-08T18:00')))).toBe('2027-01-11T08:00')
    expect(iso(office.nextClosing(utc('2027-01-04T08:00')))).toBe('2027-01-04T18:00')
    expect(iso(office.startOf(utc('2027-01-10T12:00'), 0))).toBe('2027-01-08T18:00')
  })

  test.each([
    ['over midnight', ['Fri 22:00-06:00'], [], '2027-01-09T05:59', '2027-01-09T06:00'],
    ['twice a day', ['08:00-12:00,13:00-17:00'], [], '2027-01-04T13:00', '2027-01-04T12:30'],
    ['a weekend by its ends', ['Sat-Sun'], [], '2027-01-10T23:59', '2027-01-11T00:00'],
    ['over the end of a week', ['Fri-Mon'], [], '2027-01-11T12:00', '2027-01-12T00:00'],
    ['a list of days', ['Mon,Wed 10:00-11:00'], [], '2027-01-06T10:30', '2027-01-05T10:30'],
    ['all but a holiday', [], ['2027-01-06'], '2027-01-05T12:00', '2027-01-06T12:00'],
    ['all but a holiday of each year', [], ['12-25'], '2027-12-24T12:00', '2027-12-25T12:00'],
    ['all but the turn of the year', [], ['12-24..01-01'], '2027-01-02T12:00', '2027-01-01T12:00'],
    ['all but some days', [], ['2027-03-01..2027-03-05'], '2027-03-06T00:00', '2027-03-05T23:59'],
    [
      'a date in closed days',
      ['Mon-Fri', '2027-01-09 08:00-12:00'],
      [],
      '2027-01-09T11:00',
      '2027-01-09T13:00',
    ],
    [
      'a shut afternoon',
      ['Mon-Fri 08:00-18:00'],
      ['2027-01-04 14:00-24:00'],
      '2027-01-04T13:59',
      '2027-01-04T14:00',
    ],
  ])('%s', (_name, open, closed, openAt, closedAt) => {
    const made = hours(open, { closed })
    expect([made.isOpen(utc(openAt)), made.isOpen(utc(closedAt))]).toEqual([true, false])
  })

  test('are of the clock on the wall when it jumps', () => {
    const madrid = hours(['01:30-02:30'], { timezone: 'Europe/Madrid' })
    // On 28 March 2027 the clock goes from 02:00 to 03:00, at 01:00 UTC: half of the span does not exist.
    expect(iso(madrid.nextOpening(utc('2027-03-28T00:00')))).toBe('2027-03-28T00:30')
    expect(iso(madrid.nextClosing(utc('2027-03-28T00:30')))).toBe('2027-03-28T01:00')
    // On 31 October it goes from 03:00 back to 02:00, at 01:00 UTC: the second half comes twice.
    expect(iso(madrid.nextClosing(utc('2027-10-30T23:30')))).toBe('2027-10-31T00:30')
    expect(iso(madrid.nextOpening(utc('2027-10-31T00:30')))).toBe('2027-10-31T01:00')
    expect(iso(madrid.nextClosing(utc('2027-10-31T01:00')))).toBe('2027-10-31T01:30')
  })

  test('an opening that a jump of the clock takes away is the one of the week after', () => {
    const madrid = hours(['Sun 02:15-02:45'], { timezone: 'Europe/Madrid' })
    expect(iso(madrid.nextOpening(utc('2027-03-21T12:00')))).toBe('2027-04-04T00:15')
  })

  test('a leap day is in sight; what never comes is none', () => {
    expect(iso(hours(['02-29']).nextOpening(utc('2025-01-01T00:00')))).toBe('2028-02-29T00:00')
    expect(hours(['2020-01-01']).nextOpening(utc('2027-01-01T00:00'))).toBeNull()
    expect(hours(['Mon'], { closed: ['Mon'] }).nextOpening(utc('2027-01-01T00:00'))).toBeNull()
    expect(hours(['Mon-Sun']).nextClosing(utc('2027-01-01T00:00'))).toBeNull()
  })

  test.each([
    'Mon-Fry',
    '8:00-18:00',
    '08:00',
    '08:00-25:00',
    '2027-02-30',
    '02-30',
    '2027-01-02..2027-01-01',
    '2027-01-01..2037-01-01',
    '08:00-18:00 Mon',
    'Mon 08:00-18:00 UTC',
    '',
    '24:00-02:00',
  ])('refuse %j', (line) => {
    expect(() => parseHoursRule(line, 'window.open')).toThrow(
      expect.objectContaining({ code: 'invalid_hours' }),
    )
  })
})

/** A line of hours, and the same as its parts for the oracle, which reads no text. */
interface Line {
  readonly text: string
  readonly names: (date: string, weekday: string) => boolean
  readonly spans: readonly (readonly [number, number])[]
}

const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const clock = (at: number) =>
  `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`

const aSpan = fc.tuple(fc.integer({ min: 0, max: 95 }), fc.integer({ min: 0, max: 96 })).map(([from, to]) => {
  const [start, end] = [from * 15, to * 15]
  return { text: `${clock(start)}-${clock(end)}`, span: [start, end > start ? end : end + 1440] as const }
})
const spans = fc.array(aSpan, { minLength: 0, maxLength: 2 })

function zonesDays(first: string) {
  const start = Date.parse(first)
  return fc
    .integer({ min: -3, max: 8 })
    .map((offset) => new Date(start + offset * day).toISOString().slice(0, 10))
}

function aLine(first: string): fc.Arbitrary<Line> {
  const weekly = fc.subarray(names, { minLength: 1 }).map((on) => ({
    text: on.join(','),
    names: (_: string, weekday: string) => on.includes(weekday),
  }))
  const dates = fc.tuple(zonesDays(first), zonesDays(first)).map((both) => {
    const [from = '', to = ''] = both.toSorted()
    return {
      text: from === to ? from : `${from}..${to}`,
      names: (date: string) => date >= from && date <= to,
    }
  })
  const yearly = zonesDays(first).map((date) => ({
    text: date.slice(5),
    names: (other: string) => other.slice(5) === date.slice(5),
  }))
  return fc.tuple(fc.oneof(weekly, dates, yearly), spans).map(([days, times]) => ({
    text: [days.text, times.map(({ text }) => text).join(',')].filter((word) => word !== '').join(' '),
    names: days.names,
    spans: times.length === 0 ? [[0, 1440] as const] : times.map(({ span }) => span),
  }))
}

interface Shown {
  readonly date: string
  readonly at: number
}
const shownMinutes = new Map<string, Shown[]>()

/** What the clock on the wall shows at each minute, through Intl. */
function wallClock(timezone: string, from: number, count: number): Shown[] {
  const key = `${timezone} ${from}`
  const known = shownMinutes.get(key)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const shown = (at: number) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const date = `${parts['year']}-${parts['month']}-${parts['day']}`
    return { date, at: Number(parts['hour']) * 60 + Number(parts['minute']) }
  }
  const made = Array.from({ length: count }, (_, index) => shown(from + index * minute))
  shownMinutes.set(key, made)
  return made
}

/** Minute by minute. */
function openMinutes(
  open: readonly Line[],
  closed: readonly Line[],
  timezone: string,
  from: number,
  count: number,
) {
  const weekdayOf = (date: string) => names[new Date(`${date}T00:00Z`).getUTCDay()] ?? ''
  const dayBefore = (date: string) => new Date(Date.parse(date) - day).toISOString().slice(0, 10)
  const within = (lines: readonly Line[], date: string, at: number) =>
    lines.some(({ names: named, spans: times }) => {
      const before = dayBefore(date)
      return times.some(
        ([start, end]) =>
          (named(date, weekdayOf(date)) && at >= start && at < end) ||
          (named(before, weekdayOf(before)) && at + 1440 >= start && at + 1440 < end),
      )
    })
  return wallClock(timezone, from, count).map(({ date, at }) => {
    return (open.length === 0 || within(open, date, at)) && !within(closed, date, at)
  })
}

const places = [
  { timezone: 'UTC', first: '2027-01-04' },
  { timezone: 'Europe/Madrid', first: '2027-03-27' },
  { timezone: 'Europe/Madrid', first: '2027-10-30' },
  { timezone: 'Australia/Lord_Howe', first: '2027-04-03' },
  { timezone: 'Pacific/Apia', first: '2011-12-28' },
  { timezone: 'America/Nuuk', first: '2023-03-24' },
]

describe('against a walk over every minute', () => {
  const anyHours = fc.constantFrom(...places).chain(({ timezone, first }) =>
    fc.record({
      timezone: fc.constant(timezone),
      from: fc.constant(Date.parse(first)),
      open: fc.array(aLine(first), { maxLength: 3 }),
      closed: fc.array(aLine(first), { maxLength: 2 }),
    }),
  )

  test('openings, closings, and how many ticks lie in open time', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(anyHours, fc.integer({ min: 1, max: 200 }), ({ timezone, from, open, closed }, every) => {
        const count = 4 * 1440
        const truth = openMinutes(open, closed, timezone, from, count)
        const made = hours(
          open.map(({ text }) => text),
          { closed: closed.map(({ text }) => text), timezone },
        )
        const until = from + count * minute
        const sequence = intervalSequence(every * minute, from)
        const ticks = openTicks(sequence, made, from, until)
        const open0 = [...truth.keys()].filter((index) => truth[index])
        const expected = open0.filter((index) => index % every === 0).map((index) => from + index * minute)
        expect(ticks.count(from, until)).toBe(expected.length)
        const walked: number[] = []
        for (let tick = ticks.next(from - 1); tick !== null; tick = ticks.next(tick)) walked.push(tick)
        expect(walked).toEqual(expected)
        const back: number[] = []
        for (let tick = ticks.previous(until); tick !== null; tick = ticks.previous(tick)) back.unshift(tick)
        expect(back).toEqual(expected)
        expect(expected.length === 0 || nextOpenTick(sequence, made, from) === expected[0]).toBe(true)
        for (let index = 0; index < count; index += 97) {
          const at = from + index * minute
          expect(made.isOpen(at)).toBe(truth[index])
          const next = truth.indexOf(!truth[index], index)
          const change = truth[index] === true ? made.nextClosing(at) : made.nextOpening(at)
          const isRight = next === -1 ? (change ?? until) >= until : change === from + next * minute
          expect([at, isRight]).toEqual([at, true])
          const begun = truth.lastIndexOf(!truth[index], index)
          expect(made.startOf(at, from)).toBe(from + (begun + 1) * minute)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('two layers are open where both are', () => {
    const both = new OpeningHours([
      layerOf({ open: ['Mon-Fri 08:00-18:00'], closed: [] }, 'Europe/Madrid'),
      layerOf({ open: ['09:30-16:00'], closed: ['2027-01-18'] }, 'America/New_York'),
    ])
    // New York opens at 15:30 in Madrid, which closes at 18:00.
    expect(iso(both.nextOpening(utc('2027-01-15T00:00')))).toBe('2027-01-15T14:30')
    expect(iso(both.nextClosing(utc('2027-01-15T14:30')))).toBe('2027-01-15T17:00')
    expect(iso(both.nextOpening(utc('2027-01-15T17:00')))).toBe('2027-01-19T14:30')
  })

  test('a month off is counted without its ticks, and a year of hours in an instant', () => {
    const office = hours(['Mon-Fri 08:00-18:00'], { timezone: 'Europe/Madrid' })
    const from = Date.UTC(2027, 0, 4)
    let named = 0
    const second = intervalSequence(1_000, 0)
    const watched = { ...second, next: (at: number) => (named++, second.next(at)) }
    // 261 working days of 2027 less the Friday of New Year; on each ten hours of seconds.
    expect(openTicks(watched, office, from, from + 364 * day).count(from, from + 364 * day)).toBe(
      260 * 36_000,
    )
    expect(named).toBe(0)
  })
})
