/** Calendars, as the API takes and shows them. */
import { z } from 'zod'
import { instant, name } from './named.ts'

const calendarName = z.string().min(1).max(200)
const line = z.string().min(1).max(200)
const lines = z.array(line).max(2_000)

const shown = {
  name: z.string(),
  version: z.int().describe('It grows with every change'),
  timezone: z.string().nullable().describe('Whose clock that is; null: that of the job that uses it'),
  open: lines,
  closed: lines,
  createdAt: instant,
  createdBy: z.string(),
  changedAt: instant,
  changedBy: z.string(),
  usedBy: z.array(z.string()).describe('Jobs whose window names it'),
}

export const calendar = name('Calendar', z.object(shown))

export const calendars = name('Calendars', z.object({ calendars: z.array(calendar) }))

export const importedCalendar = name(
  'ImportedCalendar',
  z.object({ ...shown, events: z.int().describe('How many events the file has') }),
)

export const calendarReference = z.strictObject({ name: calendarName })

export const newCalendar = name(
  'NewCalendar',
  z.strictObject({
    name: calendarName,
    open: lines.default([]),
    closed: lines.default([]),
    timezone: z.string().max(100).optional(),
  }),
)

export const calendarImport = name(
  'CalendarImport',
  z.strictObject({
    ical: z.string().max(5_000_000).describe('What the iCal file contains'),
    timezone: z.string().max(100).optional(),
  }),
)
