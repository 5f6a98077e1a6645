/** Jobs: definitions, revisions, lists and health. */

import type { EvertickError } from '../../core/error.ts'
import type { FinishedRun } from '../../core/history/statistics.ts'
import type { HealthCounts, HealthFacts } from '../../core/job/health.ts'
import type { Job, JobSpec } from '../../core/job/job.ts'
import type { JobState } from '../../core/job/job-state.ts'
import type { JobStatus } from '../../core/job/job-status.ts'

export interface JobStore {
  createJob(job: NewJob): Promise<Job>
  /** Settles what is due, then changes the job, in one transaction. */
  changeJob(reference: string, change: JobChange, context: ChangeContext): Promise<Job>
  /** The same change of many jobs, in one transaction that stays short: what became of the first of them, in order. */
  changeJobs(request: ChangeJobs): Promise<JobOutcome[]>
  /** By id or name; deleted jobs are not found. */
  findJob(reference: string): Promise<Job | null>
  listJobs(query: JobQuery): Promise<Job[]>
  /** In any order, from a place on. */
  pageJobs(query: JobPageQuery): Promise<PlacedJob[]>
  /** At most `cap`. */
  countMatches(filter: JobFilter, cap: number): Promise<number>
  /** The names of jobs that match, in their order. */
  matchingNames(filter: JobFilter, limit: number): Promise<string[]>
  /** How many jobs have each tag; the most frequent first. */
  countTags(limit: number): Promise<TagCount[]>
  /** Jobs changed at or after an instant, deleted ones too, oldest change first. */
  jobsChangedSince(since: number): Promise<JobMark[]>
  listRevisions(jobId: string): Promise<Revision[]>
  /** The definition that the manager of each of these jobs wrote last. */
  managedSpecs(jobIds: readonly string[]): Promise<ManagedSpec[]>
  /** By their states: cheap. */
  countJobs(): Promise<Record<string, number>>
  /** By the statuses that lists show. */
  countStatuses(now: number): Promise<Partial<Record<JobStatus, number>>>
  /** The health of each of these jobs. */
  readHealth(jobIds: readonly string[], now: number): Promise<JobHealth[]>
  countHealth(now: number): Promise<HealthCounts>
  /** The last runs of each job that ended by themselves, at most `limit`. */
  recentRuns(jobIds: readonly string[], limit: number): Promise<JobRun[]>
  /** Jobs that were paused before an instant, at most `limit`. */
  pausedBefore(at: number, limit: number): Promise<PausedJob[]>
}

export interface ChangeContext {
  readonly now: number
  /** Who: a user, a token, `code`, `cli`, a node. */
  readonly actor: string
  /** From where: the address of a caller, or a host. */
  readonly origin?: string
}

export interface NewJob {
  readonly id: string
  readonly name: string
  readonly spec: JobSpec
  readonly managedBy: string
  readonly managedHash: string | null
  readonly paused: boolean
  /** Ticks below the cursor that the job's previous life did not complete: they are caught up, oldest first. */
  readonly owed?: readonly OwedTick[]
  readonly context: ChangeContext
}

export interface OwedTick {
  readonly tickAt: number
  /** Tries that were begun: what was under way is not superseded by newer missed ticks. */
  readonly attempt: number
}

export type JobChange =
  /** What is left out is none; of an existing pause it stays as it is. */
  | { readonly kind: 'pause'; readonly reason?: string; readonly until?: number }
  | { readonly kind: 'resume'; readonly catchUp: 'skip' | 'policy' | 'latest' | 'all' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'disable'; readonly reason: string }
  | { readonly kind: 'enable' }
  | {
      readonly kind: 'edit'
      /** A function is given the job as it is once its row is held: of two edits at once, both count. */
      readonly spec: JobSpec | ((job: Job) => JobSpec)
      readonly managedBy?: string
      readonly managedHash?: string
    }
  | { readonly kind: 'reset_cursor' }

export interface ChangeJobs {
  /** A few hundred, by name. */
  readonly names: readonly string[]
  readonly change: Extract<JobChange, { kind: 'pause' | 'resume' | 'cancel' | 'delete' }>
  readonly context: ChangeContext
  /** Asked between jobs: what is left is not in the answer. */
  readonly outOfTime: () => boolean
}

export type JobOutcome =
  | { readonly became: 'changed'; readonly pause: Job['pause'] }
  | { readonly became: 'refused'; readonly error: EvertickError }
  /** Whether it is refused shows only after something was written: `changeJob` can take that back. */
  | { readonly became: 'left' }

export interface JobQuery {
  readonly state?: JobState
  readonly tag?: string
  readonly search?: string
  readonly limit: number
  readonly afterName?: string
}

/** One condition on jobs: any of the values, or with `negated` none of them. */
export type JobTerm =
  | {
      readonly by:
        | 'state'
        | 'status'
        | 'health'
        | 'tag'
        | 'queue'
        | 'managed'
        | 'zone'
        | 'handler'
        | 'schedule'
        /** Of the last execution: its state, or a word of its own. */
        | 'last'
      readonly values: readonly string[]
      readonly negated: boolean
    }
  /** A next run in `[from, to)`; null is open, both: any next run. */
  | {
      readonly by: 'next'
      readonly from: number | null
      readonly to: number | null
      readonly negated: boolean
    }

/** All of it must hold. */
export interface JobFilter {
  readonly terms: readonly JobTerm[]
  /** In the name. */
  readonly search?: string
  /** What is ready after this instant still waits. */
  readonly now: number
}

export type JobSort = 'name' | 'nextRunAt' | 'lastRunAt' | 'createdAt' | 'status'

/** Where a job stands in a sorted list. */
export interface JobPlace {
  /** Null comes last in both directions. */
  readonly value: string | number | null
  /** Decides between equals; empty where there are none. */
  readonly id: string
}

export interface JobPageQuery extends JobFilter {
  readonly sort: JobSort
  readonly descending: boolean
  readonly after?: JobPlace
  readonly limit: number
}

export interface PlacedJob {
  readonly job: Job
  readonly place: JobPlace
}

export interface TagCount {
  readonly tag: string
  readonly jobs: number
}

export interface JobMark {
  readonly id: string
  readonly name: string
  readonly revision: number
  readonly deleted: boolean
  /** Who is told of what may be another one now. */
  readonly isWebhook: boolean
  readonly updatedAt: number
}

export interface Revision {
  readonly revision: number
  readonly from: number
  readonly spec: JobSpec
  readonly changedBy: string
  readonly changedAt: number
  readonly tzVersion: string
}

export interface ManagedSpec {
  readonly jobId: string
  readonly spec: JobSpec
}

/** The facts that a job's health is derived from. */
export interface JobHealth extends HealthFacts {
  readonly jobId: string
  readonly failedAt: number | null
}

export interface JobRun extends FinishedRun {
  readonly jobId: string
}

export interface PausedJob {
  readonly name: string
  readonly since: number
}
