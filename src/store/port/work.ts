/** What workers do: enqueue, claim, keep, finish, and what the leader takes back. The hot path. */
import type { Ending } from '../../core/attempt/outcome.ts'
import type { ReadUsage, Usage } from '../../core/attempt/usage.ts'
import type { Cause } from '../../core/execution/execution.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { JobSpec } from '../../core/job/job.ts'
import type { NoticeType } from '../../core/notice/notice.ts'

export interface WorkStore {
  enqueueExecutions(rows: readonly NewExecution[], within?: CallerTransaction): Promise<Enqueued[]>
  /**
   * Enqueues it, without a unique key, as claimed and begun by a worker of this process that has a slot free and knows of
   * nothing that waits. Null where something speaks against that: then it waits to be claimed.
   */
  enqueueIntoSlot(row: NewExecution, offer: SlotOffer): Promise<ClaimedExecution | null>
  /** Decided by the row itself: one claim turns it to `running` and raises its fence. */
  claimExecutions(request: ClaimRequest): Promise<ClaimResult>
  extendLeases(request: ExtendRequest): Promise<ExtendResult>
  /** Executions of this node that somebody asked to stop. */
  findCancelRequests(nodeId: string): Promise<string[]>
  /** Marks reserved claims as started: their handlers are about to run. Returns those that are no longer ours. */
  startAttempts(claims: readonly Claim[], now: number): Promise<string[]>
  /**
   * A worker that reserves more than it has slots for opens this first, and again after a refusal. `nextPlace`: all below
   * it was handed out to this worker before.
   */
  openReserve(reserve: ReserveOf & { readonly nextPlace?: number }, now: number): Promise<Reserve>
  /**
   * Marks everything in the reserve up to a place as started, in one row. Decided by the reserve's turn: false where
   * somebody has taken something out of it, or asked it to stop, since it was opened. Then `startAttempts` decides.
   */
  beginReserved(request: BeginReserved): Promise<boolean>
  /** Writes the start of a run that began by its place into its own row. */
  noteStarts(starts: readonly (Claim & { readonly startedAt: number })[]): Promise<void>
  /**
   * Decided by (id, fence) of a running execution; a superseded holder is refused, and the refusal is kept. No execution
   * appears twice in one request.
   */
  finishAttempts(request: FinishRequest): Promise<FinishResult>
  /** Runs the handler's writes and its fenced completion as one transaction. */
  completeWithin<T>(request: CompleteWithin<T>): Promise<T>
  /** Takes back what no worker holds any more; also cancels what is past its start deadline. */
  expireLeases(request: ExpireRequest): Promise<ExpireResult>
  /** Gives back claims that never started, and releases what did not finish in time. */
  releaseClaims(claims: readonly Claim[], now: number): Promise<void>
  /** Releases blocked executions whose time has come or whose lane is free. */
  releaseBlocked(jobIds: readonly string[] | 'any', now: number): Promise<ReleaseResult>
  recordProgress(rows: readonly ProgressRow[]): Promise<void>
  appendLogs(rows: readonly LogRow[]): Promise<void>
}

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

/** A slot of a worker, which begins as soon as it hears that it was taken. */
export interface SlotOffer {
  readonly nodeId: string
  readonly queue: string
  readonly now: number
  readonly leaseMs: number
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
  /** It is raised whenever something is taken out of the reserve. */
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

export interface FinishedAttempt extends Claim {
  readonly attempt: number
  /** What the claim said of the row, and never changes: given, it saves reading the row back. */
  readonly claimed?: Pick<ClaimedExecution, 'jobId' | 'cause' | 'tickAt'>
  /** For one that has begun by its place in a reserve: its own row does not say so yet. */
  readonly startedAt?: number
  readonly ending: Ending
  readonly finishedAt: number
  /** Kept with the end, where somebody saw it. */
  readonly usage?: Usage
}

export interface FinishRequest {
  readonly nodeId: string
  readonly attempts: readonly FinishedAttempt[]
  readonly now: number
  readonly heard?: Heard
}

/** What webhooks listen to, as a node knows it: a change takes about a second to arrive. Left out, the database is asked. */
export type Heard = readonly NoticeType[]

export interface FinishResult extends Aftermath {
  /** Ids whose holder was superseded: nothing of theirs was written. */
  readonly refused: readonly string[]
  /** How many jobs had their lane moved on: something may be ready there. */
  readonly lanes: number
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
  readonly heard?: Heard
  readonly maxMs: number
  /** Asked once `run` has resolved. */
  readonly usage?: ReadUsage
  readonly clock: { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> }
  readonly run: (tx: Transaction) => Promise<T>
  /** The ending to write once `run` has resolved. */
  readonly ending: (result: T) => Ending
  /** Called after the commit. */
  readonly onEnded?: (after: Aftermath) => void
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
  /** Leases that end later than any node's lease could: they were written by a clock that was ahead. */
  readonly ahead: readonly SeenLease[]
  /** How long the leases of the nodes last, at most. */
  readonly longestLeaseMs: number
  /** Something is leased, blocked or has a deadline: look again soon. */
  readonly watching: boolean
}

/** What follows when executions have ended: somebody has to come again for it. */
export interface Aftermath {
  readonly releases: readonly ReleaseAt[]
  /** A fixedDelay job has its next due instant now. */
  readonly opened: boolean
}

export interface ReleaseAt {
  readonly jobId: string
  readonly at: number
}

export interface ReleaseResult {
  readonly released: number
  readonly releases: readonly ReleaseAt[]
}

export interface ProgressRow extends Claim {
  readonly progress: number
  readonly note: string | null
}

export interface LogRow {
  readonly executionId: string
  readonly at: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
}
