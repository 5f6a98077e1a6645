/** Who asks, behind proxies: only those that are listed are believed, and of a chain only what they have added. */
import { expect, onTestFinished, test } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { addressList } from '../../src/app/config/address-list.ts'
import { type ApiOptions, apiConfig } from '../../src/app/config/api-config.ts'
import { visitOf } from '../../src/http/guard/proxies.ts'
import { serve } from '../../src/http/serve.ts'
import { openTestNode } from '../../src/testing/index.ts'
import { quiet } from '../promises/support.ts'
import { jobs, secret } from './api-under-test.ts'

const proxies = addressList(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'], 'trustProxy')

function addressOf(peer: string, forwarded: string): string {
  const request = new Request('http://own/', { headers: { 'x-forwarded-for': forwarded } })
  return visitOf(request, { address: peer }, proxies).address
}

test.each([
  ['127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['::ffff:127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['10.1.2.3', '203.0.113.7, 10.0.0.9', '203.0.113.7'],
  ['10.1.2.3', '1.1.1.1, 203.0.113.7, 10.0.0.9', '203.0.113.7'],
  ['fd00::1', '2001:db8::7', '2001:db8::7'],
  ['127.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['127.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
  ['127.0.0.1', '', '127.0.0.1'],
  ['127.0.0.1', 'unknown', '127.0.0.1'],
  ['127.0.0.1', '203.0.113.7, <script>', '127.0.0.1'],
  ['127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ['203.0.113.1', '127.0.0.1', '203.0.113.1'],
  ['11.0.0.1', '203.0.113.7', '11.0.0.1'],
])('from %s with X-Forwarded-For: %s, it is %s', (peer, forwarded, address) => {
  expect(addressOf(peer, forwarded)).toBe(address)
})

test('the scheme and the name are those that the nearest proxy was asked for', () => {
  const headers = {
    host: 'inside:8060',
    'x-forwarded-proto': 'http, https',
    'x-forwarded-host': 'evil, jobs.example.com',
  }
  const request = new Request('http://inside:8060/', { headers })
  expect(visitOf(request, { address: '10.0.0.1' }, proxies)).toMatchObject({
    scheme: 'https',
    host: 'jobs.example.com',
  })
  expect(visitOf(request, { address: '9.9.9.9' }, proxies)).toMatchObject({
    scheme: 'http',
    host: 'inside:8060',
  })
  const odd = { ...headers, 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'a/b@c' }
  const visit = visitOf(
    new Request('http://inside:8060/', { headers: odd }),
    { address: '10.0.0.1' },
    proxies,
  )
  expect(visit).toMatchObject({ scheme: 'http', host: 'inside:8060' })
})

async function served(options: ApiOptions) {
  const node = await openTestNode({ jobs })
  const { evertick } = node
  const config = apiConfig({ host: '127.0.0.1', port: 0, secrets: [secret], ...options })
  const app = contextOf(evertick)
  const access = openAccess(app, config)
  const running = await serve({ evertick, app, access, logger: quiet }, config)
  onTestFinished(async () => {
    await running.close()
    await node.stop()
  })
  return { ...running, node, access }
}

test('behind a listed proxy the audit log has the address of the caller, and the cookie is for https', async () => {
  const { url, node, access } = await served({ trustProxy: ['127.0.0.1'], hosts: ['jobs.example.com'] })
  const { code } = await access.createLink({ role: 'admin', name: 'Ana', actor: 'cli:root' })
  const forwarded = {
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'jobs.example.com',
    'content-type': 'application/json',
  }
  const signedIn = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: forwarded,
    body: JSON.stringify({ code }),
  })
  expect(signedIn.status).toBe(201)
  expect(signedIn.headers.get('set-cookie')).toMatch(/; Secure$/)
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
  const paused = await fetch(`${url}/api/v1/jobs/minutely/pause`, {
    method: 'POST',
    headers: { ...forwarded, cookie, origin: 'https://jobs.example.com' },
  })
  expect(await paused.json()).toMatchObject({ pausedBy: 'session:Ana' })
  const { entries } = await node.evertick.auditLog.list({ actor: 'session:Ana' })
  expect(entries.map(({ action, origin }) => [action, origin])).toEqual([
    ['job.pause', '203.0.113.7'],
    ['session.create', '203.0.113.7'],
  ])
})

test('without one, the headers are anybody\u2019s: the address stays that of the connection', async () => {
  const { url, node, access } = await served({})
  const { token } = await access.createToken({ role: 'admin', name: 'deploy' })
  const headers = {
    authorization: `Bearer ${token}`,
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-host': 'evil.example',
  }
  expect((await fetch(`${url}/api/v1/jobs/minutely/pause`, { method: 'POST', headers })).status).toBe(200)
  const { entries } = await node.evertick.auditLog.list({ action: 'job.pause' })
  expect(entries).toMatchObject([{ origin: '127.0.0.1' }])
})

test('the limits are those that were set, and each caller behind a proxy has its own', async () => {
  const { url } = await served({ rateLimit: 1, trustProxy: ['127.0.0.1'] })
  const ask = async (address: string) =>
    (await fetch(`${url}/api/v1/session/provider`, { headers: { 'x-forwarded-for': address } })).status
  expect([await ask('203.0.113.7'), await ask('203.0.113.7'), await ask('203.0.113.7')]).toEqual([
    200, 200, 429,
  ])
  expect(await ask('203.0.113.8')).toBe(200)
})

test('a larger body is taken where it was allowed, by routes that take data', async () => {
  const { url, access } = await served({ maxBodyBytes: 65_536 })
  const { token } = await access.createToken({ role: 'admin', name: 'deploy' })
  const enqueue = async (bytes: number) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ job: 'break', input: 'x'.repeat(bytes) })
    return (await fetch(`${url}/api/v1/executions`, { method: 'POST', headers, body })).status
  }
  expect([await enqueue(60_000), await enqueue(70_000)]).toEqual([201, 413])
})
