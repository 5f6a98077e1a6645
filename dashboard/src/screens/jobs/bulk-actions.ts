/** What can be done to many jobs at once, and the words for it. */
import type { IconName } from '../../kit/icons.ts'

interface BulkWords {
  readonly label: string
  readonly icon: IconName
  /** "4,312 jobs paused." */
  readonly done: string
  /** What it means, where that is not plain. */
  readonly means?: string
}

export const bulkActions = {
  pause: { label: 'Pause', icon: 'pause', done: 'paused' },
  resume: {
    label: 'Resume',
    icon: 'play',
    done: 'resumed',
    means: 'What they missed while they were paused is skipped, and said so in their ledgers.',
  },
  trigger: {
    label: 'Run now',
    icon: 'runs',
    done: 'triggered',
    means: 'Beside their schedules: no tick is used up.',
  },
  cancel: {
    label: 'Cancel',
    icon: 'stop',
    done: 'cancelled',
    means: 'They run no more. Runs that are under way are cancelled, too.',
  },
  delete: {
    label: 'Delete',
    icon: 'trash',
    done: 'deleted',
    means: 'With all of their history. It cannot be taken back.',
  },
} as const satisfies Record<string, BulkWords>

export type BulkAction = keyof typeof bulkActions

export interface BulkReport {
  readonly action: BulkAction
  readonly changed: readonly string[] | number
  readonly failed: readonly { readonly job: string; readonly message: string }[]
}
