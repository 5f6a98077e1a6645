/** What can be done with many jobs at once, and how it is called. */
import type { IconName } from '../../kit/icons.ts'

interface BulkWords {
  readonly label: string
  readonly icon: IconName
  /** "4,312 jobs paused." */
  readonly done: string
  /** What it does, unless that is obvious. */
  readonly means?: string
}

export const bulkActions = {
  pause: { label: 'Pause', icon: 'pause', done: 'paused' },
  resume: {
    label: 'Resume',
    icon: 'play',
    done: 'resumed',
    means: 'The ticks they missed while paused are skipped. Their ledgers say so.',
  },
  trigger: {
    label: 'Run now',
    icon: 'runs',
    done: 'triggered',
    means: 'This does not use up ticks of their schedules.',
  },
  cancel: {
    label: 'Cancel',
    icon: 'stop',
    done: 'cancelled',
    means: 'Their schedules end, and their unfinished executions are cancelled. You can resume them later.',
  },
  delete: {
    label: 'Delete',
    icon: 'trash',
    done: 'deleted',
    means:
      'Their schedules end, their unfinished executions are cancelled, and they disappear from lists. Their history is kept until retention removes it.',
  },
} as const satisfies Record<string, BulkWords>

export type BulkAction = keyof typeof bulkActions

export interface BulkReport {
  readonly action: BulkAction
  readonly changed: readonly string[] | number
  readonly failed: readonly { readonly job: string; readonly message: string }[]
}
