/**
 * Rows as people and programs read them, leadership, locks and nodes among them.
 */
import type { AccessRole } from '../core/access/access-role.ts'
import type { Execution, ExecutionError } from '../core/execution/execution.ts'
import type { ExecutionState } from '../core/execution/execution-state.ts'
import type { Job, JobSpec } from '../core/job/job.ts'
import type { JobState } from '../core/job/job-state.ts'
import type { LeaderTerm, Repair } from '../core/leader/term.ts'
import type { Finding } from '../core/tick/ledger.ts'
import type { Claim, Fence } from './messages.ts'
import type { ExecutionTerm } from './readings.ts'

/** A row of `scheduler_leader_log` under its columns' own names; instants in milliseconds. */
export interface LeaderLogRow {
  readonly id: number
  readonly leader_instance: string
  readonly start_time: number
  readonly stop_time: number | null
  readonly last_heartbeat: number | null
  readonly handled_missed_tasks: boolean
  readonly created_at: number | null
  readonly updated_at: number | null
}

export type LeaderLogColumn = keyof LeaderLogRow
export type LeaderLogValues = Partial<LeaderLogRow>

export interface LeaderLogQuery {
  /** All must hold; null is matched by null. */
  readonly where: LeaderLogValues
  readonly orderBy: readonly { readonly column: LeaderLogColumn; readonly order: 'asc' | 'desc' }[]
  readonly limit?: number
}

/** A leader is about to put a task into a queue that is not ours. */
export interface MarkRequest {
  /** `taskId:scheduleTime`. */
  readonly mark: string
  readonly fence: number
  readonly now: number
  readonly expiresAt: number
}

/**
 * `claimed`: nobody had it. `repeated`: somebody had claimed it and never said that it is enqueued, so it may be.
 * `enqueued`: it is. `stale`: a later leader has claimed it.
 */
export type MarkClaim = 'claimed' | 'repeated' | 'enqueued' | 'stale'

export interface JobMark {
  readonly id: string
  readonly name: string
  readonly revision: number
  readonly deleted: boolean
  readonly updatedAt: number
}

export interface JobQuery {
  readonly state?: JobState
  readonly tag?: string
  readonly search?: string
  readonly limit: number
  readonly afterName?: string
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
  /** There may be more than the limit allowed to name. */
  readonly more: boolean
}

