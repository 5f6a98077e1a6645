/** Where a mount sends people back to: by the name and scheme that its app says the caller has asked for. */
import express from 'express'
import fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { evertickExpress } from '../../../src/http/mounts/express.ts'
import { evertickFastify } from '../../../src/http/mounts/fastify.ts'
import { apiOf } from '../../../src/http/mounts/server.ts'
import { Evertick } from '../../../src/index.ts'
import { lyingProvider } from '../sign-in/lying-provider.ts'
import { listening, secrets } from './mounted-app.ts'

const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'jobs.example.com' }

async function opened() {
  const { issuer } = await lyingProvider()
  const evertick = await Evertick.open({ database: 'sqlite::memory:' })
  onTestFinished(() => evertick.stop())
  return {
    evertick,
    options: { secrets, oidc: { issuer, clientId: 'evertick', roles: { admin: ['group:ops'] } } },
  }
}

function wayBack(response: Response): string | null {
  return new URL(response.headers.get('location') ?? '').searchParams.get('redirect_uri')
}

test.each([
  [false, 'http:'],
  [true, 'https:'],
])('Express, with trust proxy %s: %s', async (trusts, scheme) => {
  const { evertick, options } = await opened()
  const app = express().set('trust proxy', trusts).use('/jobs', evertickExpress(evertick, options))
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  const origin = await listening(server)
  const sent = await fetch(`${origin}/jobs/sign-in/begin`, { redirect: 'manual', headers })
  expect(wayBack(sent)).toBe(`${scheme}//${new URL(origin).host}/jobs/sign-in/callback`)
  expect(sent.headers.get('set-cookie')).toContain('; Path=/jobs/sign-in; ')
  expect(sent.headers.get('set-cookie')?.endsWith('; Secure')).toBe(trusts)
})

test.each([
  [false, 'http://own.test'],
  [true, 'https://jobs.example.com'],
])('Fastify, with trustProxy %s: %s', async (trustProxy, origin) => {
  const { evertick, options } = await opened()
  const app = fastify({ trustProxy })
  await app.register(evertickFastify, { prefix: '/jobs', evertick, ...options })
  onTestFinished(() => app.close())
  const sent = await app.inject({ url: '/jobs/sign-in/begin', headers: { ...headers, host: 'own.test' } })
  const back = new URL(String(sent.headers.location)).searchParams.get('redirect_uri')
  expect(back).toBe(`${origin}/jobs/sign-in/callback`)
})

test('apiOf, with what its caller says', async () => {
  const { evertick, options } = await opened()
  const api = apiOf(evertick, { basePath: '/jobs', ...options })
  const request = new Request('http://inside:3000/jobs/sign-in/begin', { headers: { host: 'inside:3000' } })
  expect(wayBack(await api.fetch(request))).toBe('http://inside:3000/jobs/sign-in/callback')
  const from = { scheme: 'https', host: 'jobs.example.com' }
  expect(wayBack(await api.fetch(request, from))).toBe('https://jobs.example.com/jobs/sign-in/callback')
})
