/** Finds who is calling: by the bearer token, else by the session cookie, which only our own pages may use. */
import { createHash } from 'node:crypto'
import type { Access } from '../../app/access/access.ts'
import type { Principal } from '../../app/access/principal.ts'
import { type AccessRole, mayAct } from '../../core/access/access-role.ts'
import { EvertickError } from '../../core/error.ts'
import { refuseForeignOrigin } from '../guard/origin.ts'
import { cookieOf, sessionCookie } from './cookie.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Null if the request has no credentials; `host` is what the caller has asked for. Invalid credentials are an error. */
export async function principalOf(request: Request, access: Access, host: string): Promise<Principal | null> {
  const bearer = bearerOf(request)
  if (bearer !== null) return await believed(access, bearer, 'token')
  const session = cookieOf(request, sessionCookie)
  if (session === null) return null
  if (!safeMethods.has(request.method)) refuseForeignOrigin(request, host)
  return await believed(access, session, 'session')
}

/** The key of a caller's limits and idempotency keys: two tokens may share a name, and a subject may have any length. */
export function callerOf({ id, actor }: Principal): string {
  return id ?? createHash('sha256').update(actor).digest('hex')
}

export function refuseRole(principal: Principal | null, needed: AccessRole): asserts principal is Principal {
  if (principal === null) {
    throw new EvertickError('unauthenticated', 'This needs a token.', {
      next: 'Make one with `evertick token create`, and send it as `Authorization: Bearer …`.',
    })
  }
  if (mayAct(principal.role, needed)) return
  throw new EvertickError('forbidden', `This needs the role ${needed}; yours is ${principal.role}.`, {
    next: `Ask for a token with the role ${needed}.`,
  })
}

function bearerOf(request: Request): string | null {
  const header = request.headers.get('authorization')
  if (header === null) return null
  const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(header) ?? []
  if (token === undefined) throw notBelieved()
  return token
}

/** A session's token is not valid as a bearer token, nor the other way round: each is kept where it is safe. */
async function believed(access: Access, token: string, kind: Principal['kind']): Promise<Principal> {
  const principal = await access.verify(token)
  if (principal === null || principal.kind !== kind) throw notBelieved()
  return principal
}

function notBelieved(): EvertickError {
  return new EvertickError('unauthenticated', 'The token is invalid, expired or revoked.', {
    next: 'Make another with `evertick token create`, or sign in again.',
  })
}
