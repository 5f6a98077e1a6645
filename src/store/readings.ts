/**
 * What lists and pictures ask of the database: filters, pages, and rows that carry no more than is shown.
 */
import type { Cause, Execution } from '../core/execution/execution.ts'
import type { ExecutionState } from '../core/execution/execution-state.ts'
import type { WaitFacts } from '../core/execution/waits.ts'
import type { FinishedRun } from '../core/history/statistics.ts'
import type { HealthFacts } from '../core/job/health.ts'
import type { Job, JobSpec } from '../core/job/job.ts'
import type { Account, TickRange } from '../core/tick/account.ts'

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
  /** Null stands last, whichever way the list goes. */
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

/** One condition on executions: any of the values, or with `negated` none of them. */
export interface ExecutionTerm {
  readonly by: 'job' | 'state' | 'queue' | 'cause' | 'node' | 'account'
  readonly values: readonly string[]
  readonly negated: boolean
}

/** An entry of a job's ledger: a tick with its execution, or a range of ticks without. */
export interface JobTick {
  readonly jobId: string
  readonly from: number
  readonly to: number
  readonly count: number
  readonly account: Account
  readonly reason: string | null
  readonly executionId: string | null
  readonly state: ExecutionState | null
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

/** What a job's newest executions say of it. */
export interface LastExecution {
  /** The newest that does not merely wait for a later instant; where there is none, the newest. */
  readonly execution: Execution
  /** Of the newest, whatever it waits for. */
  readonly newestState: ExecutionState
  /** When the newest that has begun did. */
  readonly startedAt: number | null
}

export interface ManagedSpec {
  readonly jobId: string
  readonly spec: JobSpec
}

export interface JobRun extends FinishedRun {
  readonly jobId: string
}

export interface TagCount {
  readonly tag: string
  readonly jobs: number
}

export interface ActivityQuery {
  readonly from: number
  readonly to: number
  readonly bucketMs: number
  /** Executions that are looked at, newest first; ranges, too. */
  readonly maxRows: number
}

export interface Activity {
  /** Of a bucket, by its begin: how many executions ended so. One bucket may stand here in several parts. */
  readonly ended: readonly {
    readonly at: number
    readonly state: FinishedRun['state']
    readonly count: number
  }[]
  /** Ranges of ticks that touch the span. */
  readonly ranges: readonly TickRange[]
  /** Before it there was more than was looked at. */
  readonly coveredFrom: number
}

export interface TimelineQuery {
  readonly from: number
  readonly to: number
  /** By id or name. */
  readonly job?: string
  readonly limit: number
  readonly beforeSeq?: number
  /** How much earlier than `from` an execution may have been made. */
  readonly lookBackMs: number
  readonly maxRows: number
}

export interface TimelineRow {
  readonly seq: number
  readonly id: string
  readonly jobId: string
  readonly job: string
  readonly state: ExecutionState
  readonly cause: Cause
  readonly nodeId: string | null
  readonly startedAt: number
  readonly finishedAt: number | null
  readonly scheduledFor: number
  readonly attempt: number
}

/** The ticks with an execution that fall into one slot and went the same way. */
export interface TickCell {
  readonly at: number
  readonly account: 'fired' | 'caught_up'
  readonly state: ExecutionState
  readonly late: boolean
  readonly count: number
}

/** What the health of a job is told from. */
export interface JobHealth extends HealthFacts {
  readonly jobId: string
  readonly failedAt: number | null
}

/** What `waitsOf` asks the database about an execution. */
export interface WaitingRow extends Omit<WaitFacts, 'led' | 'slots'> {
  readonly id: string
}

/** Executions that run now, and those that wait. */
export interface Unfinished {
  readonly running: number
  readonly waiting: number
}

export interface PausedJob {
  readonly name: string
  readonly since: number
}

/** What a term had to make good of one job. */
export interface MissedTicks {
  readonly job: string
  readonly caughtUp: number
  readonly coalesced: number
  readonly skipped: number
  readonly reasons: readonly string[]
}
