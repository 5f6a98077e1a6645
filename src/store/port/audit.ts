/** The audit log and the chain of its seals. */

import type { Fence } from './cluster.ts'
import type { ChangeContext } from './jobs.ts'

export interface AuditStore {
  listAuditLog(query: AuditLogQuery): Promise<AuditLogRow[]>
  /** Entries for events that changed nothing. */
  appendAuditLog(entries: readonly NewAuditEntry[]): Promise<void>
  /** Decided by the leader's fence, and by the number of the seal: each is made once. */
  sealAuditLog(request: SealRequest): Promise<SealResult>
  /** Recomputes every seal, in slices; `head` is a hash that one of them must have. */
  verifyAuditLog(options: { head?: string }): Promise<ChainReport>
  /** Removes the entries of seals made before an instant, whole seals only; says how many entries went. */
  purgeAuditLog(before: number, context: ChangeContext): Promise<number>
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

/** An entry as it is written; what is left out is null. */
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
  /** Retention removed its entries. Only the oldest remaining seal may be in this state. */
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
