/** Secrets of jobs are written and never read back: a canary in every slot is found nowhere. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { Secrets } from '../../src/app/secrets.ts'
import type { HandlerOptions } from '../../src/index.ts'
import { openApi } from '../http/api-under-test.ts'
import { argvProgram, letting, nodeAllowing, shellProgram, testFolder } from './command-node.ts'
import { echoServer } from './echo-server.ts'

beforeEach(() => {
  vi.stubEnv('EVERTICK_SECRETS_KEY', 'a-key-for-the-secrets-of-these-tests-0123456789')
  return () => vi.unstubAllEnvs()
})

const canary = 'canary-7f3a9c'
const headers = {
  Authorization: `Bearer ${canary}`,
  Cookie: `sid=${canary}; theme=dark`,
  'Proxy-Authorization': `Basic ${canary}`,
  'X-Api-Key': canary,
  'X-Auth-Token': canary,
  'X-Client-Secret': canary,
  'X-Password': canary,
  'X-Team': 'money',
}
const env = {
  API_TOKEN: canary,
  DB_PASSWORD: canary,
  AWS_SECRET_ACCESS_KEY: `${canary}"quoted`,
  TEAM: 'money',
}

test('a canary in every secret slot reaches its goal, and is found nowhere else', async () => {
  // Both give back all that they were sent, as a result and as an error.
  const echo = await echoServer(({ headers: sent }, times) => ({
    status: times === 1 ? 200 : 400,
    headers: { 'content-type': 'application/json', etag: String(sent['x-api-key']) },
    body: JSON.stringify(sent),
  }))
  const prints = argvProgram()
  const fails = shellProgram('env; env >&2; exit 1')
  const folder = testFolder()
  const api = await openApi({
    database: `sqlite:${join(folder, 'evertick.db')}`,
    allowCommands: [prints, fails],
    ...letting(env),
    allowPrivateHosts: [echo.host],
  })
  const { node, call } = api
  const seen: string[] = []
  const ask = async (method: string, path: string, json?: unknown) => {
    const answer = await call(method, `/api/v1${path}`, json)
    seen.push(answer.text)
    return answer
  }
  const handlers: Record<string, HandlerOptions> = {
    calls: { type: 'http', url: echo.url, headers },
    prints: { type: 'command', command: prints, env },
    fails: { type: 'command', command: fails, env },
  }
  for (const [name, handler] of Object.entries(handlers)) {
    expect((await ask('POST', '/jobs', { name, handler, retry: { attempts: 1 } })).status).toBe(201)
    await node.advance('2s')
    await ask('POST', `/jobs/${name}/trigger`)
    await node.advance('2s')
    const kept = (await ask('GET', `/jobs/${name}`)).json.handler
    expect((await ask('PATCH', `/jobs/${name}`, { handler: kept })).status).toBe(200)
    await ask('GET', `/jobs/${name}/revisions`)
    await ask('PATCH', `/jobs/${name}`, { handler: { ...handlers[name], headers: { Cookie: 7 } } })
    const { executions } = (await ask('GET', `/jobs/${name}/executions`)).json as {
      executions: { id: string }[]
    }
    expect(executions.length).toBeGreaterThan(1)
    for (const { id } of executions) {
      await ask('GET', `/executions/${id}`)
      await ask('GET', `/executions/${id}/logs`)
    }
  }
  await ask('GET', '/jobs')
  await ask('GET', '/audit-log')
  await node.stop()
  expect(echo.asked.map(({ headers: sent }) => sent.authorization)).toEqual([
    headers.Authorization,
    headers.Authorization,
  ])
  const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'))
  const everything = [...seen, ...api.logged, ...files]
  // The search itself finds what is there.
  expect(everything.some((text) => text.includes('[redacted]'))).toBe(true)
  expect(everything.some((text) => text.includes('money'))).toBe(true)
  expect(everything.filter((text) => text.includes(canary) || text.includes(canary.slice(0, 9)))).toEqual([])
})

const http = { type: 'http', url: 'https://example.com/a', headers: { Authorization: 'Bearer one' } } as const

test('a redacted value that comes back keeps what was there, but only for where it was meant', async () => {
  const node = await nodeAllowing([], { allowCommandEnv: ['API_TOKEN'] })
  const { jobs } = node.evertick
  await jobs.create({ name: 'call', handler: http })
  const { handler } = await jobs.get('call')
  expect(handler).toMatchObject({ headers: { Authorization: '[redacted]' } })
  const kept = { ...http, headers: { authorization: '[redacted]', 'X-More': '1' } }
  await jobs.update('call', { handler: { ...kept, url: 'https://example.com/b' } })
  for (const url of ['https://elsewhere.com/a', 'http://example.com/a', 'https://example.com:8443/a']) {
    await expect(jobs.update('call', { handler: { ...kept, url } })).rejects.toMatchObject({
      code: 'invalid_definition',
      field: 'handler.headers.authorization',
    })
  }
  const command = { type: 'command', command: '/bin/true', env: { API_TOKEN: 'x' } } as const
  await jobs.update('call', { handler: command })
  const other = { ...command, command: '/bin/echo', env: { API_TOKEN: '[redacted]' } }
  await expect(jobs.update('call', { handler: other })).rejects.toMatchObject({ code: 'invalid_definition' })
  await expect(jobs.create({ name: 'new', handler: other })).rejects.toMatchObject({
    code: 'invalid_definition',
  })
})

test('an edit of something else leaves the handler and its secrets as they are', async () => {
  const server = await echoServer(() => ({}))
  const node = await nodeAllowing([], { allowPrivateHosts: [server.host] })
  const { jobs } = node.evertick
  await jobs.create({ name: 'call', handler: { ...http, url: server.url } })
  await jobs.update('call', { description: 'changed' })
  await jobs.trigger('call')
  await node.settle()
  expect(server.asked[0]?.headers.authorization).toBe('Bearer one')
})

test('a node without the key does not run the job, and says why', async () => {
  const server = await echoServer(() => ({}))
  const database = `sqlite:${join(testFolder(), 'evertick.db')}`
  const first = await nodeAllowing([], { database })
  await first.evertick.jobs.create({
    name: 'call',
    handler: { ...http, url: server.url },
    retry: { attempts: 1 },
  })
  await first.stop()
  vi.stubEnv('EVERTICK_SECRETS_KEY', 'another-key-that-was-never-used-here-9876543210')
  const node = await nodeAllowing([], { database, allowPrivateHosts: [server.host] })
  const { id } = await node.evertick.jobs.trigger('call')
  await node.settle()
  expect(await node.evertick.executions.get(id)).toMatchObject({
    state: 'failed',
    error: { code: 'secret_unreadable' },
  })
  expect(server.asked).toEqual([])
})

test('without any key a secret is not taken, and a job without secrets is', async () => {
  vi.stubEnv('EVERTICK_SECRETS_KEY', '')
  vi.stubEnv('EVERTICK_JWT_SECRET', '')
  const none = new Secrets(() => [])
  expect(() => none.seal('x', 'slot')).toThrow(expect.objectContaining({ code: 'secret_unreadable' }))
  // On SQLite there is always one: beside the file.
  const folder = testFolder()
  const node = await nodeAllowing([], { database: `sqlite:${join(folder, 'evertick.db')}` })
  await node.evertick.jobs.create({ name: 'plain', handler: { type: 'http', url: http.url } })
  expect(readdirSync(folder)).not.toContain('jwt-secret')
  await node.evertick.jobs.create({ name: 'call', handler: http })
  expect(readdirSync(folder)).toContain('jwt-secret')
})

test('what is sealed opens with its own key, in its own place, and only whole', () => {
  const [one, other] = ['first', 'second'].map((word) => `${word}-key-of-at-least-32-bytes-0123456789`)
  const secrets = new Secrets(() => [one ?? ''])
  const sealed = secrets.seal('word', 'slot')
  expect(sealed.sealed).not.toBe(secrets.seal('word', 'slot').sealed)
  expect(secrets.open(sealed, 'slot')).toBe('word')
  expect(new Secrets(() => [other ?? '', one ?? '']).open(sealed, 'slot')).toBe('word')
  const bent = { sealed: sealed.sealed.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')) }
  const wrong: (() => string)[] = [
    () => secrets.open(sealed, 'other slot'),
    () => new Secrets(() => [other ?? '']).open(sealed, 'slot'),
    () => secrets.open(bent, 'slot'),
    () => secrets.open({ sealed: '' }, 'slot'),
  ]
  for (const open of wrong) expect(open).toThrow(expect.objectContaining({ code: 'secret_unreadable' }))
  expect(() => new Secrets(() => ['short']).seal('word', 'slot')).toThrow(
    expect.objectContaining({ code: 'weak_secret' }),
  )
})
