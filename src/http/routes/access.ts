/** Tokens for programs, sessions for people. */
import { z } from 'zod'
import { accessRoles } from '../../core/access/access-role.ts'
import { EvertickError } from '../../core/error.ts'
import { refuseRole } from '../auth/authenticate.ts'
import { clearedCookie, cookie, sessionCookie } from '../auth/cookie.ts'
import { endpoint, Reply } from '../endpoint.ts'
import * as schema from '../schemas/cluster.ts'
import { duration, reference } from '../schemas/named.ts'

const tag = 'Access'

export const accessRoutes = [
  endpoint({
    method: 'get',
    path: '/tokens',
    role: 'admin',
    tag,
    summary: 'List tokens that have not expired',
    answers: schema.tokens,
    run: async ({ access }) => ({ tokens: await access.listTokens() }),
  }),
  endpoint({
    method: 'post',
    path: '/tokens',
    role: 'admin',
    tag,
    summary: 'Create a token; it is shown once, and expires no later than the token that creates it',
    body: z.strictObject({
      name: z.string().min(1).max(200).default('token'),
      role: z.enum(accessRoles),
      ttl: duration.default('90d'),
    }),
    answers: schema.createdToken,
    status: 201,
    run: async ({ access, body, by, principal }) => await access.createToken({ ...body, ...by }, principal),
  }),
  endpoint({
    method: 'delete',
    path: '/tokens/{id}',
    role: 'admin',
    tag,
    summary: 'Revoke a token, and the tokens made with it',
    params: reference,
    answers: null,
    status: 204,
    run: async ({ access, params, by }) => await access.revoke(params.id, by),
  }),
  endpoint({
    method: 'post',
    path: '/session',
    role: 'public',
    tag,
    summary: 'Sign in with the code of a link; sets a cookie',
    body: z.strictObject({ code: z.string().min(1).max(200) }),
    answers: schema.session,
    status: 201,
    run: async ({ app, access, body, by, request, basePath, visit }) => {
      const made = await access.signIn(body.code, by)
      if (made === null) {
        throw new EvertickError('unauthenticated', 'This link has already been used, or has expired.', {
          next: 'Make another with `evertick login`.',
        })
      }
      const { name, role, token, expiresAt } = made
      const answer = {
        actor: `session:${name}`,
        role,
        expiresAt: new Date(expiresAt),
        now: new Date(app.clock.now()),
      }
      return new Reply(answer, {
        status: 201,
        headers: {
          'set-cookie': cookie(sessionCookie, token, { request, basePath, visit }, { at: expiresAt }),
        },
      })
    },
  }),
  endpoint({
    method: 'get',
    path: '/session',
    role: 'viewer',
    tag,
    summary: 'Who is calling, and with which role',
    answers: schema.session,
    run: async ({ app, principal }) => {
      refuseRole(principal, 'viewer')
      const { actor, role, expiresAt } = principal
      return { actor, role, expiresAt: new Date(expiresAt), now: new Date(app.clock.now()) }
    },
  }),
  endpoint({
    method: 'get',
    path: '/session/provider',
    role: 'public',
    tag,
    summary: 'Where people sign in, beside links: the name on the button, and why it does not work now',
    answers: schema.sessionProvider,
    run: async ({ access }) => {
      const way = (await access.people?.way()) ?? null
      if (way === null) return { provider: null }
      const { name, trouble } = way
      return { provider: { name, problem: trouble === null ? null : trouble.message } }
    },
  }),
  endpoint({
    method: 'delete',
    path: '/session',
    role: 'viewer',
    tag,
    summary: 'Sign out',
    answers: null,
    status: 204,
    run: async ({ access, principal, by, basePath }) => {
      // A token is revoked by an admin, not by its bearer.
      if (principal?.kind === 'session' && principal.id !== null) await access.revoke(principal.id, by)
      return new Reply(undefined, {
        status: 204,
        headers: { 'set-cookie': clearedCookie(sessionCookie, { basePath }) },
      })
    },
  }),
]
