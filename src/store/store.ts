/**
 * The port: what the engine asks of a database, in domain verbs, batch in and batch out, `now` always given.
 * Types only. A verb that two nodes may run at once says in its comment what decides between them.
 */
import type { Execution } from '../core/execution/execution.ts'
import type { FinishedRun } from '../core/history/statistics.ts'
import type { HealthCounts } from '../core/job/health.ts'
import type { Job } from '../core/job/job.ts'
import type { JobStatus } from '../core/job/job-status.ts'
import type { LeaderTerm } from '../core/leader/term.ts'
import type { TickRange } from '../core/tick/account.ts'
import type { Explanation } from '../core/tick/explain.ts'
import type { HintTopic } from './hints.ts'
import type {
  AccountRequest,
  AccountResult,
  Backfill,
  BackfillResult,
  BeginExecution,
  BeginReserved,
  CallerTransaction,
  ChangeContext,
  Claim,
  ClaimRequest,
  ClaimResult,
  CompleteWithin,
  DueJobs,
  Enqueued,
  ExpireRequest,
  ExpireResult,
  ExtendRequest,
  ExtendResult,
  FinishRequest,
  FinishResult,
  JobChange,
  NewExecution,
  NewJob,
  PurgeRequest,
  PurgeResult,
  ReleaseResult,
  Reserve,
  ReserveOf,
  Trigger,
} from './messages.ts'
import type {
  Activity,
  ActivityQuery,
  JobFilter,
  JobHealth,
  JobPageQuery,
  JobRun,
  JobTick,
  LastExecution,
  ManagedSpec,
  MissedTicks,
  PausedJob,
  PlacedJob,
  TagCount,
  TickCell,
  TimelineQuery,
  TimelineRow,
  Unfinished,
  WaitingRow,
} from './readings.ts'
import type {
  AccessRow,
  AttemptRow,
  AuditLogQuery,
  AuditLogRow,
  AuditReport,
  ChainReport,
  CurrentLeader,
  ElectRequest,
  ExecutionQuery,
  HandlerChange,
  JobMark,
  JobQuery,
  KeptAnswer,
  KeptEnd,
  KeptRequest,
  LeaderLogQuery,
  LeaderLogRow,
  LeaderLogValues,
  LockRequest,
  LockRow,
  LogRow,
  MarkClaim,
  MarkRequest,
  NewAuditEntry,
  NodeRow,
  ProgressRow,
  QueueRow,
  RecentExecutions,
  RecentQuery,
  RenewRequest,
  Revision,
  RunQuery,
  RunRow,
  SealRequest,
  SealResult,
  TermRow,
  Touched,
} from './records.ts'

export type * from './messages.ts'
export type * from './readings.ts'
export type * from './records.ts'

export interface Store {
  readonly dialect: 'sqlite' | 'postgres' | 'mysql'
  /** What is still under way after `graceMs` is cut off; also in a close that has begun before. */
  close(graceMs?: number): Promise<void>
  ping(): Promise<void>
  /** A word that changes when another process has written: a hint to look, never a fact. */
  changes(): Promise<string>
  /**
   * Which hints of other nodes arrive by themselves at present: all, all but those of callers' own transactions, or none.
   * The fewer, the more often `changes` is worth asking.
   */
  readonly hears: 'all' | 'most' | 'nothing'
  /** What other nodes hint at, where something carries hints. Returns the function that takes the listener off again. */
  listen(listener: (topic: HintTopic) => void): () => void
  /** How long a handler's own transaction may stay open. */
  readonly longestTransactionMs: number
  /** How long it may keep every other write of this process waiting. */
  readonly longestHoldMs: number
  /** The database's own time; null where this host's clock is the database's. */
  time(): Promise<number | null>
  /** Everything written so far is durable, claims too: before work that must never run twice. */
  sync(): Promise<void>

