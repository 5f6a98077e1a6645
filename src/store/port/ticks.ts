/** Ticks and their accounts: what is due, the ledger, its proof and its retention. */
import type { Execution } from '../../core/execution/execution.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { Step } from '../../core/execution/step.ts'
import type { Job } from '../../core/job/job.ts'
import type { Repair } from '../../core/leader/term.ts'
import type { Account, RangeReason, TickRange } from '../../core/tick/account.ts'
import type { Explanation } from '../../core/tick/explain.ts'
import type { Finding } from '../../core/tick/ledger.ts'
import type { Fence } from './cluster.ts'
import type { AttemptRow, UsageRow } from './executions.ts'
import type { LogRow, ReleaseAt } from './work.ts'

export interface TickStore {
  findDueJobs(until: number, limit: number): Promise<DueJobs>
  /** Decided by the leader's fence, and per job by (version, cursor). */
  accountTicks(request: AccountRequest): Promise<AccountResult>
  /** What became of each tick of `[from, to)`, at most `limit` of them, and why. */
  explainSpan(
    reference: string,
    from: number,
    to: number,
    limit: number,
    now: number,
  ): Promise<Explanation & { job: Job }>
  /** Proves the invariant of every job, in slices; `onProgress` hears how many are done. */
  auditLedger(options: { onProgress?: (done: number, total: number) => void }): Promise<AuditReport>
  /**
   * A job's ticks of `[from, to)`: those that have an execution by slots of `slotMs`, late ones being those begun after
   * `lateMs`, and the ranges that touch the span. Both of one moment, or a fold between them would count ticks twice.
   */
  countTicks(jobId: string, from: number, to: number, slotMs: number, lateMs: number): Promise<CountedTicks>
  /** The last entries of each job's ledger, at most `limit`, oldest first. */
  recentTicks(jobIds: readonly string[], limit: number): Promise<JobTick[]>
  /** By job, what a term found missed when it began. */
  missedTicks(termId: number): Promise<MissedTicks[]>
  purgeHistory(request: PurgeRequest): Promise<PurgeResult>
}

export interface DueJob {
  readonly id: string
  readonly version: number
  readonly nextDueAt: number
}

export interface DueJobs {
  readonly jobs: readonly DueJob[]
  /** The next instant after `until` at which a job is due. */
  readonly nextDueAt: number | null
}

export interface AccountRequest {
  readonly leader: Fence
  readonly termStartAt: number
  readonly jobs: readonly DueJob[]
  readonly now: number
  readonly aheadMs: number
  /** When the next catch-up of the cluster may start, and how far apart they are. */
  readonly catchUpFrom: number
  readonly catchUpEveryMs: number
  /** A batch ends, between jobs, after this many executions or this long. */
  readonly maxExecutions: number
  readonly outOfTime: () => boolean
}

export interface AccountedTick {
  readonly jobId: string
  readonly jobName: string
  readonly executions: number
  readonly ranges: number
  readonly ticks: number
  /** The same ticks, by what became of them. */
  readonly accounts: readonly AccountedCount[]
}

export interface AccountedCount {
  readonly account: Account
  /** Of a skipped or coalesced tick. */
  readonly reason: RangeReason | null
  readonly ticks: number
}

export interface AccountResult {
  /** False where the fence refused: another node leads. */
  readonly led: boolean
  /** How many of the request's jobs were dealt with; the rest of them comes in the next batch. */
  readonly done: number
  readonly accounted: readonly AccountedTick[]
  /** Jobs whose version or cursor had moved on: read them again. */
  readonly stale: number
  readonly catchUps: number
  readonly repair: Repair
  /** The earliest instant at which one of these jobs has something to decide. */
  readonly nextDueAt: number | null
  readonly readyAt: number | null
  /** Chains whose head only waits for its time. */
  readonly releases: readonly ReleaseAt[]
}

export interface AuditFinding extends Finding {
  readonly job: string
}

export interface AuditReport {
  readonly jobs: number
  readonly ticks: number
  readonly executions: number
  readonly ranges: number
  readonly unaccounted: number
  readonly doubled: number
  readonly unverifiable: number
  readonly findings: readonly AuditFinding[]
}

/** The ticks of one slot that have an execution and the same account, state and lateness. */
export interface TickCell {
  readonly at: number
  readonly account: 'fired' | 'caught_up'
  readonly state: ExecutionState
  readonly late: boolean
  readonly count: number
}

export interface CountedTicks {
  readonly cells: readonly TickCell[]
  readonly ranges: readonly TickRange[]
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

/** What a term found missed of one job. */
export interface MissedTicks {
  readonly job: string
  readonly caughtUp: number
  readonly coalesced: number
  readonly skipped: number
  readonly reasons: readonly string[]
}

export interface PurgeRequest {
  readonly afterJobId: string | null
  readonly jobs: number
  readonly now: number
  /** Called before the commit with what it removes; maybe again with the same. If it throws, nothing is removed. */
  readonly archive?: Archive | undefined
}

/** Returns once it is on the disk. */
export type Archive = (removed: readonly RemovedExecution[]) => void

/** An execution that is no longer kept, with what goes with it. */
export interface RemovedExecution {
  readonly execution: Execution
  readonly attempts: readonly AttemptRow[]
  /** What they used. */
  readonly usages: readonly UsageRow[]
  readonly steps: readonly Step[]
  readonly logs: readonly LogRow[]
}

export interface PurgeResult {
  /** Where to go on; null when every job has been looked at. */
  readonly lastJobId: string | null
  /** How many went: what became of their ticks is in the ledger. */
  readonly executions: number
  /** How many rows of ledgers went. */
  readonly ranges: number
}