/** Runs of the jobs that carry all these tags, deleted ones too. */
export interface RunQuery {
  readonly tags: readonly string[]
  /** Of one job only, by id or name. */
  readonly job?: string
  readonly states?: readonly ExecutionState[]
  /** Begun at or after, and before. */
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

export interface RunRow {
  readonly job: Job
  readonly execution: Execution
}

export interface Revision {
  readonly revision: number
  readonly from: number
  readonly spec: JobSpec
  readonly changedBy: string
  readonly changedAt: number
  readonly tzVersion: string
}

export interface AttemptRow {
  readonly executionId: string
  readonly attempt: number
  readonly fence: number
  readonly nodeId: string | null
  readonly startedAt: number | null
  readonly finishedAt: number
  readonly outcome: 'completed' | 'error' | 'failed' | 'crashed' | 'refused' | 'snoozed' | 'cancelled'
  readonly error: ExecutionError | null
}

export interface LogRow {
  readonly executionId: string
  readonly at: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
}

export interface ProgressRow extends Claim {
  readonly progress: number
  readonly note: string | null
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

export interface ElectRequest {
  readonly nodeId: string
  readonly now: number
  readonly leaseMs: number
  /** A lease that never expires, but stands still: it may be taken if it is still the same. */
  readonly silent?: { readonly termId: number; readonly expiresAt: number } | undefined
}

export interface CurrentLeader {
  readonly holder: string
  readonly termId: number
  readonly expiresAt: number
  /** How long its lease lasts from a renewal. */
  readonly leaseMs: number
}

export interface RenewRequest extends Fence {
  readonly now: number
  readonly leaseMs: number
}

export interface TermRow extends LeaderTerm {
  readonly repair: Repair
}

export interface LockRequest {
  readonly name: string
  readonly holder: string
  readonly token: string
  readonly now: number
  readonly expiresAt: number
}

export interface LockRow {
  readonly name: string
  readonly holder: string
  readonly fence: number
  readonly expiresAt: number
}

export interface NodeRow {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly roles: readonly string[]
  readonly queues: Readonly<Record<string, number>>
  readonly version: string
  /** How long its leases on executions last. */
  readonly leaseMs: number
  readonly startedAt: number
  readonly seenAt: number
}

export interface HandlerChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** What a node's heartbeat finds. */
export interface Touched {
  /** False where the node is not known (any more). */
  readonly known: boolean
  /** The newest migration that the database has. */
  readonly schemaVersion: number
}

export interface QueueRow {
  readonly name: string
  readonly pausedAt: number | null
  readonly pausedBy: string | null
  readonly pausedReason: string | null
  readonly pending: number
  readonly running: number
  readonly blocked: number
}

export interface AuditLogQuery {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  /** At or after, and before. */
  readonly from?: number
  readonly to?: number
  readonly limit: number
  readonly beforeId?: number
}

export interface AuditLogRow {
  readonly id: number
  readonly at: number
  readonly actor: string
  /** From where: the address of a caller, or a host; null where nobody outside asked for it. */
  readonly origin: string | null
  readonly action: string
  readonly subject: string
  readonly before: unknown
  readonly after: unknown
}

/** An entry as it is written down; what is not said is null. */
export type NewAuditEntry = Omit<AuditLogRow, 'id' | 'origin'> & { readonly origin?: string | undefined }

/** What the leader seals: every entry up to one that was the newest a while ago. */
export interface SealRequest {
  readonly leader: Fence
  readonly upTo: number
  readonly limit: number
  readonly now: number
}

export interface SealResult {
  /** False where the fence refused: another node leads. */
  readonly led: boolean
  readonly sealed: number
  /** The newest entry that there is; 0 where there is none. */
  readonly newest: number
  /** There was more than the limit. */
  readonly more: boolean
}

/** The hash of a run of entries and of the seal before it. */
export interface AuditSeal {
  readonly id: number
  readonly fromId: number
  readonly toId: number
  readonly entries: number
  readonly hash: string
  readonly sealedAt: number
  readonly termId: number
  /** Its entries went by retention. Only the first seal that is left may be so. */
  readonly prunedAt: number | null
}

export interface BrokenSeal {
  /** Which entries: `12-40`. */
  readonly at: string
  readonly why: string
}

export interface ChainReport {
  readonly entries: number
  readonly sealed: number
  readonly unsealed: number
  /** The newest seal's hash; null where nothing is sealed. */
  readonly head: string | null
  /** Whether one of the seals has the hash that was asked for; null where none was. */
  readonly contains: boolean | null
  readonly broken: readonly BrokenSeal[]
}

/** Who may call the API, as it is kept: no secret is among it. */
export interface AccessRow {
  /** The `jti` of a token or session; of a link, the hash of its code. */
  readonly id: string
  readonly kind: 'token' | 'session' | 'link'
  readonly name: string
  readonly role: AccessRole
  readonly createdAt: number
  readonly createdBy: string
  /** The token that it was made with; null where a person or the command line has made it. */
  readonly parentId: string | null
  readonly expiresAt: number
  readonly usedAt: number | null
  readonly revokedAt: number | null
}

export interface KeptRequest {
  /** Whose key it is. */
  readonly caller: string
  readonly key: string
  /** Of the whole request. */
  readonly hash: string
  /** When this try began: a later one takes the key over from it. */
  readonly takenAt: number
}

export interface AnswerToKeep {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How a request under a key ended: with an answer, with nothing done, or so that nobody knows. */
export type KeptEnd = AnswerToKeep | 'undone' | 'unclear'

/** What a caller's key stands for: nothing yet, an answer, a request under way, or another request. */
export type KeptAnswer =
  /** `begunAt` is that of the first try, which this may be the second of. */
  | { readonly kind: 'first'; readonly begunAt: number; readonly again: boolean }
  | ({ readonly kind: 'answered' } & AnswerToKeep)
  | { readonly kind: 'under_way' }
  | { readonly kind: 'another' }
