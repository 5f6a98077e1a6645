/** Executions as people make, change and read them. */
import type { AttemptOutcome } from '../../core/attempt/outcome.ts'
import type { Usage } from '../../core/attempt/usage.ts'
import type { Cause, Execution, ExecutionError } from '../../core/execution/execution.ts'
import type { ExecutionState, FinalState } from '../../core/execution/execution-state.ts'
import type { WaitFacts } from '../../core/execution/waits.ts'
import type { CountedSpan } from '../../core/history/spread.ts'
import type { FinishedRun, FoldedRuns } from '../../core/history/statistics.ts'
import type { TickRange } from '../../core/tick/account.ts'
import type { ChangeContext } from './jobs.ts'
import type { LogRow } from './work.ts'

export interface ExecutionStore {
  triggerJob(reference: string, trigger: Trigger, context: ChangeContext): Promise<Execution>
  backfillJob(reference: string, backfill: Backfill, context: ChangeContext): Promise<BackfillResult>
  cancelExecution(id: string, context: ChangeContext): Promise<Execution>
  retryExecution(id: string, retry: Retry, context: ChangeContext): Promise<Execution>
  findExecution(id: string): Promise<Execution | null>
  listExecutions(query: ExecutionQuery): Promise<Execution[]>
  /** New executions, running ones and those named, each as a short mark. */
  recentExecutions(query: RecentQuery): Promise<RecentExecutions>
  /** The newest finished runs of all jobs. */
  newestRuns(limit: number): Promise<FinishedRun[]>
  /** Those of one job, and how many there were beside those that are kept. */
  jobRuns(jobId: string, limit: number): Promise<{ runs: FinishedRun[]; folded: FoldedRuns }>
  /** Of each of these jobs that has executions, its last. */
  lastExecutions(jobIds: readonly string[], now: number): Promise<LastExecution[]>
  /** What each of these waits for. */
  readWaits(ids: readonly string[]): Promise<WaitingRow[]>
  listAttempts(executionId: string): Promise<AttemptRow[]>
  /** Of its attempts that were watched. */
  listUsages(executionId: string): Promise<UsageRow[]>
  /** Of a job's newest executions, `limit` of them, those that were watched. */
  jobUsages(jobId: string, limit: number): Promise<RunUsage[]>
  listLogs(executionId: string): Promise<LogRow[]>
  /** How executions ended, and ticks that had none, over a span. */
  readActivity(query: ActivityQuery): Promise<Activity>
  /** Runs that touch a span, newest first. */
  readTimeline(query: TimelineQuery): Promise<TimelineRow[]>
  /** The same with short runs that are close together as one. */
  mergeTimeline(query: MergeQuery): Promise<MergedTimeline>
  /** By state, as lists show it. */
  countExecutions(): Promise<Record<string, number>>
  countUnfinished(): Promise<Unfinished>
  /** @default 1,000 at most */
  listLeases(filter: 'active' | 'expired', now: number, limit?: number): Promise<Execution[]>
}

export interface Trigger {
  readonly id: string
  readonly force: boolean
  /** undefined: the job's own input. */
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface Retry {
  /** Of the new execution. */
  readonly id: string
  /** What was begun before it is kept; null: all that is decided, of one that has not completed. */
  readonly fromStep: string | null
}

export interface Backfill {
  readonly from: number
  readonly to: number
  readonly order: 'oldest_first' | 'newest_first'
  readonly limit: number
  readonly dryRun: boolean
}

export interface BackfillResult {
  readonly ticks: number
  readonly created: number
  readonly first: number | null
  readonly last: number | null
}

/** One condition on executions: any of the values, or with `negated` none of them. */
export interface ExecutionTerm {
  readonly by: 'job' | 'state' | 'queue' | 'cause' | 'node' | 'account'
  readonly values: readonly string[]
  readonly negated: boolean
}

export interface ExecutionQuery {
  readonly job?: string
  readonly state?: ExecutionState
  readonly queue?: string
  readonly terms?: readonly ExecutionTerm[]
  /** Made at or after, and before. */
  readonly from?: number
  readonly to?: number
  /** Ended at or after: by the same rule as the activity counts. */
  readonly ended?: number
  /** @default newest first */
  readonly oldestFirst?: boolean
  readonly limit: number
  /** The one before the first, in the order asked for. */
  readonly afterId?: string
}

/** What a watcher compares: whether an execution has moved on since it was seen last. */
export interface ExecutionMark {
  /** Grows with every new execution. */
  readonly seq: number
  readonly id: string
  readonly job: string
  readonly state: ExecutionState
  readonly attempt: number
  readonly progress: number | null
}

export interface RecentQuery {
  /** What is newer than this; */
  readonly afterSeq: number
  /** these, whatever their age; and what runs. */
  readonly ids: readonly string[]
  readonly limit: number
}

export interface RecentExecutions {
  readonly marks: readonly ExecutionMark[]
  /** There may be more than the limit. */
  readonly more: boolean
}

/** What a job's newest executions say of it. */
export interface LastExecution {
  /** The newest that does not merely wait for a later instant; where there is none, the newest. */
  readonly execution: Execution
  /** Of the newest, whatever it waits for. */
  readonly newestState: ExecutionState
  /** When the newest started one started. */
  readonly startedAt: number | null
}

/** What `waitsOf` asks the database about an execution. */
export interface WaitingRow extends Omit<WaitFacts, 'led' | 'slots'> {
  readonly id: string
}

export interface AttemptRow {
  readonly executionId: string
  readonly attempt: number
  readonly fence: number
  readonly nodeId: string | null
  readonly startedAt: number | null
  readonly finishedAt: number
  readonly outcome: AttemptOutcome
  readonly error: ExecutionError | null
}

/** What one attempt used: that of the claim with this fence. */
export interface UsageRow extends Usage {
  readonly executionId: string
  readonly fence: number
}

/** What the attempts of one execution used together. */
export interface RunUsage extends Usage {
  readonly id: string
  readonly state: ExecutionState
  readonly startedAt: number
}

export interface ActivityQuery {
  readonly from: number
  readonly to: number
  readonly bucketMs: number
  /** How many executions are read, newest first, and how many ranges. */
  readonly maxRows: number
}

export interface Activity {
  /** Of a bucket, by its begin: how many executions ended so. One bucket may stand here in several parts. */
  readonly ended: readonly {
    readonly at: number
    readonly state: FinishedRun['state']
    readonly count: number
  }[]
  /** Ranges of ticks that touch the span, with those whose executions are no longer kept. */
  readonly ranges: readonly TickRange[]
  /** Of the days that touch it: executions without a tick that are no longer kept. */
  readonly days: readonly (CountedSpan & { readonly state: FinalState })[]
  /** Before this instant there is more than was read. */
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

/** Runs of one job, node, state and cause that are shorter than a slot and begin in slots that touch are one. */
export interface MergeQuery extends TimelineQuery {
  readonly slotMs: number
}

export interface MergedTimeline {
  /** At most a stretch more than `limit`. */
  readonly runs: readonly MergedRun[]
  /** Where to go on; null where all of the span was read. */
  readonly beforeSeq: number | null
}

/** Of several, its id, seq and `scheduledFor` are those of the newest. */
export interface MergedRun extends TimelineRow {
  readonly count: number
}

/** Executions that run now, and those that wait. */
export interface Unfinished {
  readonly running: number
  readonly waiting: number
}
