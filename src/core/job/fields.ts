/**
 * Every option of a job, once: its shape, its default and its words. Derived from this table are the types and the
 * reference (`npm run generate`), the checks, what is stored and shown, REST and OpenAPI, the flags of the command line,
 * and the dashboard's form and settings.
 */
import type { JobSettings } from './options.ts'
import { type ChoiceWords, catchUpWords, crashWords, overlapWords } from './policies.ts'
import { quotaOption } from './quota-option.ts'

/** Durations, instants and sizes are numbers where they are stored, and text or dates everywhere else. */
export type FieldShape =
  | { readonly is: 'duration' | 'instant' | 'bytes' | 'object' }
  | { readonly is: 'whole'; readonly min: number; readonly max?: number }
  | { readonly is: 'number'; readonly min: number; readonly max: number }
  | { readonly is: 'choice'; readonly of: Readonly<Record<string, ChoiceWords>> }
  | { readonly is: 'text'; readonly min: number; readonly max: number }
  | { readonly is: 'texts'; readonly max: number; readonly longest: number }

export type Field = FieldShape & {
  /** As it is stored. null: there is none unless somebody gives one. */
  readonly default: unknown
  /** What it means, in one line: a comment in the types, the help of a flag, a row of the reference. */
  readonly line: string
  /** Of a default of null. @default 'none' */
  readonly without?: string
  /** On the command line; the dashboard's name for it is `label`. */
  readonly flag: `--${string}`
  readonly label: string
  /** It has no meaning with these values of another option; a form hides it then. */
  readonly unless?: readonly [path: string, ...values: string[]]
}

export interface Group {
  readonly is: 'group'
  readonly line: string
  /** The field that may stand for the whole group. */
  readonly short?: string
  readonly fields: Readonly<Record<string, Field>>
}

export type Option = (Field | Group) & {
  /** The page that explains it, below docs/guide. */
  readonly guide?: readonly [name: string, page: string]
  readonly title: string
  /** Where the dashboard's form has it. */
  readonly section: 'what' | 'when' | 'trouble' | 'where'
  /** How a job is set, as a sentence; null where there is nothing to say. */
  readonly says: (job: JobSettings<Date | string>) => string | null
}

