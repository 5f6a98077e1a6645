/** The same action on all jobs that match, one after the other; what refuses is told and does not stop the rest. */
import { EvertickError } from '../../core/error.ts'
import type { Duration, Instant } from '../../core/schedule/schedule.ts'
import type { AppContext } from '../app-context.ts'
import type { ActorOptions } from '../change-context.ts'
import { refuseUnknown } from '../config/call-options.ts'
import type { Jobs } from './jobs.ts'
import { filterOf, type JobsFilter } from './list-jobs.ts'

export const bulkActions = ['pause', 'resume', 'cancel', 'delete', 'trigger', 'retry'] as const
export type BulkAction = (typeof bulkActions)[number]

export interface BulkProgress {
  readonly done: number
  readonly total: number
  readonly changed: number
  readonly failed: number
}

export interface BulkOptions extends ActorOptions {
  /** Only count the matches, and name the first. @default false */
  readonly dryRun?: boolean
  /** For `pause`: why. */
  readonly reason?: string
  /** For `pause`: when it ends. */
  readonly until?: Instant | Duration
  /** For `resume`. @default 'skip' */
  readonly catchUp?: 'skip' | 'policy' | 'latest' | 'all'
  /** How many matches the caller has seen: with another count nothing is done. */
  readonly confirm?: number
  readonly onProgress?: (progress: BulkProgress) => void
}

export interface BulkResult {
  readonly matched: number
  readonly changed: number
  readonly failed: readonly { readonly job: string; readonly message: string }[]
  /** For a dry run: the names of the first matches. */
  readonly first?: readonly string[]
}

const mostMatches = 1_000_000
const namedFirst = 20
/** The options of single actions; all others apply to every action. */
const optionsOf: Readonly<Partial<Record<BulkAction, readonly string[]>>> = {
  pause: ['reason', 'until'],
  resume: ['catchUp'],
}
const ofAll = ['actor', 'origin', 'dryRun', 'confirm', 'onProgress']

export async function bulkJobs(
  app: AppContext,
  jobs: Jobs,
  action: BulkAction,
  filter: JobsFilter,
  options: BulkOptions,
): Promise<BulkResult> {
  refuseUnknown(filter, ['state', 'tag', 'search', 'filter'], 'jobs.bulk')
  refuseUnknown(options, [...ofAll, ...(optionsOf[action] ?? [])], `jobs.bulk of ${action}`)
  const { actor = 'api', origin, dryRun = false, reason, until, catchUp, confirm, onProgress } = options
  const names = await app.store.jobs.matchingNames(filterOf(filter, app.clock.now()), mostMatches)
  if (confirm !== undefined && confirm !== names.length) throw changedMatches(confirm, names.length)
  if (dryRun) return { matched: names.length, changed: 0, failed: [], first: names.slice(0, namedFirst) }
  const given = {
    actor,
    ...(origin === undefined ? {} : { origin }),
    ...(reason === undefined ? {} : { reason }),
    ...(until === undefined ? {} : { until }),
    ...(catchUp === undefined ? {} : { catchUp }),
  }
  const failed: { job: string; message: string }[] = []
  for (const [index, name] of names.entries()) {
    try {
      await jobs[action](name, given)
    } catch (error) {
      if (!(error instanceof EvertickError)) throw error
      failed.push({ job: name, message: error.message })
    }
    const done = index + 1
    onProgress?.({ done, total: names.length, changed: done - failed.length, failed: failed.length })
  }
  return { matched: names.length, changed: names.length - failed.length, failed }
}

function changedMatches(seen: number, matched: number): EvertickError {
  return new EvertickError('matches_changed', `${matched} jobs match, not ${seen}: nothing was done.`, {
    field: 'confirm',
    next: 'Look again at what matches, and confirm that number.',
  })
}
