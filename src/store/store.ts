/**
 * The port: what the engine asks of a database, in domain verbs, batch in and batch out, `now` always given. One noun
 * each, and every verb has a name of its own, the same from here down to its script. Types only. A verb that two nodes may
 * run at once says in its comment what decides between them.
 */
import type { HintTopic } from './hints.ts'
import type { AccessStore } from './port/access.ts'
import type { AlertStore } from './port/alerts.ts'
import type { AuditStore } from './port/audit.ts'
import type { BackupStore } from './port/backup.ts'
import type { CheckInStore } from './port/check-ins.ts'
import type { ClusterStore, Lifeline } from './port/cluster.ts'
import type { CompatStore } from './port/compat.ts'
import type { ExecutionStore } from './port/executions.ts'
import type { JobStore } from './port/jobs.ts'
import type { NoticeStore } from './port/notices.ts'
import type { StepStore } from './port/steps.ts'
import type { TickStore } from './port/ticks.ts'
import type { VaultStore } from './port/vault.ts'
import type { WorkStore } from './port/work.ts'

export type * from './port/access.ts'
export type * from './port/alerts.ts'
export type * from './port/audit.ts'
export type * from './port/backup.ts'
export type * from './port/check-ins.ts'
export type * from './port/cluster.ts'
export type * from './port/compat.ts'
export type * from './port/executions.ts'
export type * from './port/jobs.ts'
export type * from './port/notices.ts'
export type * from './port/steps.ts'
export type * from './port/ticks.ts'
export type * from './port/vault.ts'
export type * from './port/work.ts'

export interface Store extends Connection, Nouns {}

export interface Nouns {
  readonly work: WorkStore
  readonly ticks: TickStore
  readonly jobs: JobStore
  readonly executions: ExecutionStore
  readonly steps: StepStore
  readonly checkIns: CheckInStore
  readonly cluster: ClusterStore
  readonly alerts: AlertStore
  readonly audit: AuditStore
  readonly notices: NoticeStore
  readonly access: AccessStore
  readonly vault: VaultStore
  readonly backup: BackupStore
  readonly compat: CompatStore
}

/** The database itself. */
export interface Connection {
  readonly dialect: 'sqlite' | 'postgres' | 'mysql'
  /** What is still under way after `graceMs` is cut off; also in a close that has begun before. */
  close(graceMs?: number): Promise<void>
  ping(): Promise<void>
  /** A text that changes when another process has written: a hint to look, never a fact. */
  changes(): Promise<string>
  /**
   * Which hints of other nodes arrive by themselves at present: all, all but those of callers' own transactions, or none.
   * The fewer, the more often `changes` is worth asking.
   */
  hears(): 'all' | 'most' | 'nothing'
  /** What other nodes hint at, where something carries hints. Returns the function that unsubscribes the listener. */
  listen(listener: (topic: HintTopic) => void): () => void
  /**
   * Ties a lock to this process, which is freed however the process dies; tied again whenever it breaks, until it is
   * released. `onChange` hears the name that others find it by, and null while there is none. Some databases have none.
   */
  holdLifeline(onChange: (name: string | null) => void): Lifeline
  /** How long a handler's own transaction may stay open. */
  readonly longestTransactionMs: number
  /** How long it may keep every other write of this process waiting. */
  readonly longestHoldMs: number
  /** The database's own time; null where this host's clock is the database's. */
  time(): Promise<number | null>
  /** Everything written so far is durable, claims too: before work that must never run twice. */
  sync(): Promise<void>
}
