/**
 * The same action on all jobs that match; what refuses is told and does not stop the rest. Changes of jobs go by the
 * hundred, several in a transaction; what makes runs goes one after the other.
 */
import { EvertickError } from '../../../core/error.ts'
import type { JobOutcome } from '../../../store/store.ts'
import type { AppContext } from '../../app-context.ts'
import { type ActorOptions, changeContext } from '../../change-context.ts'
import { refuseUnknown } from '../../config/call-options.ts'
import type { Jobs } from '../jobs.ts'
import { filterOf, type JobsFilter } from '../list-jobs.ts'
import {
  changeOf,
  type PauseOptions,
  type PlainChange,
  type ResumeOptions,
  tellChange,
} from './job-changes.ts'

export const bulkActions = ['pause', 'resume', 'cancel', 'delete', 'trigger', 'retry'] as const
export type BulkAction = (typeof bulkActions)[number]

export interface BulkProgress {
  readonly done: number
  readonly total: number
  readonly changed: number
  readonly failed: number
}

/** Those of `pause` and `resume` only with these. */
export interface BulkOptions extends ActorOptions, PauseOptions, ResumeOptions {
  /** Only count the matches, and name the first. @default false */
  readonly dryRun?: boolean
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
/** Others wait for a batch: for these jobs, and on SQLite for its writer. */
const jobsAtOnce = 500
const batchMs = 100
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
  const report = new Report(names.length, onProgress)
  if (action === 'trigger' || action === 'retry') {
    for (const name of names) await report.of(name, () => jobs[action](name, given))
    return report.result()
  }
  for (let done = 0; done < names.length; ) {
    const batch = names.slice(done, done + jobsAtOnce)
    const outcomes = await changeBatch(app, action, batch, given)
    for (const [index, outcome] of outcomes.entries()) {
      const name = batch[index] ?? ''
      await report.of(name, async () => {
        if (outcome.became === 'refused') throw outcome.error
        if (outcome.became === 'left') await jobs[action](name, given)
        else tellChange(app, action, name, outcome.pause)
      })
    }
    done += outcomes.length
  }
  return report.result()
}

/** What became of the first jobs of a batch, in their order: of as many as its time allowed. */
async function changeBatch(
  app: AppContext,
  action: PlainChange['kind'],
  names: readonly string[],
  given: ActorOptions & PauseOptions & ResumeOptions,
): Promise<readonly JobOutcome[]> {
  const context = changeContext(app, given)
  // From when the batch runs, not from when it began to wait for the writer.
  let startedAt: number | null = null
  const outOfTime = () => {
    startedAt ??= app.clock.monotonic()
    return app.clock.monotonic() - startedAt > batchMs
  }
  const change = changeOf(action, given, context.now)
  const outcomes = await app.store.jobs.changeJobs({ names, change, context, outOfTime })
  app.jobChanged()
  return outcomes
}

class Report {
  readonly #total: number
  readonly #onProgress: BulkOptions['onProgress']
  readonly #failed: { job: string; message: string }[] = []
  #done = 0

  constructor(total: number, onProgress: BulkOptions['onProgress']) {
    this.#total = total
    this.#onProgress = onProgress
  }

  async of(job: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof EvertickError)) throw error
      this.#failed.push({ job, message: error.message })
    }
    this.#done += 1
    this.#onProgress?.({ done: this.#done, total: this.#total, ...this.#counts() })
  }

  result(): BulkResult {
    return { matched: this.#total, changed: this.#counts().changed, failed: this.#failed }
  }

  #counts(): Pick<BulkProgress, 'changed' | 'failed'> {
    return { changed: this.#done - this.#failed.length, failed: this.#failed.length }
  }
}

function changedMatches(seen: number, matched: number): EvertickError {
  return new EvertickError('matches_changed', `${matched} jobs match, not ${seen}: nothing was done.`, {
    field: 'confirm',
    next: 'Look again at what matches, and confirm that number.',
  })
}