  // --- executions: the hot path -----------------------------------------------------------------------------------
  enqueueExecutions(rows: readonly NewExecution[], within?: CallerTransaction): Promise<Enqueued[]>
  findDueJobs(until: number, limit: number): Promise<DueJobs>
  /** Decided by the leader's fence, and per job by (version, cursor). */
  accountTicks(request: AccountRequest): Promise<AccountResult>
  /** Decided by the row itself: one claim turns it to `running` and raises its fence. */
  claimExecutions(request: ClaimRequest): Promise<ClaimResult>
  extendLeases(request: ExtendRequest): Promise<ExtendResult>
  /** Executions of this node that somebody asked to stop. */
  findCancelRequests(nodeId: string): Promise<string[]>
  /** Marks reserved claims as started: their handlers are about to run. Returns those that are no longer ours. */
  startAttempts(claims: readonly Claim[], now: number): Promise<string[]>
  /** A worker that reserves more than it has slots for opens this first, and again after a refusal. */
  openReserve(reserve: ReserveOf, now: number): Promise<Reserve>
  /**
   * Marks everything in the reserve up to a place as started, in one row. Decided by the reserve's turn: false where
   * somebody has taken something out of it, or asked it to stop, since it was opened. Then `startAttempts` decides.
   */
  beginReserved(request: BeginReserved): Promise<boolean>
  /** Writes the start of a run that began by its place into its own row. */
  noteStarts(starts: readonly (Claim & { readonly startedAt: number })[]): Promise<void>
  /**
   * Decided by (id, fence) of a running execution; a superseded holder is refused, and the refusal is kept. No execution
   * stands twice in one request.
   */
  finishAttempts(request: FinishRequest): Promise<FinishResult>
  /** Makes an execution that runs already, under the caller's own lease. Ended by `finishAttempts`, like any other. */
  beginExecution(begin: BeginExecution): Promise<Claim>
  /** New metadata for what is held. False where the claim is no longer the caller's. */
  describeExecution(claim: Claim, metadata: Readonly<Record<string, unknown>>): Promise<boolean>
  /** Takes back what no worker holds any more; also cancels what is past its start deadline. */
  expireLeases(request: ExpireRequest): Promise<ExpireResult>
  /** Gives back claims that never started, and stops holding what did not finish in time. */
  releaseClaims(claims: readonly Claim[], now: number): Promise<void>
  /** Moves blocked executions on where their time has come or their lane is free. */
  releaseBlocked(jobIds: readonly string[] | 'any', now: number): Promise<ReleaseResult>
  purgeHistory(request: PurgeRequest): Promise<PurgeResult>
  /** Removes what is older of one job, by the rules of retention; returns how many executions went. */
  purgeJob(reference: string, ageMs: number, now: number): Promise<number>
  recordProgress(rows: readonly ProgressRow[]): Promise<void>
  appendLogs(rows: readonly LogRow[]): Promise<void>

  // --- jobs -------------------------------------------------------------------------------------------------------
  createJob(job: NewJob): Promise<Job>
  /** Settles what is due, then changes the job, in one transaction. */
  changeJob(reference: string, change: JobChange, context: ChangeContext): Promise<Job>
  triggerJob(reference: string, trigger: Trigger, context: ChangeContext): Promise<Execution>
  backfillJob(reference: string, backfill: Backfill, context: ChangeContext): Promise<BackfillResult>
  /** By id or name; deleted jobs are not found. */
  findJob(reference: string): Promise<Job | null>
  listJobs(query: JobQuery): Promise<Job[]>
  /** In any order, from a place on. */
  pageJobs(query: JobPageQuery): Promise<PlacedJob[]>
  /** At most `cap`. */
  countMatches(filter: JobFilter, cap: number): Promise<number>
  /** The names of jobs that match, in their order. */
  matchingNames(filter: JobFilter, limit: number): Promise<string[]>
  /** The last entries of each job's ledger, at most `limit`, oldest first. */
  recentTicks(jobIds: readonly string[], limit: number): Promise<JobTick[]>
  /** The last runs of each job that ended by themselves, at most `limit`. */
  recentRuns(jobIds: readonly string[], limit: number): Promise<JobRun[]>
  /** How many jobs have each tag; the most frequent first. */
  countTags(limit: number): Promise<TagCount[]>
  /** Jobs changed at or after an instant, deleted ones too, oldest change first. */
  jobsChangedSince(since: number): Promise<JobMark[]>
  listRevisions(jobId: string): Promise<Revision[]>
  /** The definition that the manager of each of these jobs wrote last. */
  managedSpecs(jobIds: readonly string[]): Promise<ManagedSpec[]>
  explainTicks(
    reference: string,
    from: number,
    to: number,
    limit: number,
    now: number,
  ): Promise<Explanation & { job: Job }>
  /** Proves the invariant of every job, in slices; `onProgress` hears how many are done. */
  auditLedger(options: { onProgress?: (done: number, total: number) => void }): Promise<AuditReport>
  jobRuns(jobId: string | null, limit: number): Promise<FinishedRun[]>
  /** By their states, at no cost. */
  countJobs(): Promise<Record<string, number>>
  /** By the statuses that lists show. */
  countStatuses(now: number): Promise<Partial<Record<JobStatus, number>>>
  /** How each of these jobs does. */
  readHealth(jobIds: readonly string[], now: number): Promise<JobHealth[]>
  countHealth(now: number): Promise<HealthCounts>
  countExecutions(): Promise<Record<string, number>>

