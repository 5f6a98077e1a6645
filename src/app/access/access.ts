/** Who may call the API: tokens for programs, links and sessions for people. */
import { createHash, randomBytes } from 'node:crypto'
import { type AccessRole, accessRoles } from '../../core/access/access-role.ts'
import { actorName, plainName } from '../../core/access/person.ts'
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { AccessRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { refuseBadName, refuseUnknown } from '../config/call-options.ts'
import type { ForeignTokens } from './foreign-tokens.ts'
import type { OwnTokens, SignedToken } from './own-tokens.ts'
import type { People } from './people/people.ts'
import type { Principal } from './principal.ts'

export interface TokenView {
  readonly id: string
  readonly name: string
  readonly role: AccessRole
  readonly createdAt: Date
  readonly createdBy: string
  readonly expiresAt: Date
  readonly revokedAt: Date | null
}

export interface CreatedToken {
  readonly id: string
  /** Shown once: it is kept nowhere. */
  readonly token: string
  readonly name: string
  readonly role: AccessRole
  readonly expiresAt: Date
}

const linkMs = 10 * 60_000
const sessionMs = 12 * 3_600_000
const longestMs = 400 * 86_400_000
/** Longer than any token of ours or of a sensible provider. */
const longestToken = 8_192

export interface Session extends SignedToken {
  readonly name: string
  readonly role: AccessRole
}

export class Access {
  /** Those who sign in at a provider; null where nobody does. */
  readonly people: People | null
  readonly #app: AppContext
  readonly #own: OwnTokens | null
  readonly #foreign: ForeignTokens | null

  constructor(
    app: AppContext,
    tokens: { own: OwnTokens | null; foreign: ForeignTokens | null; people?: People | null },
  ) {
    this.people = tokens.people ?? null
    this.#app = app
    this.#own = tokens.own
    this.#foreign = tokens.foreign
  }

  /** Null if the token is not valid. */
  async verify(token: string): Promise<Principal | null> {
    if (token.length > longestToken) return null
    return (await this.#own?.verify(token)) ?? (await this.#foreign?.verify(token)) ?? null
  }

  /** A token made with another, `maker`, expires no later, and is revoked with it. */
  async createToken(
    options: ActorOptions & { name?: string; role: AccessRole; ttl?: Duration },
    maker: Principal | null = null,
  ): Promise<CreatedToken> {
    refuseUnknown(options, ['name', 'role', 'ttl', 'actor', 'origin'], 'tokens.create')
    const { name = 'token', role, ttl = '90d' } = options
    const { actor: createdBy, origin } = changeContext(this.#app, options)
    refuseBadName(name, 'name')
    refuseRole(role)
    const ttlMs = parseDuration(ttl, 'ttl')
    if (ttlMs < 1_000 || ttlMs > longestMs) {
      throw new EvertickError('invalid_option', 'ttl must be from 1s to 400d.', { field: 'ttl' })
    }
    // A session is a person, who signs out; the tokens that were made meanwhile are for programs.
    const parent = maker?.kind === 'token' ? maker : null
    const made = await this.#signer().issue({
      id: this.#newId(),
      kind: 'token',
      name,
      role,
      createdBy,
      parentId: parent?.id ?? null,
      origin,
      expiresAt: Math.min(this.#app.clock.now() + ttlMs, parent?.expiresAt ?? Number.POSITIVE_INFINITY),
    })
    if (made === null) throw new EvertickError('unauthenticated', 'The token of this request is revoked.')
    return { ...made, name, role, expiresAt: new Date(made.expiresAt) }
  }

  /** Those that are neither revoked nor expired now. For a provider's tokens only the expiry is known. */
  async live(principals: Iterable<Principal>): Promise<ReadonlySet<Principal>> {
    const now = this.#app.clock.now()
    const unended = [...principals].filter(({ expiresAt }) => expiresAt > now)
    const ids = [...new Set(unended.flatMap(({ id }) => (id === null ? [] : [id])))]
    const live = new Set(ids.length === 0 ? [] : await this.#app.store.access.liveAccess(ids, now))
    return new Set(unended.filter(({ id }) => id === null || live.has(id)))
  }

  async listTokens(): Promise<TokenView[]> {
    return (await this.#app.store.access.listAccess('token', this.#app.clock.now())).map(tokenView)
  }

  async revoke(id: string, by: ActorOptions = {}): Promise<void> {
    const revoked = await this.#app.store.access.revokeAccess(id, changeContext(this.#app, by))
    this.#own?.forget([id, ...revoked])
    if (revoked.length > 0) return
    throw new EvertickError('token_not_found', `There is no token ${id} to revoke.`, {
      next: 'List them with `evertick token list`.',
    })
  }

  /** A code for one sign-in within ten minutes. Only its hash is kept. `name`: of the person who follows it. */
  async createLink({
    role,
    name,
    ...by
  }: ActorOptions & { role: AccessRole; name?: string }): Promise<{ code: string; expiresAt: Date }> {
    refuseRole(role)
    // A link that could never become a session is refused here, not when it is followed.
    this.#signer()
    const { now, actor, origin } = changeContext(this.#app, { actor: 'cli', ...by })
    const code = randomBytes(24).toString('base64url')
    const link = {
      id: hashOf(code),
      kind: 'link' as const,
      name: name === undefined ? actorName(actor) : checkedName(name),
      role,
      createdAt: now,
      createdBy: actor,
      parentId: null,
      expiresAt: now + linkMs,
    }
    await this.#app.store.access.addAccess({ ...link, usedAt: null, revokedAt: null }, origin)
    return { code, expiresAt: new Date(link.expiresAt) }
  }

  /** Null where the code is unknown, used or too old. */
  async signIn(code: string, by: Pick<ActorOptions, 'origin'> = {}): Promise<Session | null> {
    const link = await this.#app.store.access.redeemLink(hashOf(code), this.#app.clock.now())
    return link === null ? null : await this.openSession(link, by)
  }

  /** For a person who has proved who they are. */
  async openSession(
    { name, role }: { readonly name: string; readonly role: AccessRole },
    by: Pick<ActorOptions, 'origin'> = {},
  ): Promise<Session | null> {
    const { now, origin } = changeContext(this.#app, by)
    const made = await this.#signer().issue({
      id: this.#newId(),
      kind: 'session',
      name,
      role,
      createdBy: `session:${name}`,
      parentId: null,
      origin,
      expiresAt: now + sessionMs,
    })
    return made === null ? null : { ...made, name, role }
  }

  #newId(): string {
    return this.#app.newId(this.#app.clock.now())
  }

  #signer(): OwnTokens {
    if (this.#own !== null) return this.#own
    throw new EvertickError('invalid_config', 'This node does not sign tokens: your provider does.', {
      field: 'EVERTICK_JWT_SECRET',
      next: 'Ask your provider for a token, or set EVERTICK_JWT_SECRET beside EVERTICK_JWKS_URL.',
    })
  }
}

function refuseRole(role: AccessRole): void {
  if (accessRoles.includes(role)) return
  throw new EvertickError('invalid_option', `${JSON.stringify(role)} is not a role.`, {
    field: 'role',
    next: `Use one of ${accessRoles.join(', ')}.`,
  })
}

function checkedName(name: string): string {
  const plain = plainName(name)
  if (plain !== '' && plain === name.trim()) return plain
  throw new EvertickError('invalid_option', `${JSON.stringify(name)} is not a name.`, {
    field: 'name',
    next: 'Use letters, digits and spaces: "Ana María".',
  })
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex')
}

function tokenView({ id, name, role, createdAt, createdBy, expiresAt, revokedAt }: AccessRow): TokenView {
  return {
    id,
    name,
    role,
    createdAt: new Date(createdAt),
    createdBy,
    expiresAt: new Date(expiresAt),
    revokedAt: revokedAt === null ? null : new Date(revokedAt),
  }
}