export const jobFields = {
  catchUp: {
    is: 'group',
    title: 'Missed ticks',
    section: 'trouble',
    line: 'What happens to missed ticks.',
    guide: ['missed ticks', 'missed-ticks.md'],
    short: 'policy',
    fields: {
      policy: {
        is: 'choice',
        of: catchUpWords,
        default: 'latest',
        line: 'Which missed ticks run.',
        flag: '--catch-up',
        label: 'Missed ticks',
      },
      maxMissedRuns: {
        is: 'whole',
        min: 1,
        max: 1_000,
        default: 100,
        line: 'How many of the newest missed ticks run, with `all`.',
        flag: '--max-missed-runs',
        label: 'At most',
        unless: ['catchUp.policy', 'none', 'latest'],
      },
      window: {
        is: 'duration',
        default: null,
        without: 'no limit',
        line: 'Ticks missed longer ago than this do not run.',
        flag: '--catch-up-window',
        label: 'Not older than',
        unless: ['catchUp.policy', 'none'],
      },
      grace: {
        is: 'duration',
        default: 60_000,
        line: 'A tick that is late by no more than this counts as on time.',
        flag: '--grace',
        label: 'Grace',
      },
    },
    says({ catchUp: { policy, maxMissedRuns, window, grace } }) {
      const most = policy === 'all' ? ` At most the newest ${maxMissedRuns.toLocaleString('en')} run.` : ''
      const oldest =
        window === undefined || policy === 'none' ? '' : ` None that were missed more than ${window} ago.`
      return `${catchUpWords[policy].sentence}${most}${oldest} A tick that is up to ${grace} late counts as on time.`
    },
  },
  overlap: {
    is: 'choice',
    of: overlapWords,
    default: 'skip',
    title: 'Overlap',
    section: 'trouble',
    line: 'What happens to a tick while the previous run is still going.',
    guide: ['overlap', 'overlap.md'],
    flag: '--overlap',
    label: 'Overlap',
    says({ overlap, maxConcurrent }) {
      return (
        overlapWords[overlap].sentence + (maxConcurrent > 1 ? ` Up to ${maxConcurrent} may run at once.` : '')
      )
    },
  },
  maxConcurrent: {
    is: 'whole',
    min: 1,
    max: 1_000,
    default: 1,
    title: 'Concurrency',
    section: 'trouble',
    line: 'How many runs may go on at once; not with `allow`.',
    flag: '--max-concurrent',
    label: 'At once',
    unless: ['overlap', 'allow'],
    says: () => null,
  },
  retry: {
    is: 'group',
    title: 'Retries',
    section: 'trouble',
    line: 'What happens to an execution that fails.',
    guide: ['retries', 'retries-and-crashes.md'],
    fields: {
      attempts: {
        is: 'whole',
        min: 1,
        max: 1_000,
        default: 3,
        line: 'How many times an execution is tried in total.',
        flag: '--attempts',
        label: 'Attempts',
      },
      base: {
        is: 'duration',
        default: 1_000,
        line: 'The first back-off.',
        flag: '--retry-base',
        label: 'First back-off',
      },
      factor: {
        is: 'number',
        min: 1,
        max: 100,
        default: 2,
        line: 'Each back-off is this many times as long as the last.',
        flag: '--retry-factor',
        label: 'Factor',
      },
      max: {
        is: 'duration',
        default: 3_600_000,
        line: 'The longest back-off.',
        flag: '--retry-max',
        label: 'Longest back-off',
      },
      jitter: {
        is: 'number',
        min: 0,
        max: 1,
        default: 0,
        line: 'How much of the back-off is random.',
        flag: '--retry-jitter',
        label: 'Jitter',
      },
    },
    says({ retry: { attempts, base, factor, max, jitter } }) {
      if (attempts === 1) return 'No retries.'
      const grows =
        factor === 1
          ? `every ${base}`
          : `after ${base}, then ${factor} times as long each time, ${max} at most`
      const random = jitter > 0 ? ` ${Math.round(jitter * 100)} % of the back-off is random.` : ''
      return `Up to ${attempts.toLocaleString('en')} attempts: retried ${grows}.${random}`
    },
  },
  onCrash: {
    is: 'choice',
    of: crashWords,
    default: 'retry',
    title: 'Crashes',
    section: 'trouble',
    line: 'What a crashed attempt means: another try, or failure at once (at most once).',
    flag: '--on-crash',
    label: 'After a crash',
    says: ({ onCrash }) => crashWords[onCrash].sentence,
  },
  timeout: {
    is: 'duration',
    default: null,
    title: 'Timeout',
    section: 'trouble',
    line: 'An attempt that takes longer is aborted and counts as failed.',
    flag: '--timeout',
    label: 'Timeout',
    says: ({ timeout }) => (timeout === null ? 'None.' : `An attempt is stopped after ${timeout}.`),
  },
  quota: quotaOption,
  startDeadline: {
    is: 'duration',
    default: null,
    title: 'Start deadline',
    section: 'trouble',
    line: 'An execution that has not started within this time is cancelled.',
    flag: '--start-deadline',
    label: 'Start deadline',
    says: ({ startDeadline }) =>
      startDeadline === null
        ? null
        : `An execution that has not started within ${startDeadline} is cancelled.`,
  },
  jitter: {
    is: 'duration',
    default: 0,
    title: 'Jitter',
    section: 'when',
    line: 'Ticks start up to this much later, always the same for the same tick.',
    flag: '--jitter',
    label: 'Jitter',
    says: ({ jitter }) => (jitter === '0ms' ? null : `Ticks start up to ${jitter} later.`),
  },
  priority: {
    is: 'whole',
    min: -1_000,
    max: 1_000,
    default: 0,
    title: 'Priority',
    section: 'where',
    line: 'Larger goes first.',
    flag: '--priority',
    label: 'Priority',
    says: ({ priority }) => (priority === 0 ? null : `${priority.toLocaleString('en')}; larger goes first.`),
  },
  queue: {
    is: 'text',
    min: 1,
    max: 200,
    default: 'default',
    title: 'Queue',
    section: 'where',
    line: 'Which queue its executions go to.',
    flag: '--queue',
    label: 'Queue',
    says: ({ queue }) => queue,
  },
  startAt: {
    is: 'instant',
    default: null,
    title: 'Starts',
    section: 'when',
    line: 'No ticks before this instant.',
    flag: '--start-at',
    label: 'Starts at',
    says: ({ startAt }) => (startAt === null ? null : `No ticks before ${instantText(startAt)}.`),
  },
  endAt: {
    is: 'instant',
    default: null,
    title: 'Ends',
    section: 'when',
    line: 'No ticks at or after this instant.',
    flag: '--end-at',
    label: 'Ends at',
    says: ({ endAt }) => (endAt === null ? null : `No ticks from ${instantText(endAt)} on.`),
  },
  maxRuns: {
    is: 'whole',
    min: 1,
    default: null,
    title: 'Maximum runs',
    section: 'when',
    line: 'The schedule ends after this many runs.',
    flag: '--max-runs',
    label: 'Maximum runs',
    says: ({ maxRuns }) =>
      maxRuns === null
        ? null
        : `It ends after ${maxRuns === 1 ? '1 run' : `${maxRuns.toLocaleString('en')} runs`}.`,
  },
  retention: {
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
  },
  tags: {
    is: 'texts',
    max: 50,
    longest: 100,
    default: [],
    title: 'Tags',
    section: 'what',
    line: 'Labels to find it by.',
    flag: '--tag',
    label: 'Tags',
    says: ({ tags }) => (tags.length === 0 ? null : tags.join(', ')),
  },
  description: {
    is: 'text',
    min: 0,
    max: 2_000,
    default: null,
    title: 'Description',
    section: 'what',
    line: 'What the job is for.',
    flag: '--description',
    label: 'Description',
    says: ({ description }) => description,
  },
  metadata: {
    is: 'object',
    default: {},
    title: 'Metadata',
    section: 'where',
    line: 'Stored with the job and given to its handler.',
    flag: '--metadata',
    label: 'Metadata',
    says: () => null,
  },
} as const satisfies Readonly<Record<string, Option>>

/** Over REST an instant is text. */
function instantText(at: Date | string): string {
  return typeof at === 'string' ? at : at.toISOString()
}

export type OptionName = keyof typeof jobFields

/** Every option, in the order of the table. */
export const jobOptions = Object.entries(jobFields) as readonly (readonly [OptionName, Option])[]

export interface PlacedField {
  /** `timeout`, or `retry.base`. */
  readonly path: string
  readonly option: OptionName
  /** In its group; null where it stands by itself. */
  readonly part: string | null
  readonly field: Field
}

/** The fields themselves, those of groups beside the others. */
export const placedFields: readonly PlacedField[] = jobOptions.flatMap(([option, entry]): PlacedField[] =>
  entry.is === 'group'
    ? Object.entries(entry.fields).map(([part, field]) => ({
        path: `${option}.${part}`,
        option,
        part,
        field,
      }))
    : [{ path: option, option, part: null, field: entry }],
)
