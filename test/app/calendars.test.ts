import { describe, expect, test } from 'vitest'
import { readICal } from '../../src/app/calendar/read-ical.ts'
import { defineJob, Evertick } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'

const lines = (...events: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//tests//EN', ...events, 'END:VCALENDAR', ''].join('\r\n')
const event = (uid: string, ...properties: string[]) =>
  ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', ...properties, 'END:VEVENT'].join('\r\n')
const span = {
  from: Date.parse('2026-01-01T00:00:00Z'),
  until: Date.parse('2028-01-01T00:00:00Z'),
  timezone: 'Europe/Madrid',
}

describe('an iCal file', () => {
  test.each([
    ['a day', ['DTSTART;VALUE=DATE:20261225', 'DTEND;VALUE=DATE:20261226'], ['2026-12-25']],
    ['a day without an end', ['DTSTART;VALUE=DATE:20261225'], ['2026-12-25']],
    [
      'several days',
      ['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227'],
      ['2026-12-24..2026-12-26'],
    ],
    [
      'a holiday of each year',
      ['DTSTART;VALUE=DATE:20201225', 'RRULE:FREQ=YEARLY'],
      ['2026-12-25', '2027-12-25'],
    ],
    [
      'the last Thursday of a month, but for one',
      ['DTSTART;VALUE=DATE:20261126', 'RRULE:FREQ=MONTHLY;BYDAY=-1TH;COUNT=3', 'EXDATE;VALUE=DATE:20261231'],
      ['2026-11-26', '2027-01-28'],
    ],
    [
      'from an instant to one two days later',
      ['DTSTART:20261224T130000Z', 'DTEND:20261226T070000Z'],
      ['2026-12-24 14:00-24:00', '2026-12-25', '2026-12-26 00:00-08:00'],
    ],
    ['half an hour', ['DTSTART:20260701T100000Z', 'DTEND:20260701T103000Z'], ['2026-07-01 12:00-12:30']],
    ['what was long ago', ['DTSTART;VALUE=DATE:20201225'], []],
    ['what does not take place', ['DTSTART;VALUE=DATE:20261225', 'STATUS:CANCELLED'], []],
  ])('%s', async (_name, properties, closed) => {
    expect((await readICal(lines(event('1', ...properties)), span)).closed).toEqual(closed)
  })

  test('what is none is refused', async () => {
    await expect(readICal('hello', span)).rejects.toMatchObject({ code: 'invalid_hours' })
  })
})

describe('calendars', () => {
  const report = defineJob({
    name: 'report',
    schedule: { every: '1h', anchor: 'epoch' },
    window: { calendar: 'holidays' },
    run: () => {},
  })

  const work = defineJob({ name: 'work', run: () => {} })

  test('what was closed last month is what the calendar said then', async () => {
    const node = await openTestNode({ jobs: [work], start: '2026-01-01T00:00:00Z' })
    const { calendars, jobs } = node.evertick
    await calendars.put('holidays', { closed: ['2026-01-02'] })
    await jobs.create({
      name: 'a',
      handler: 'work',
      schedule: { every: '6h', anchor: 'epoch' },
      window: { calendar: 'holidays' },
    })
    await node.advance('30h')
    await calendars.put('holidays', { closed: ['2026-01-05'] })
    expect((await calendars.get('holidays')).usedBy).toEqual(['a'])
    await node.advance('10d')
    const { ticks, unaccounted } = await jobs.explain('a', {
      from: '2026-01-01T00:00:01Z',
      to: '2026-01-07T00:00:00Z',
    })
    const closed = ticks
      .filter(({ reason }) => reason === 'closed')
      .map(({ scheduledFor }) => scheduledFor.toISOString().slice(8, 13))
    expect(closed).toEqual(['02T00', '02T06', '05T00', '05T06', '05T12', '05T18'])
    expect(unaccounted).toBe(0)
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
    expect((await jobs.revisions('a')).length).toBe(2)
    await node.stop()
  })

  test('a job that code defines needs its calendar, and says which is missing', async () => {
    await expect(openTestNode({ jobs: [report] })).rejects.toMatchObject({ code: 'calendar_not_found' })
  })

  test('names and lines are checked', async () => {
    const evertick = await Evertick.open({ database: 'sqlite::memory:' })
    const { calendars } = evertick
    await expect(calendars.put('a b', {})).rejects.toMatchObject({ code: 'invalid_option', field: 'name' })
    await expect(calendars.put('a', { open: ['sometimes'] })).rejects.toMatchObject({ code: 'invalid_hours' })
    await expect(calendars.get('a')).rejects.toMatchObject({ code: 'calendar_not_found' })
    await calendars.put('a', { open: ['Mon-Fri'], timezone: 'europe/madrid' })
    const made = await calendars.import(
      'a',
      lines(event('1', 'DTSTART;VALUE=DATE:20201225', 'RRULE:FREQ=YEARLY')),
    )
    expect(made).toMatchObject({ version: 2, open: ['Mon-Fri'], timezone: 'Europe/Madrid', events: 1 })
    const window = { open: ['Mon'], onClosed: 'defer' } as const
    await expect(
      evertick.jobs.create({ name: 'x', schedule: { every: '1h' }, catchUp: 'none', window }),
    ).rejects.toMatchObject({ code: 'invalid_definition', field: 'window.onClosed' })
    await evertick.stop()
  })

  test('lists of what comes show closed times', async () => {
    const node = await openTestNode({ jobs: [work], start: '2026-01-05T10:30:00Z' })
    const { jobs } = node.evertick
    const window = { open: ['Mon-Fri 08:00-12:00'], onClosed: 'defer' } as const
    await jobs.create({ name: 'a', handler: 'work', schedule: { every: '1h', anchor: 'epoch' }, window })
    expect((await jobs.upcoming('a', { count: 3 })).map((at) => at.toISOString().slice(5, 16))).toEqual([
      '01-05T11:00',
      '01-06T08:00',
      '01-06T09:00',
    ])
    const [closed] = await jobs.closings('a', { count: 3 })
    expect(closed).toEqual({
      from: new Date('2026-01-05T12:00:00Z'),
      until: new Date('2026-01-06T08:00:00Z'),
      ticks: 20,
      onClosed: 'defer',
    })
    expect((await jobs.get('a')).nextRunAt).toEqual(new Date('2026-01-05T11:00:00Z'))
    await node.advance('3h')
    const { ticks } = await jobs.explain('a', { from: '2026-01-05T12:00:00Z', to: '2026-01-05T13:00:00Z' })
    expect(ticks).toMatchObject([{ account: 'undecided', reason: 'closed' }])
    await node.stop()
  })
})