  // --- executions, for people -------------------------------------------------------------------------------------
  findExecution(id: string): Promise<Execution | null>
  listExecutions(query: ExecutionQuery): Promise<Execution[]>
  /** New executions, running ones and those named, each as a short mark. */
  recentExecutions(query: RecentQuery): Promise<RecentExecutions>
  /** What has begun, newest first: by when it began, not by when it was made. */
  listRuns(query: RunQuery): Promise<RunRow[]>
  /** Of each job its newest, at most `limit`. */
  finishedRuns(query: RunQuery): Promise<FinishedRun[]>
  /** Of each of these jobs that has executions, its last. */
  lastExecutions(jobIds: readonly string[], now: number): Promise<LastExecution[]>
  /** What stands in the way of each of these. */
  readWaits(ids: readonly string[]): Promise<WaitingRow[]>
  listAttempts(executionId: string): Promise<AttemptRow[]>
  listLogs(executionId: string): Promise<LogRow[]>
  /** How executions ended, and ticks that had none, over a span. */
  readActivity(query: ActivityQuery): Promise<Activity>
  /** Runs that touch a span, newest first. */
  readTimeline(query: TimelineQuery): Promise<TimelineRow[]>
  /** A job's ticks of `[from, to)` that have an execution, by slots of `slotMs`; late are those begun after `lateMs`. */
  countTicks(jobId: string, from: number, to: number, slotMs: number, lateMs: number): Promise<TickCell[]>
  /** Ranges of a job's ticks that touch `[from, to)`. */
  tickRanges(jobId: string, from: number, to: number): Promise<TickRange[]>
  countUnfinished(): Promise<Unfinished>
  /** Jobs that were paused before an instant, at most `limit`. */
  pausedBefore(at: number, limit: number): Promise<PausedJob[]>
  /** By job, what a term found missed when it began. */
  missedTicks(termId: number): Promise<MissedTicks[]>
  cancelExecution(id: string, context: ChangeContext): Promise<Execution>
  retryExecution(id: string, newId: string, context: ChangeContext): Promise<Execution>
  /** @default 1,000 at most */
  listLeases(filter: 'active' | 'expired', now: number, limit?: number): Promise<Execution[]>

