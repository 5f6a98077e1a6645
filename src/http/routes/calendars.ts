/** `/calendars`: opening hours by name. */
import { endpoint } from '../endpoint.ts'
import * as schema from '../schemas/calendar.ts'

const tag = 'Calendars'

export const calendarRoutes = [
  endpoint({
    method: 'get',
    path: '/calendars',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'List calendars by name, and the jobs that have them',
    answers: schema.calendars,
    run: async ({ evertick }) => ({ calendars: await evertick.calendars.list() }),
  }),
  endpoint({
    method: 'get',
    path: '/calendars/{name}',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'One calendar',
    params: schema.calendarReference,
    answers: schema.calendar,
    run: async ({ evertick, params }) => await evertick.calendars.get(params.name),
  }),
  endpoint({
    method: 'post',
    path: '/calendars',
    role: 'admin',
    tag,
    takes: 'payload',
    summary: 'Put a calendar: a new one, or the next version of one, which its jobs have at once',
    body: schema.newCalendar,
    answers: schema.calendar,
    run: async ({ evertick, body: { name, timezone, ...rules }, by }) =>
      await evertick.calendars.put(name, { ...rules, ...(timezone === undefined ? {} : { timezone }) }, by),
  }),
  endpoint({
    method: 'post',
    path: '/calendars/{name}/import',
    role: 'admin',
    heavy: true,
    tag,
    takes: 'payload',
    summary: 'Make the events of an iCal file the closed times of a calendar',
    params: schema.calendarReference,
    body: schema.calendarImport,
    answers: schema.importedCalendar,
    run: async ({ evertick, params, body: { ical, timezone }, by }) =>
      await evertick.calendars.import(params.name, ical, {
        ...(timezone === undefined ? {} : { timezone }),
        ...by,
      }),
  }),
  endpoint({
    method: 'delete',
    path: '/calendars/{name}',
    role: 'admin',
    tag,
    summary: 'Delete a calendar that no job has',
    params: schema.calendarReference,
    answers: null,
    status: 204,
    run: async ({ evertick, params, by }) => await evertick.calendars.delete(params.name, by),
  }),
]
