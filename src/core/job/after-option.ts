/** The rows of `after`, `join` and `per` in the table of options, fields.ts. */
import { joinWords, parentsText } from './after.ts'
import type { Option } from './fields.ts'

export const afterOption = {
  is: 'list',
  of: 'after',
  max: 100,
  default: [],
  title: 'After',
  section: 'when',
  line: 'The jobs whose ends make its runs, instead of a schedule.',
  guide: ['dependencies', 'dependencies.md'],
  flag: '--after',
  label: 'After',
  says: ({ after, join }) =>
    after.length === 0 ? null : `It runs once ${parentsText(after, join === 'all' ? 'and' : 'or')}.`,
} as const satisfies Option

export const joinOption = {
  is: 'choice',
  of: joinWords,
  default: 'all',
  title: 'Join',
  section: 'when',
  line: 'With several jobs in `after`: whether all of them must have ended so, or any.',
  flag: '--join',
  label: 'Join',
  says: ({ after, join }) => (after.length < 2 ? null : joinWords[join].sentence),
} as const satisfies Option

export const perOption = {
  is: 'group',
  title: 'Per',
  section: 'when',
  line: 'By what period runs of jobs with schedules of their own are joined.',
  short: 'length',
  fields: {
    length: {
      is: 'text',
      min: 1,
      max: 40,
      default: null,
      without: 'by the run that began it all',
      line: 'A `day`, an `hour`, or a duration.',
      flag: '--per',
      label: 'Period',
    },
    timezone: {
      is: 'text',
      min: 1,
      max: 100,
      default: 'UTC',
      line: 'On whose clock a day or an hour begins.',
      flag: '--per-timezone',
      label: 'Zone of the period',
    },
  },
  says: ({ per: { length, timezone } }) =>
    length === undefined ? null : `Once per ${length}, on the clock of ${timezone}.`,
} as const satisfies Option