  // --- leadership, locks, nodes, queues -----------------------------------------------------------------------------
  /** Takes the leader's lock where it is free or expired, and writes the new term in the same transaction. */
  electLeader(request: ElectRequest): Promise<LeaderTerm | null>
  /** False where the term is no longer ours: stop deciding at once. */
  renewTerm(request: RenewRequest): Promise<boolean>
  endTerm(termId: number, holder: string, now: number): Promise<void>
  markMissedHandled(termId: number, now: number): Promise<boolean>
  currentLeader(): Promise<CurrentLeader | null>
  listTerms(query: { instance?: string; limit: number }): Promise<TermRow[]>
  /** The log as a table, for `SchedulerLeaderLogModel`: it neither takes nor ends anybody's lead. */
  insertLeaderLog(values: LeaderLogValues, now: number): Promise<LeaderLogRow>
  /** How many rows it changed. */
  updateLeaderLog(where: LeaderLogValues, values: LeaderLogValues, now: number): Promise<number>
  findLeaderLog(query: LeaderLogQuery): Promise<LeaderLogRow[]>
  /** Decided by the mark's row: its fence only grows, and what is enqueued stays so. */
  claimMark(request: MarkRequest): Promise<MarkClaim>
  /** False where a later leader has claimed it meanwhile. */
  finishMark(request: MarkRequest): Promise<boolean>
  /** Removes up to `limit` marks that have expired, and says how many. */
  purgeMarks(now: number, limit: number): Promise<number>
  acquireLock(request: LockRequest): Promise<{ fence: number } | null>
  extendLock(name: string, token: string, expiresAt: number, now: number): Promise<boolean>
  /** An operator's release is no holder's: it has no token, and is written down. */
  releaseLock(name: string, token: string | null, by?: ChangeContext): Promise<boolean>
  listLocks(): Promise<LockRow[]>
  /** Frees the locks of this prefix whose time was over at `now`, and no other: decided by `expires_at`. */
  clearExpiredLocks(prefix: string, now: number): Promise<number>
  /** Returns the newest migration that the database has. */
  registerNode(node: NodeRow, handlers: readonly string[]): Promise<number>
  /** Only what has changed of a node's handlers. False where the node is not known: it has to register. */
  changeHandlers(id: string, change: HandlerChange): Promise<boolean>
  /** Nodes not seen for `lostMs` are cleared away, unless something is still leased to them. */
  touchNode(id: string, now: number, lostMs: number): Promise<Touched>
  removeNode(id: string): Promise<void>
  listNodes(): Promise<NodeRow[]>
  /** The handlers that some node has. */
  listHandlers(): Promise<string[]>
  /** Jobs that nobody names or can run any more, since before `since`. */
  findOrphans(since: number, now: number): Promise<string[]>
  listQueues(): Promise<QueueRow[]>
  pauseQueue(name: string, reason: string | null, context: ChangeContext): Promise<void>
  resumeQueue(name: string, context: ChangeContext): Promise<void>
  listAuditLog(query: AuditLogQuery): Promise<AuditLogRow[]>
  /** What changed nothing and is written down all the same. */
  appendAuditLog(entries: readonly NewAuditEntry[]): Promise<void>
  /** Decided by the leader's fence, and by the number of the seal: each is made once. */
  sealAuditLog(request: SealRequest): Promise<SealResult>
  /** Recomputes every seal, in slices; `head` is a hash that one of them shall have. */
  verifyAuditLog(options: { head?: string }): Promise<ChainReport>
  /** Removes the entries of seals made before an instant, whole seals only; says how many entries went. */
  purgeAuditLog(before: number, context: ChangeContext): Promise<number>

  // --- callers of the API -------------------------------------------------------------------------------------------
  /** False where its parent was taken back meanwhile: then it is not written. */
  addAccess(access: AccessRow, origin?: string): Promise<boolean>
  findAccess(id: string): Promise<AccessRow | null>
  /** Of these ids, those that nobody has taken back and that have not ended. */
  liveAccess(ids: readonly string[], now: number): Promise<string[]>
  listAccess(kind: AccessRow['kind'], now: number): Promise<AccessRow[]>
  /** With everything that was made with it. The ids of all; none where there was nothing to take back. */
  revokeAccess(id: string, context: ChangeContext): Promise<string[]>
  /** Decided by the row itself: a link is used once. */
  redeemLink(id: string, now: number): Promise<AccessRow | null>
  beginKept(request: KeptRequest): Promise<KeptAnswer>
  /** Writes nothing where another has taken the key over meanwhile. */
  endKept(request: KeptRequest, end: KeptEnd): Promise<void>
  /** Removes what nobody can use or ask for any more. */
  purgeAccess(now: number): Promise<number>

  /** Runs the handler's writes and its fenced completion as one transaction. */
  completeWithin<T>(request: CompleteWithin<T>): Promise<T>
}
