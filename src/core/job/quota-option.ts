/** The row of `quota` in the table of options, fields.ts. */
import type { Option } from './fields.ts'

export const quotaOption = {
  is: 'group',
  title: 'Quota',
  section: 'trouble',
  line: 'What an attempt of a command or an isolated handler may use; what uses more is ended.',
  guide: ['isolation', 'isolation.md'],
  fields: {
    cpu: {
      is: 'duration',
      default: null,
      without: 'no limit',
      line: 'CPU time of all of its processes.',
      flag: '--quota-cpu',
      label: 'CPU time',
    },
    memory: {
      is: 'bytes',
      default: null,
      without: 'no limit',
      line: 'Resident memory of all of its processes, and the heap of an isolated handler.',
      flag: '--quota-memory',
      label: 'Memory',
    },
    processes: {
      is: 'whole',
      min: 1,
      max: 10_000,
      default: null,
      without: 'no limit',
      line: 'How many processes it may be at once.',
      flag: '--quota-processes',
      label: 'Processes',
    },
    output: {
      is: 'bytes',
      default: null,
      without: 'no limit',
      line: 'How much it may print.',
      flag: '--quota-output',
      label: 'Output',
    },
  },
  says({ quota: { cpu, memory, processes, output } }) {
    const parts = [
      ...(cpu === undefined ? [] : [`${cpu} of CPU time`]),
      ...(memory === undefined ? [] : [`${memory} of memory`]),
      ...(processes === undefined ? [] : [processes === 1 ? '1 process' : `${processes} processes`]),
      ...(output === undefined ? [] : [`${output} of output`]),
    ]
    return parts.length === 0 ? null : `An attempt is ended beyond ${parts.join(', ')}.`
  },
} as const satisfies Option
