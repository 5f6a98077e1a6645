/**
 * Who may call what, from the router's own list: a route that is added is tried by everybody without a line here. The
 * missing check is the hole that schedulers have had again and again.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AccessRole, accessRoles, mayAct } from '../../src/core/access/access-role.ts'
import { allRoutes, type PlacedEndpoint } from '../../src/http/all-routes.ts'
import type { NeededRole } from '../../src/http/endpoint.ts'
import { type ApiUnderTest, openApi } from './api-under-test.ts'
import { examplePath } from './example-path.ts'
import { claimsOf, forged, goodHeader } from './forge.ts'

let api: ApiUnderTest
/** Each who must never get in, by what it brings. */
const strangers = new Map<string, string | undefined>()

/** Every call with an address of its own: whoever is refused too often hears 429, and that is another promise. */
let callers = 0
const ask = async ({ method, fullPath }: PlacedEndpoint, token: string | undefined) => {
  callers += 1
  return await api.send(method.toUpperCase(), examplePath(fullPath), { token, remote: `caller ${callers}` })
}

beforeAll(async () => {
  api = await openApi()
  const { access, node } = api
  const revoked = await access.createToken({ role: 'admin' })
  await access.revoke(revoked.id)
  const expired = await access.createToken({ role: 'admin', ttl: '1m' })
  const { code } = await access.createLink({ role: 'admin' })
  // All else of it is a good administrator's.
  const elsewhere = forged(goodHeader, { ...claimsOf(api.tokens.admin), aud: 'another-service' })
  await node.advance('2m')
  strangers.set('no token', undefined)
  strangers.set('garbage', 'garbage')
  strangers.set('a token that has ended', expired.token)
  strangers.set('a token for another service', elsewhere)
  strangers.set('a token that was taken back', revoked.token)
  strangers.set('the token of a session', (await access.signIn(code))?.token)
})
afterAll(() => api.node.stop())

const nameOf = ({ method, fullPath }: PlacedEndpoint) => `${method.toUpperCase()} ${fullPath}`

const ofRole = (role: NeededRole) => allRoutes.filter((route) => route.role === role)

test.each(ofRole('public').map((route) => [nameOf(route), route] as const))(
  '%s lets everybody in, as its role says',
  async (_name, route) => {
    for (const [who, token] of strangers) {
      const { status, json } = await ask(route, token)
      // What it needs of a body is not there, and that may be refused; nor is the made-up address of a check-in.
      const isIn = [200, 400].includes(status) || json?.code === 'check_in_not_found'
      expect([who, isIn]).toEqual([who, true])
    }
  },
)

const guarded = accessRoles.flatMap((needed) =>
  ofRole(needed).map((route) => [nameOf(route), route, needed] as const),
)

test('every route is either public or guarded', () => {
  expect(guarded.length + ofRole('public').length).toBe(allRoutes.length)
})

describe.each(guarded)('%s', (_name, route, needed) => {
  test('refuses whoever proves nothing, with 401 and how to prove it', async () => {
    for (const [who, token] of strangers) {
      const { status, json, headers } = await ask(route, token)
      expect([who, status, json.code]).toEqual([who, 401, 'unauthenticated'])
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  })

  test(`lets in exactly ${accessRoles.filter((role) => mayAct(role, needed)).join(', ')}`, async () => {
    for (const role of accessRoles) {
      const { status, json } = await ask(route, api.tokens[role])
      const heard = letIn(status, json) ? 'let in' : `${status} ${String(json?.code)}`
      expect([role, heard]).toEqual([role, mayAct(role, needed) ? 'let in' : '403 forbidden'])
    }
  })
})

/** That the made-up job, token, lock or execution of the path is not there is said by the route itself. */
function letIn(status: number, json: Readonly<Record<string, unknown>> | undefined): boolean {
  const absent = ['job', 'execution', 'token', 'lock', 'webhook', 'alert', 'alert_rule'].some(
    (what) => json?.code === `${what}_not_found`,
  )
  if (json?.code === 'secret_missing') return true
  return absent || ![401, 403, 404, 405].includes(status)
}

describe('everything else is denied', () => {
  test('a path that is no route is 404, for an administrator as for a stranger', async () => {
    for (const path of [
      '/api',
      '/api/v1',
      '/api/v1/',
      '/api/v1/job',
      '/api/v2/jobs',
      '/api/v1/jobs/a/b/c',
      '/api/v1/JOBS',
      '/jobs',
      '/.env',
      '/__proto__',
    ]) {
      for (const token of [undefined, api.tokens.admin]) {
        const { status, json } = await api.send('GET', path, { token })
        expect([path, status, json.code]).toEqual([path, 404, 'route_not_found'])
      }
    }
  })

  /** `/jobs/bulk` is also the path of a job of that name. */
  const methodsOf = (path: string) =>
    allRoutes
      .filter(({ fullPath }) => new RegExp(`^${fullPath.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
      .map(({ method }) => method.toUpperCase())
      .toSorted()
  const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'PROPFIND']
  test.each([...new Set(allRoutes.map(({ fullPath }) => fullPath))])(
    '%s refuses other methods with 405, and says which it has',
    async (fullPath) => {
      const path = examplePath(fullPath)
      for (const method of methods) {
        const { status, headers } = await api.send(method, path, { remote: `${fullPath} ${method}` })
        const allow = headers.get('allow')?.split(', ').toSorted()
        const has = methodsOf(path)
        expect([method, status === 405, allow]).toEqual(
          has.includes(method) ? [method, false, undefined] : [method, true, has],
        )
      }
    },
  )

  test('a page refuses other methods, too', async () => {
    for (const path of ['/docs', '/sign-in', '/openapi.json']) {
      const { status, headers } = await api.send('POST', path)
      expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET'])
    }
  })

  test('HEAD is GET without its body, for those who may GET', async () => {
    const refused = await api.send('HEAD', '/api/v1/jobs')
    expect([refused.status, refused.text]).toEqual([401, ''])
    const { status, text } = await api.send('HEAD', '/api/v1/jobs', { token: api.tokens.viewer })
    expect([status, text]).toEqual([200, ''])
  })
})

test('a bulk delete needs what a delete needs, though a bulk pause needs less', async () => {
  const bulk = async (role: AccessRole, action: string) =>
    (
      await api.send('POST', '/api/v1/jobs/bulk', {
        token: api.tokens[role],
        json: { action, filter: '', dryRun: true },
      })
    ).status
  expect(await bulk('operator', 'pause')).toBe(200)
  expect(await bulk('operator', 'delete')).toBe(403)
  expect(await bulk('admin', 'delete')).toBe(200)
})
