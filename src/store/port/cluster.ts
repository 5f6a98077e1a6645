/** Leadership, named locks, nodes and queues. */
import type { LeaderTerm, Repair } from '../../core/leader/term.ts'
import type { ChangeContext } from './jobs.ts'

export interface ClusterStore {
  /**
   * Takes the leader's lock where it is free, expired, or still as its `abandoned` holder left it, and writes the new term
   * in the same transaction.
   */
  electLeader(request: ElectRequest): Promise<LeaderTerm | null>
  /** False where the term is no longer ours: stop deciding at once. */
  renewTerm(request: RenewRequest): Promise<boolean>
  endTerm(termId: number, holder: string, now: number): Promise<void>
  markMissedHandled(termId: number, now: number): Promise<boolean>
  currentLeader(): Promise<CurrentLeader | null>
  /** Of another process: a hint whether it lives, never a fact. */
  checkLifeline(name: string): Promise<LifelineState>
  listTerms(query: { instance?: string; limit: number }): Promise<TermRow[]>
  acquireLock(request: LockRequest): Promise<{ fence: number } | null>
  extendLock(name: string, token: string, expiresAt: number, now: number): Promise<boolean>
  /** Released by an operator, not by the holder: it needs no token, and the audit log records it. */
  releaseLock(name: string, token: string | null, by?: ChangeContext): Promise<boolean>
  listLocks(): Promise<LockRow[]>
  /** Returns the newest migration that the database has. */
  registerNode(node: NodeRow, handlers: readonly string[]): Promise<number>
  /** Writes only the difference. False where the node is not known: it has to register. */
  changeHandlers(id: string, change: HandlerChange): Promise<boolean>
  /** Nodes not seen for `lostMs` are cleared away, unless something is still leased to them. */
  touchNode(id: string, now: number, lostMs: number): Promise<Touched>
  removeNode(id: string): Promise<void>
  listNodes(): Promise<NodeRow[]>
  /** The handlers that some node has. */
  listHandlers(): Promise<string[]>
  /** Jobs that no node has been able to run since before `since`. */
  findOrphans(since: number, now: number): Promise<string[]>
  listQueues(): Promise<QueueRow[]>
  pauseQueue(name: string, reason: string | null, context: ChangeContext): Promise<void>
  resumeQueue(name: string, context: ChangeContext): Promise<void>
  tableSizes(): Promise<TableSizes>
  /** null on SQLite. */
  serverFacts(): Promise<ServerFacts | null>
}

/** A database server, as a user of it may know it. */
export interface ServerFacts {
  readonly maxConnections: number
  /** Open now, of all its users. */
  readonly connections: number
  /** Settings by which a crash may cost what was acknowledged: `fsync = off`. */
  readonly forgetful: readonly string[]
  /** What this user may do beyond reading and writing rows: `owns the tables`. */
  readonly powers: readonly string[]
}

/** Rows of executions, and of the ledger: estimates on a server. Bytes with indexes, attempts, log lines and totals. */
export interface TableSizes {
  readonly history: { readonly rows: number; readonly bytes: number }
  readonly ledger: { readonly rows: number; readonly bytes: number }
}

export interface Fence {
  readonly termId: number
  readonly holder: string
}

export interface ElectRequest {
  readonly nodeId: string
  readonly now: number
  readonly leaseMs: number
  /** A lease that has not run out, but whose holder seems to be gone: it may be taken if it is still the same. */
  readonly abandoned?: Pick<CurrentLeader, 'termId' | 'expiresAt' | 'lifeline'> | undefined
}

/** A lock that ends with the process which holds it. */
export interface Lifeline {
  release(): Promise<void>
}

/** `unknown` where this database, or this way to it, cannot tell. */
export type LifelineState = 'held' | 'free' | 'unknown'

export interface CurrentLeader {
  readonly holder: string
  readonly termId: number
  readonly expiresAt: number
  /** How long its lease lasts from a renewal. */
  readonly leaseMs: number
  /** What it holds as long as it lives; null where its last renewal named none. */
  readonly lifeline: string | null
}

export interface RenewRequest extends Fence {
  readonly now: number
  readonly leaseMs: number
  /** What this node holds now, for others to look at. */
  readonly lifeline: string | null
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
  /** What may be claimed once its time has come, retries among it. */
  readonly pending: number
  readonly running: number
  readonly blocked: number
  /** What has given its slot up: for a sleep, or for a signal. */
  readonly sleeping: number
  readonly waiting: number
}
