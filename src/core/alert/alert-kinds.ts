/**
 * Every kind of rule, once: what it watches, its parameters, its words. Derived from this table are the types, the checks,
 * what is stored and shown, REST, the dashboard's form and the reference.
 */
import type { FieldShape } from '../job/fields.ts'

export type Parameter = FieldShape & {
  /** As it is stored. */
  readonly default: number | string
  /** What it means, in one line: in the reference, and under the field of a form. */
  readonly line: string
  readonly label: string
}

/** What an alert of a kind is about: there is one for each job, for each queue, or for the cluster. */
export const alertSubjects = ['job', 'queue', 'cluster'] as const
export type AlertSubject = (typeof alertSubjects)[number]

export interface AlertKindWords {
  readonly subject: AlertSubject
  readonly title: string
  /** What makes it open, in one line. */
  readonly line: string
  /** What is known of the subject: a whole number, of things, thousandths or milliseconds, or an instant since when. */
  readonly value: 'count' | 'share' | 'since' | 'span' | 'none'
  readonly params: Readonly<Record<string, Parameter>>
}

const within = {
  is: 'duration',
  default: 3_600_000,
  label: 'Within',
  line: 'How far back it looks; so long the alert stays open.',
} as const satisfies Parameter

export const successWords = {
  success: { label: 'A success', sentence: 'Only a run that succeeded counts.' },
  end: { label: 'Any run', sentence: 'A run that failed counts, too.' },
} as const

export const gapWords = {
  crash: {
    label: 'After a crash',
    sentence: 'A leader that stopped by itself is no reason: that was a deploy, or a night.',
  },
  any: { label: 'Any', sentence: 'Also where the leader before had stopped by itself.' },
} as const

export const alertKinds = {
  failing: {
    subject: 'job',
    title: 'Failing',
    line: 'A job failed several times in a row.',
    value: 'count',
    params: {
      runs: {
        is: 'whole',
        min: 1,
        max: 1_000,
        default: 3,
        label: 'Failures in a row',
        line: 'How many runs in a row must have failed for good.',
      },
    },
  },
  success_rate: {
    subject: 'job',
    title: 'Success rate',
    line: 'Too few runs of a job succeed.',
    value: 'share',
    params: {
      below: {
        is: 'number',
        min: 0,
        max: 1,
        default: 0.9,
        label: 'Below',
        line: 'The share of runs that must succeed.',
      },
      runs: {
        is: 'whole',
        min: 1,
        max: 10_000,
        default: 10,
        label: 'Of at least',
        line: 'With fewer runs than this there is no alert.',
      },
      within: { ...within, line: 'Which runs count: those that ended within this time.' },
    },
  },
  late: {
    subject: 'job',
    title: 'Late',
    line: 'A tick is due and has not started.',
    value: 'none',
    params: {
      over: {
        is: 'duration',
        default: 300_000,
        label: 'For longer than',
        line: 'How much longer than until the job counts as late.',
      },
    },
  },
  missed: {
    subject: 'job',
    title: 'Missed ticks',
    line: 'Ticks came due while nobody led, and were skipped.',
    value: 'count',
    params: {
      ticks: {
        is: 'whole',
        min: 1,
        max: 1_000_000,
        default: 1,
        label: 'At least',
        line: 'How many ticks must have been skipped.',
      },
      within,
    },
  },
  silent: {
    subject: 'job',
    title: 'Silent',
    line: 'A job has not succeeded for too long: a dead man’s switch.',
    value: 'since',
    params: {
      within: {
        is: 'duration',
        default: 86_400_000,
        label: 'For longer than',
        line: 'How long it may be silent.',
      },
      of: {
        is: 'choice',
        of: successWords,
        default: 'success',
        label: 'What counts',
        line: 'What ends its silence.',
      },
    },
  },
  waiting: {
    subject: 'job',
    title: 'Waiting',
    line: 'An execution of a job is ready and is not claimed.',
    value: 'since',
    params: {
      over: {
        is: 'duration',
        default: 900_000,
        label: 'For longer than',
        line: 'How long an execution may wait.',
      },
    },
  },
  expired_leases: {
    subject: 'job',
    title: 'Expired leases',
    line: 'Workers lose their leases of a job: they crash, hang, or block their event loop.',
    value: 'count',
    params: {
      leases: {
        is: 'whole',
        min: 1,
        max: 10_000,
        default: 3,
        label: 'At least',
        line: 'How many leases must have run out.',
      },
      within,
    },
  },
  leader_gap: {
    subject: 'cluster',
    title: 'Leader gap',
    line: 'Nobody led for a while before a leader of late.',
    value: 'span',
    params: {
      over: {
        is: 'duration',
        default: 60_000,
        label: 'For longer than',
        line: 'How long there may be no leader.',
      },
      within,
      after: {
        is: 'choice',
        of: gapWords,
        default: 'crash',
        label: 'Which gaps',
        line: 'Which gaps count.',
      },
    },
  },
  cursor_lag: {
    subject: 'cluster',
    title: 'Cursor lag',
    line: 'The leader is behind with its accounts.',
    value: 'since',
    params: {
      over: {
        is: 'duration',
        default: 60_000,
        label: 'For longer than',
        line: 'For how long a due tick may have no account.',
      },
    },
  },
  queue_depth: {
    subject: 'queue',
    title: 'Queue depth',
    line: 'Too much waits in a queue.',
    value: 'count',
    params: {
      executions: {
        is: 'whole',
        min: 1,
        max: 1_000_000_000,
        default: 10_000,
        label: 'More than',
        line: 'How many executions may wait.',
      },
    },
  },
  queue_age: {
    subject: 'queue',
    title: 'Queue age',
    line: 'An execution has been ready in a queue for too long.',
    value: 'since',
    params: {
      over: {
        is: 'duration',
        default: 900_000,
        label: 'For longer than',
        line: 'How long the oldest may wait.',
      },
    },
  },
  no_runner: {
    subject: 'job',
    title: 'Nobody can run it',
    line: 'No live node has the handler of a job, or its schedule can no longer be evaluated.',
    value: 'none',
    params: {},
  },
} as const satisfies Readonly<Record<string, AlertKindWords>>

export type AlertKind = keyof typeof alertKinds
