/** The row of `window` in the table of options, fields.ts. */
import type { Option } from './fields.ts'
import { closedWords } from './policies.ts'

export const windowOption = {
  is: 'group',
  title: 'Opening hours',
  section: 'when',
  line: 'When ticks may start. What else asks for a run may start at any time.',
  guide: ['windows and calendars', 'windows.md'],
  fields: {
    open: {
      is: 'texts',
      max: 100,
      longest: 200,
      apart: ';',
      default: [],
      line: 'When it is open: `Mon-Fri 08:00-18:00`, a date, or a day of each year. None: always.',
      flag: '--open',
      label: 'Open',
    },
    closed: {
      is: 'texts',
      max: 100,
      longest: 200,
      apart: ';',
      default: [],
      line: 'When it is closed even so, in the same words.',
      flag: '--closed',
      label: 'Closed',
    },
    calendar: {
      is: 'text',
      min: 0,
      max: 200,
      default: null,
      line: 'A calendar by its name: where that is closed, so is the job.',
      flag: '--calendar',
      label: 'Calendar',
    },
    timezone: {
      is: 'text',
      min: 0,
      max: 100,
      default: null,
      without: "the schedule's, else UTC",
      line: 'The zone whose clock the hours are of.',
      flag: '--window-timezone',
      label: 'Zone of the hours',
    },
    onClosed: {
      is: 'choice',
      of: closedWords,
      default: 'skip',
      line: 'What becomes of a tick in closed time.',
      flag: '--on-closed',
      label: 'While closed',
    },
  },
  says({ window: { open, closed, calendar, timezone, onClosed } }) {
    const zone = timezone === undefined || timezone === '' ? '' : ` (${timezone})`
    const parts = [
      ...(open.length === 0 ? [] : [`Open ${open.join('; ')}${zone}.`]),
      ...(closed.length === 0 ? [] : [`Closed ${closed.join('; ')}${zone}.`]),
      ...(calendar === undefined || calendar === '' ? [] : [`Closed where the calendar "${calendar}" is.`]),
    ]
    return parts.length === 0 ? null : `${parts.join(' ')} ${closedWords[onClosed].sentence}`
  },
} as const satisfies Option
