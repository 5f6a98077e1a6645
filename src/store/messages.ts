/**
 * What goes into the verbs of the port and what comes out of them.
 */
import type { Ending } from '../core/attempt/outcome.ts'
import type { Cause } from '../core/execution/execution.ts'
import type { ExecutionState } from '../core/execution/execution-state.ts'
import type { Job, JobSpec } from '../core/job/job.ts'
import type { Repair } from '../core/leader/term.ts'
import type { Account, RangeReason } from '../core/tick/account.ts'

/** The caller's own transaction: a driver connection, or anything with `query`. */
export type CallerTransaction = object

export interface NewExecution {
  readonly id: string
  readonly jobName: string
  readonly cause: Extract<Cause, 'enqueue'>
  readonly scheduledFor: number
  readonly readyAt: number
  readonly queue: string | null
  readonly priority: number | null
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly uniqueKey: string | null
  readonly createdAt: number
}

export interface Enqueued {
  readonly id: string
  /** False where an unfinished execution with the same unique key stands for this one. */
  readonly created: boolean
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

export interface Fence {
  readonly termId: number
  readonly holder: string
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

export interface ReleaseAt {
  readonly jobId: string
  readonly at: number
}

/** What follows when executions have ended: somebody has to come again for it. */
export interface Aftermath {
  readonly releases: readonly ReleaseAt[]
  /** A fixedDelay job has its next due instant now. */
  readonly opened: boolean
}

export interface ReleaseResult {
  readonly released: number
  readonly releases: readonly ReleaseAt[]
}

export interface Claim {
  readonly id: string
  readonly fence: number
}

export interface ClaimRequest {
  readonly nodeId: string
  readonly queue: string
  /** At most this many rows; the first `start` of them start in the claim, the others are only reserved. */
  readonly limit: number
  readonly start: number
  readonly now: number
  /** Rows that become ready by then may be claimed early. */
  readonly readyBy: number
  readonly leaseMs: number
  /** The place of the first that is only reserved, where the worker keeps a reserve. */
  readonly reserveFrom?: number
  /** Where nothing more is to be claimed, what becomes ready until then is counted. */
  readonly upcomingBy?: number
}

export interface ClaimedExecution extends Claim {
  readonly jobId: string
  readonly jobName: string
  readonly spec: JobSpec
  readonly cause: Cause
  readonly scheduledFor: number
  readonly tickAt: number | null
  readonly readyAt: number
  readonly startBy: number | null
  readonly attempt: number
  /** As it was when the execution was made: an edit of the job holds for later ones. */
  readonly maxAttempts: number
  readonly started: boolean
  /** In its worker's reserve; null where it has started, or its worker keeps none. */
  readonly place: number | null
  readonly caughtUpIndex: number | null
  readonly caughtUpOf: number | null
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly idempotencyKey: string
  readonly leasedUntil: number
  /** The job's next tick, where its runs must not overlap: it caps the back-off. */
  readonly nextTickAt: number | null
}

export interface ClaimResult {
  readonly claimed: readonly ClaimedExecution[]
  /** When the next row of this queue becomes ready, where none is now. */
  readonly nextReadyAt: number | null
  /** How many become ready by `upcomingBy`, counted up to the limit of each priority. */
  readonly upcoming: number
}

/** Whose reserve, and of which queue. */
export interface ReserveOf {
  readonly nodeId: string
  readonly queue: string
}

export interface Reserve {
  /** Whoever takes something out of the reserve raises it. */
  readonly turn: number
  /** Places count on from here. */
  readonly fromPlace: number
}

export interface BeginReserved extends ReserveOf {
  readonly turn: number
  /** Everything in the reserve up to this place begins. */
  readonly upTo: number
  readonly now: number
}

export interface ExtendRequest {
  readonly claims: readonly Claim[]
  readonly leasedUntil: number
  readonly now: number
}

export interface ExtendResult {
  /** Claims that are no longer ours. */
  readonly lost: readonly string[]
  /** Executions that somebody asked to stop. */
  readonly cancelled: readonly string[]
}

/** A run that its caller does by itself, under its own lease. */
export interface BeginExecution {
  readonly id: string
  /** The job's id or name. */
  readonly job: string
  readonly holder: string
  readonly leaseMs: number
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly now: number
}

export interface FinishedAttempt extends Claim {
  readonly attempt: number
  /** What the claim said of the row, and never changes: given, it saves reading the row back. */
  readonly claimed?: Pick<ClaimedExecution, 'jobId' | 'cause' | 'tickAt'>
  /** For one that has begun by its place in a reserve: its own row does not say so yet. */
  readonly startedAt?: number
  readonly ending: Ending
  readonly finishedAt: number
}

export interface FinishRequest {
  readonly nodeId: string
  readonly attempts: readonly FinishedAttempt[]
  readonly now: number
}

export interface FinishResult extends Aftermath {
  /** Ids whose holder was superseded: nothing of theirs was written. */
  readonly refused: readonly string[]
  /** How many jobs had their lane moved on: something may be ready there. */
  readonly lanes: number
}

export interface ExpireRequest {
  readonly now: number
  readonly limit: number
  readonly random: () => number
  /** Leases that never expire, but stand still: they are taken back if they are still the same. */
  readonly silent?: readonly SeenLease[]
}

export interface SeenLease extends Claim {
  readonly leasedUntil: number
}

export interface ExpireResult extends Aftermath {
  readonly expired: readonly { id: string; jobName: string; state: ExecutionState; leasedBy: string | null }[]
  readonly deadlined: number
  /** Leases that reach further than any node's lease lasts: a clock that was ahead has dated them. */
  readonly ahead: readonly SeenLease[]
  /** How long the leases of the nodes last, at most. */
  readonly longestLeaseMs: number
  /** Something is leased, blocked or has a deadline: look again soon. */
  readonly watching: boolean
}

export interface PurgeRequest {
  readonly afterJobId: string | null
  readonly jobs: number
  readonly now: number
}

export interface PurgeResult {
  /** Where to go on; null when every job has been looked at. */
  readonly lastJobId: string | null
  readonly executions: number
  readonly ranges: number
}

export interface NewJob {
  readonly id: string
  readonly name: string
  readonly spec: JobSpec
  readonly managedBy: string
  readonly managedHash: string | null
  readonly paused: boolean
  /** Ticks below the cursor that a former life of the job did not get done: they are caught up, oldest first. */
  readonly owed?: readonly OwedTick[]
  readonly context: ChangeContext
}

export interface OwedTick {
  readonly tickAt: number
  /** Tries that were begun: what was under way is not superseded by newer missed ticks. */
  readonly attempt: number
}

export interface ChangeContext {
  readonly now: number
  /** Who: a user, a token, `code`, `cli`, a node. */
  readonly actor: string
  /** From where: the address of a caller, or a host. */
  readonly origin?: string
}

export type JobChange =
  /** What is not given is none; of a pause that is there, it stays. */
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

export interface Trigger {
  readonly id: string
  readonly force: boolean
  /** undefined: the job's own input. */
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>>
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

/** What `ctx.transaction` hands to the handler. */
export interface Transaction {
  /** Portable: values become parameters. */
  sql(strings: TemplateStringsArray, ...values: unknown[]): Promise<Record<string, unknown>[]>
  /** The driver's dialect. */
  query(text: string, params?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** The driver's connection, for an ORM. */
  readonly client: unknown
}

export interface CompleteWithin<T> {
  readonly claim: Claim & Pick<FinishedAttempt, 'attempt' | 'startedAt'>
  readonly nodeId: string
  readonly maxMs: number
  readonly clock: { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> }
  readonly run: (tx: Transaction) => Promise<T>
  /** The ending to write once `run` has resolved. */
  readonly ending: (result: T) => Ending
  /** Told after the commit. */
  readonly onEnded?: (after: Aftermath) => void
}
