/** The part of the behaviour of every route that is about calendars. */
import { expect, test } from 'vitest'
import type { Asking } from './asking.ts'

const ical = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//tests//EN',
  'BEGIN:VEVENT',
  'UID:1',
  'DTSTAMP:20260101T000000Z',
  'DTSTART;VALUE=DATE:20301225',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n')

export function testCalendars(asked: () => Pick<Asking, 'ask'>): void {
  test('a calendar is put, had by a job, imported as its next version, and deleted once no job has it', async () => {
    const { ask } = asked()
    const put = await ask('POST', '/calendars', {
      name: 'holidays',
      closed: ['12-25'],
      timezone: 'Europe/Madrid',
    })
    expect(put.json).toMatchObject({
      name: 'holidays',
      version: 1,
      closed: ['12-25'],
      changedBy: 'token:admin',
    })
    const window = { calendar: 'holidays', onClosed: 'skip' }
    await ask('POST', '/jobs', { name: 'trades', schedule: { every: '1h' }, window, runNow: false })
    expect((await ask('GET', '/calendars')).json.calendars).toMatchObject([
      { name: 'holidays', usedBy: ['trades'] },
    ])
    expect((await ask('DELETE', '/calendars/holidays')).json).toMatchObject({ code: 'calendar_in_use' })
    const imported = await ask('POST', '/calendars/holidays/import', { ical })
    expect(imported.json).toMatchObject({ version: 2, events: 1 })
    expect((await ask('GET', '/calendars/holidays')).json).toMatchObject({ version: 2 })
    expect((await ask('POST', '/calendars', { name: 'bad', open: ['sometimes'] })).json).toMatchObject({
      code: 'invalid_hours',
    })
    expect((await ask('DELETE', '/jobs/trades')).status).toBe(204)
    expect((await ask('DELETE', '/calendars/holidays')).status).toBe(204)
    expect((await ask('GET', '/calendars/holidays')).json).toMatchObject({ code: 'calendar_not_found' })
  })
}
