/**
 * Tokens that Evertick signs itself, and what it believes of one: every claim is required, and a revoked token is refused
 * although its signature is valid.
 */
import { hash } from 'node:crypto'
import { type AccessRole, isAccessRole } from '../../core/access/access-role.ts'
import type { AccessRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { ownClaims, ownJwt } from './own-jwt.ts'
import type { Principal } from './principal.ts'
import type { SigningKeys } from './signing-keys.ts'

const audience = 'evertick-api'
/** How long the database's word on a token is taken for true: the longest that a revocation on another node takes. */
const believedMs = 1_000
/** Callers that are busy at the same time. */
const mostSigned = 1_000

export interface NewAccess {
  readonly id: string
  readonly kind: Principal['kind']
  readonly name: string
  readonly role: AccessRole
  readonly createdBy: string
  /** The token that it is made with. */
  readonly parentId: string | null
  /** From where. */
  readonly origin: string | undefined
  readonly expiresAt: number
}

export interface SignedToken {
  readonly id: string
  readonly token: string
  readonly expiresAt: number
}

export class OwnTokens {
  readonly #app: AppContext
  readonly #keys: SigningKeys
  /**
   * The claims of tokens whose signature has held, by their hash: it holds for ever. Computing it anew was a fifth of what a
   * small request cost, and waited in the same threads as SQLite's fsync.
   */
  readonly #signed = new Map<string, Record<string, unknown>>()
  readonly #known = new Map<string, { readonly row: AccessRow | null; readonly until: number }>()

  constructor(app: AppContext, keys: SigningKeys) {
    this.#app = app
    this.#keys = keys
  }

  /** Writes it down first: a token that the database does not know is worth nothing. Null where its parent is gone. */
  async issue({ origin, ...access }: NewAccess): Promise<SignedToken | null> {
    const { id, kind, name, role, expiresAt } = access
    const now = this.#app.clock.now()
    const row = { ...access, createdAt: now, usedAt: null, revokedAt: null }
    if (!(await this.#app.store.access.addAccess(row, origin))) return null
    const claims = { role, kind, sub: name, jti: id, exp: Math.ceil(expiresAt / 1_000) }
    const token = await ownJwt(claims, { keys: this.#keys, audience, now })
    return { id, token, expiresAt }
  }

  /** Null if the token is not ours, invalid, expired or revoked. */
  async verify(token: string): Promise<Principal | null> {
    const hashed = hash('sha256', token, 'base64')
    const claims = this.#signed.get(hashed) ?? (await this.#claims(token))
    if (claims === null) return null
    const { jti, sub, role, kind, exp, aud } = claims
    if (typeof jti !== 'string' || typeof sub !== 'string' || typeof exp !== 'number') return null
    // Our tokens name exactly one audience: ours.
    if (aud !== audience) return null
    if (!isAccessRole(role) || (kind !== 'token' && kind !== 'session')) return null
    const row = await this.#find(jti)
    if (row === null || row.revokedAt !== null || row.kind !== kind || row.role !== role) return null
    if (row.name !== sub || Math.ceil(row.expiresAt / 1_000) !== exp) return null
    if (row.expiresAt <= this.#app.clock.now()) return null
    this.#remember(hashed, claims)
    return { actor: `${kind}:${sub}`, role, kind, id: jti, expiresAt: row.expiresAt }
  }

  #remember(hashed: string, claims: Record<string, unknown>): void {
    if (this.#signed.has(hashed)) return
    if (this.#signed.size >= mostSigned) this.#signed.clear()
    this.#signed.set(hashed, claims)
  }

  /** From now on, on this node at once. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#known.delete(id)
  }

  async #claims(token: string): Promise<Record<string, unknown> | null> {
    const required = ['iat', 'jti', 'sub', 'role', 'kind']
    return await ownClaims(token, { keys: this.#keys, audience, now: this.#app.clock.now(), required })
  }

  async #find(id: string): Promise<AccessRow | null> {
    const at = this.#app.clock.monotonic()
    const known = this.#known.get(id)
    if (known !== undefined && known.until > at) return known.row
    const row = await this.#app.store.access.findAccess(id)
    if (this.#known.size > 10_000) this.#known.clear()
    this.#known.set(id, { row, until: at + believedMs })
    return row
  }
}
