/** Who may call the API, and answers kept for repeated requests. */
import type { AccessKind, AccessRole } from '../../core/access/access-role.ts'
import type { ChangeContext } from './jobs.ts'

export interface AccessStore {
  /** False, and nothing is written, where its parent was revoked meanwhile. */
  addAccess(access: AccessRow, origin?: string): Promise<boolean>
  findAccess(id: string): Promise<AccessRow | null>
  /** Of these ids, those that are neither revoked nor expired. */
  liveAccess(ids: readonly string[], now: number): Promise<string[]>
  listAccess(kind: AccessKind, now: number): Promise<AccessRow[]>
  /** Revokes it and everything that was made with it. Returns all their ids; none where there was nothing to revoke. */
  revokeAccess(id: string, context: ChangeContext): Promise<string[]>
  /** Decided by the row itself: a link is used once. */
  redeemLink(id: string, now: number): Promise<AccessRow | null>
  beginIdempotent(request: IdempotentRequest): Promise<IdempotencyState>
  /** Writes nothing where another has taken the key over meanwhile. */
  endIdempotent(request: IdempotentRequest, end: IdempotentEnd): Promise<void>
  /** Removes what nobody can use or ask for any more. */
  purgeAccess(now: number): Promise<number>
}

/** Who may call the API, as it is stored: without any secret. */
export interface AccessRow {
  /** The `jti` of a token or session; of a link, the hash of its code. */
  readonly id: string
  readonly kind: AccessKind
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

export interface IdempotentRequest {
  /** Whose key it is. */
  readonly caller: string
  readonly key: string
  /** Of the whole request. */
  readonly hash: string
  /** When this try began: a later one takes the key over from it. */
  readonly takenAt: number
}

export interface IdempotentAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How a request under a key ended: with an answer, with nothing done, or unclear. */
export type IdempotentEnd = IdempotentAnswer | 'undone' | 'unclear'

/** What a caller's key stands for: nothing yet, an answer, a request under way, or another request. */
export type IdempotencyState =
  /** `begunAt` is when the first try began; this may be a later one. */
  | { readonly kind: 'first'; readonly begunAt: number; readonly again: boolean }
  | ({ readonly kind: 'answered' } & IdempotentAnswer)
  | { readonly kind: 'under_way' }
  | { readonly kind: 'another' }
