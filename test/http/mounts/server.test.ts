/** The API as a `fetch` for whoever has a server, and on a port below a base path. */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { expect, onTestFinished, test } from 'vitest'
import { accessOf, apiOf, serve } from '../../../src/http/mounts/server.ts'
import { Evertick } from '../../../src/index.ts'
import { describeMount, listening, type Mount, openScene, secrets } from './mounted-app.ts'

const base = '/jobs'

const mount: Mount = async (evertick) => {
  const api = apiOf(evertick, { basePath: base, secrets })
  const isOurs = (path: string) => path === base || path.startsWith(`${base}/`)
  const answer = async (request: Request) =>
    isOurs(new URL(request.url).pathname) ? await api.fetch(request) : new Response('the app')
  const listener = getRequestListener(answer, { overrideGlobalObjects: false })
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  const close = async () => {
    await api.close()
    server.closeIdleConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { origin: await listening(server), close }
}

describeMount('a fetch handler', base, mount)

test('names that it is not called by are refused, where names are given', async () => {
  const { evertick } = await openScene(mount)
  const api = apiOf(evertick, { secrets, hosts: ['jobs.example'] })
  const status = async (host: string) =>
    (await api.fetch(new Request(`http://${host}/livez`, { headers: { host } }))).status
  expect(await status('jobs.example')).toBe(200)
  expect(await status('evil.example')).toBe(403)
})

test('a limit counts the address that it is told', async () => {
  const { evertick } = await openScene(mount)
  const api = apiOf(evertick, { secrets })
  const guess = async (address: string) => {
    const request = new Request('http://app/api/v1/jobs', { headers: { authorization: 'Bearer a.b.c' } })
    return (await api.fetch(request, { address })).status
  }
  let answer = 401
  for (let count = 0; count < 100 && answer === 401; count += 1) answer = await guess('203.0.113.7')
  expect(answer).toBe(429)
  expect(await guess('203.0.113.8')).toBe(401)
})

test('serve listens below its base path, without the role api, until the Evertick stops', async () => {
  const evertick = await Evertick.open({ database: 'sqlite::memory:' })
  onTestFinished(() => evertick.stop())
  const { url } = await serve(evertick, { port: 0, basePath: '/jobs/', secrets })
  expect(new URL(url).pathname).toBe('/jobs')
  const { token } = await accessOf(evertick, { secrets }).createToken({ role: 'viewer' })
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${url}/api/v1/session`, { headers })).status).toBe(200)
  expect((await fetch(new URL('/api/v1/session', url), { headers })).status).toBe(404)
  await evertick.stop()
  await expect(fetch(`${url}/livez`)).rejects.toThrow('fetch failed')
})

test('a base path must be one', async () => {
  const { evertick } = await openScene(mount)
  for (const basePath of ['jobs', '//evil.example', '/a b', '/a;b', '/a//b']) {
    expect(() => apiOf(evertick, { basePath, secrets })).toThrow('is not a valid base path')
  }
})
