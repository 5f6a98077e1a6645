/** Tokens for programs, sessions for people. */
import { z } from 'zod'
import { accessRoles } from '../../core/access/access-role.ts'
import { EvertickError } from '../../core/error.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import { clearedCookie, sessionCookie } from '../auth/cookie.ts'
import { type Endpoint, endpoint, Reply } from '../endpoint.ts'
import * as schema from '../schemas/cluster.ts'
import { duration, reference } from '../schemas/named.ts'

const tag = 'Access'

export const accessRoutes: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/tokens',
    role: 'admin',
    tag,
    summary: 'Tokens that have not ended',
    answers: schema.tokens,
    run: async ({ access }) => ({ tokens: await access.listTokens() }),
  }),
  endpoint({
    method: 'post',
    path: '/tokens',
    role: 'admin',
    tag,
    summary: 'Make a token; it is shown once',
    body: z.strictObject({
      name: z.string().min(1).max(200).default('token'),
      role: z.enum(accessRoles),
      ttl: duration.default('90d'),
    }),
    answers: schema.createdToken,
    status: 201,
    run: async ({ access, body, actor }) =>
      await access.createToken({ ...body, ttl: body.ttl as Duration, actor }),
  }),
  endpoint({
    method: 'delete',
    path: '/tokens/{id}',
    role: 'admin',
    tag,
    summary: 'Take a token back',
    params: reference,
    answers: null,
    status: 204,
    run: async ({ access, params, actor }) => await access.revoke(params.id, { actor }),
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
    run: async ({ access, body, request }) => {
      const made = await access.signIn(body.code)
      if (made === null) {
        throw new EvertickError('unauthenticated', 'This link was used already, or is too old.', {
          next: 'Make another with `evertick login`.',
        })
      }
      const { name, role, token, expiresAt } = made
      const answer = { actor: `session:${name}`, role, expiresAt: new Date(expiresAt) }
      return new Reply(answer, {
        status: 201,
        headers: { 'set-cookie': sessionCookie(token, expiresAt, request) },
      })
    },
  }),
  endpoint({
    method: 'get',
    path: '/session',
    role: 'viewer',
    tag,
    summary: 'Who calls',
    answers: schema.session,
    run: async ({ principal }) => ({
      actor: principal?.actor,
      role: principal?.role,
      expiresAt: new Date(principal?.expiresAt ?? 0),
    }),
  }),
  endpoint({
    method: 'delete',
    path: '/session',
    role: 'viewer',
    tag,
    summary: 'Sign out',
    answers: null,
    status: 204,
    run: async ({ access, principal, actor }) => {
      // A token is taken back by whoever made it, not by its bearer.
      if (principal?.kind === 'session' && principal.id !== null) await access.revoke(principal.id, { actor })
      return new Reply(null, { status: 204, headers: { 'set-cookie': clearedCookie } })
    },
  }),
]
