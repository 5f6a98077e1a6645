/** The row of `retention` in the table of options, fields.ts. */
import type { Option } from './fields.ts'

export const retentionOption = {
  is: 'group',
  title: 'Retention',
  section: 'where',
  line: 'How many executions are kept, and for how long; what became of their ticks is kept longer.',
  guide: ['history and the ledger', 'history.md'],
  fields: {
    executions: {
      is: 'whole',
      min: 1,
      default: 100,
      line: 'How many executions of the job are kept however old they are.',
      flag: '--keep',
      label: 'Executions kept',
    },
    age: {
      is: 'duration',
      default: 2_592_000_000,
      line: 'How long executions are kept however many they are; at most the newest 10,000, or `executions` if that is more.',
      flag: '--keep-for',
      label: 'Kept for',
    },
    failed: {
      is: 'duration',
      default: null,
      without: 'like all others',
      line: 'How long failed executions are kept, where that is longer.',
      flag: '--keep-failed-for',
      label: 'Failed ones for',
    },
    ledger: {
      is: 'duration',
      default: 34_560_000_000,
      line: 'How long the ledger says what became of each tick.',
      flag: '--keep-ledger-for',
      label: 'Ledger kept for',
    },
  },
  says: ({ retention: { executions, age, failed, ledger } }) =>
    `The newest ${executions === 1 ? 'execution' : `${executions.toLocaleString('en')} executions`} and those of the last ${age}.${failed === undefined ? '' : ` Failed ones: ${failed}.`} What became of each tick: ${ledger}.`,
} as const satisfies Option
