/** The vault: values by name, written and never read back, used by handlers that name them. */
import { expect, onTestFinished, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { applyList } from '../../src/app/job/managed/apply-list.ts'
import { exportJobs } from '../../src/app/job/managed/export-jobs.ts'
import { secretsNamedIn } from '../../src/core/job/handler.ts'
import type { CreateJob } from '../../src/index.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'
import { answeringServer, json } from '../app/source/answering-server.ts'
import { argvProgram } from '../handlers/command-node.ts'
import { echoServer } from '../handlers/echo-server.ts'
import { openReceiver } from '../webhooks/receiver.ts'

async function opened(options: TestNodeOptions = {}): Promise<TestNode> {
  const node = await openTestNode(options)
  onTestFinished(() => node.stop())
  return node
}

async function ran(node: TestNode, job: string) {
  const { id } = await node.evertick.jobs.trigger(job)
  await node.settle()
  return await node.evertick.executions.get(id)
}

const calling = (url: string): CreateJob => ({
  name: 'call',
  retry: { attempts: 1 },
  handler: {
    type: 'http',
    url,
    headers: { Authorization: { secret: 'token' }, 'X-Team': 'money' },
    body: { a: [{ key: { secret: 'token' } }], b: { secret: 'other', more: 1 }, c: null },
  },
})

test('a call has the secrets that its headers and body name, at any depth, and the job shows only names', async () => {
  const echo = await echoServer(() => ({ body: 'ok' }))
  const { evertick, ...node } = await opened({ allowPrivateHosts: [echo.host] })
  await evertick.secrets.set('token', 'Bearer abc-123')
  await evertick.jobs.create(calling(echo.url))
  await ran({ evertick, ...node }, 'call')
  expect(echo.asked[0]?.headers).toMatchObject({ authorization: 'Bearer abc-123', 'x-team': 'money' })
  expect(JSON.parse(echo.asked[0]?.body ?? '')).toEqual({
    a: [{ key: 'Bearer abc-123' }],
    // More than a name is data.
    b: { secret: 'other', more: 1 },
    c: null,
  })
  expect((await evertick.jobs.get('call')).handler).toMatchObject(calling(echo.url).handler as object)
})

test('a new value holds from the next run on, also on a node that has run the job before', async () => {
  const echo = await echoServer(() => ({}))
  const node = await opened({ allowPrivateHosts: [echo.host] })
  await node.evertick.secrets.set('token', 'one')
  await node.evertick.jobs.create(calling(echo.url))
  await ran(node, 'call')
  await node.evertick.secrets.set('token', 'two')
  await ran(node, 'call')
  expect(echo.asked.map(({ headers }) => headers.authorization)).toEqual(['one', 'two'])
})

test('a secret that nobody has set fails the attempt, says what to do, and holds once it is set', async () => {
  const echo = await echoServer(() => ({}))
  const node = await opened({ allowPrivateHosts: [echo.host] })
  await node.evertick.jobs.create({ ...calling(echo.url), retry: { attempts: 2, base: '1m', jitter: 0 } })
  const first = await ran(node, 'call')
  expect(first).toMatchObject({ state: 'retrying', error: { code: 'secret_missing' } })
  expect(first.error?.message).toContain('token')
  expect(echo.asked).toEqual([])
  await node.evertick.secrets.set('token', 'late')
  await node.advance('1m')
  expect(await node.evertick.executions.get(first.id)).toMatchObject({ state: 'completed', attempt: 2 })
})

test('a command has them as variables', async () => {
  const command = argvProgram()
  const node = await opened({ allowCommands: [command], allowCommandEnv: ['API_TOKEN', 'TEAM'] })
  await node.evertick.secrets.set('token', 'abc-123')
  const env = { API_TOKEN: { secret: 'token' }, TEAM: 'money' }
  await node.evertick.jobs.create({ name: 'runs', handler: { type: 'command', command, env } })
  const { result } = await ran(node, 'runs')
  expect(JSON.stringify(result)).toContain(String.raw`\"API_TOKEN\":\"[redacted]\"`)
  expect(JSON.stringify(result)).not.toContain('abc-123')
})

test('a webhook has them in its headers', async () => {
  const receiver = await openReceiver()
  const node = await opened({ allowPrivateHosts: [receiver.host] })
  await node.evertick.secrets.set('token', 'abc-123')
  const { webhooks } = node.evertick
  const headers = { 'X-Key': { secret: 'token' } }
  await webhooks.create({ name: 'ops', url: receiver.url, events: ['*'], headers })
  expect(await webhooks.get('ops')).toMatchObject({ headers })
  expect((await webhooks.test('ops')).ok).toBe(true)
  expect(receiver.received[0]?.headers).toMatchObject({ 'x-key': 'abc-123' })
  expect((await node.evertick.secrets.list())[0]?.usedBy).toEqual(['webhook ops'])
})

test('the list has who set each, and which jobs name it, and no value', async () => {
  const node = await opened()
  const { secrets, jobs } = node.evertick
  await secrets.set('token', 'abc-123', { actor: 'ann' })
  await jobs.create({ ...calling('https://example.com/'), name: 'b' })
  await jobs.create({ ...calling('https://example.com/'), name: 'a' })
  const listed = await secrets.list()
  const at = new Date(node.clock.now())
  expect(listed).toEqual([
    { name: 'token', createdAt: at, createdBy: 'ann', changedAt: at, changedBy: 'ann', usedBy: ['a', 'b'] },
  ])
})

test('one that is used is deleted only by force, and the refusal says who uses it', async () => {
  const node = await opened()
  const { secrets, jobs } = node.evertick
  await secrets.set('token', 'abc-123')
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await jobs.create({ ...calling('https://example.com/'), name })
  await expect(secrets.delete('token')).rejects.toMatchObject({
    code: 'secret_in_use',
    message: 'The secret "token" is used by a, b, c and 2 more.',
  })
  await secrets.delete('token', { force: true })
  expect(await secrets.list()).toEqual([])
  await expect(secrets.delete('token')).rejects.toMatchObject({ code: 'secret_missing' })
})

test.each([
  ['', 'x', 'name'],
  ['a b', 'x', 'name'],
  ['../etc', 'x', 'name'],
  ['a'.repeat(101), 'x', 'name'],
  ['a', '', 'value'],
  ['a', 'x\0y', 'value'],
  ['a', '\ud800', 'value'],
  ['a', 'x'.repeat(65_537), 'value'],
  ['a', 7, 'value'],
])('%.20j with %.20j is refused', async (name, value, field) => {
  const node = await opened()
  // As a caller without types might.
  const set = node.evertick.secrets.set(name, value as string)
  await expect(set).rejects.toMatchObject({ code: 'invalid_option', field })
})

test.each([
  { headers: { 'X-Key': { secret: 'a b' } } },
  { headers: { 'X-Key': { secret: 'a', more: 1 } } },
  { headers: { 'X-Key': { sealed: 'a' } } },
  { body: { deep: [{ secret: 'a b' }] } },
])('a handler with %j is refused', async (given) => {
  const node = await opened()
  const handler = { type: 'http', url: 'https://example.com/', ...given }
  await expect(node.evertick.jobs.create({ name: 'a', handler: handler as never })).rejects.toMatchObject({
    code: 'invalid_definition',
  })
})

test('a list of jobs, its export and its differences have names as they are', async () => {
  const node = await opened()
  const app = contextOf(node.evertick)
  const { name, handler } = calling('https://example.com/')
  const apply = async (value: unknown) => await applyList(app, { name: 'f', jobs: [value] })
  await apply({ name, handler })
  expect((await exportJobs(app)).jobs).toMatchObject([{ name, handler }])
  expect(await apply({ name, handler })).toMatchObject({ unchanged: ['call'] })
  const other = await apply({
    name,
    handler: { ...(handler as object), headers: { Authorization: { secret: 'b' } } },
  })
  expect(other.changes[0]?.fields).toContainEqual({
    field: 'handler.headers.Authorization.secret',
    before: 'token',
    after: 'b',
  })
})

const source = (url: string) => ({
  type: 'source' as const,
  url,
  mapping: { name: 'id' },
  job: { handler: { type: 'http', url: 'https://example.com/', headers: { key: { secret: 'token' } } } },
})

test('the jobs of a source may name a secret where the source itself says where it goes', async () => {
  const server = await answeringServer()
  const node = await opened({ allowPrivateHosts: ['127.0.0.1'] })
  await node.evertick.jobs.create({ name: 'shop', handler: source(server.url) })
  server.answer = json([{ id: 'a' }])
  expect(await ran(node, 'shop')).toMatchObject({ state: 'completed' })
  expect((await node.evertick.jobs.get('a')).handler).toMatchObject({ headers: { key: { secret: 'token' } } })
})

test('a list from outside neither takes a secret to an address of its own, nor names one', async () => {
  const server = await answeringServer()
  const node = await opened({ allowPrivateHosts: ['127.0.0.1'] })
  const { jobs } = node.evertick
  const mapped = { ...source(server.url), mapping: { name: 'id', 'handler.url': 'url' } }
  await expect(jobs.create({ name: 'shop', handler: mapped })).rejects.toMatchObject({
    code: 'invalid_definition',
    field: 'handler.job.handler',
  })
  const whole = { type: 'source' as const, url: server.url, mapping: { name: 'id', handler: 'handler' } }
  await jobs.create({ name: 'shop', handler: { ...whole, job: {} } })
  const evil = { type: 'http', url: 'https://evil.example/', headers: { key: { secret: 'token' } } }
  const good = { type: 'http', url: 'https://example.com/' }
  server.answer = json([
    { id: 'evil', handler: evil },
    { id: 'body', handler: { ...good, body: [{ secret: 'token' }] } },
    { id: 'good', handler: good },
  ])
  const { result } = await ran(node, 'shop')
  expect(result).toMatchObject({ counts: { added: 1, invalid: 2 }, first: { added: ['good'] } })
  await expect(jobs.get('evil')).rejects.toMatchObject({ code: 'job_not_found' })
})

const canary = 'T0123456789canary'

test('where the address is a secret, the call goes there, and no part of it is in what is left', async () => {
  const echo = await echoServer(({ url }, times) => ({ status: times === 1 ? 200 : 404, body: `no ${url}` }))
  const { evertick, ...node } = await opened({ allowPrivateHosts: [echo.host] })
  await evertick.secrets.set('hook', `http://${echo.host}/services/${canary}?key=${canary}`)
  const handler = { type: 'http', url: { secret: 'hook' } } as const
  await evertick.jobs.create({ name: 'call', retry: { attempts: 1 }, handler })
  const left = [await ran({ evertick, ...node }, 'call'), await ran({ evertick, ...node }, 'call')]
  expect(left).toMatchObject([
    { state: 'completed' },
    { state: 'failed', error: { code: 'unexpected_status' } },
  ])
  expect(echo.asked.map(({ url }) => url)).toEqual(Array(2).fill(`/services/${canary}?key=${canary}`))
  expect(JSON.stringify([left, await evertick.jobs.get('call')])).not.toContain('canary')
  expect((await evertick.jobs.get('call')).handler).toMatchObject(handler)
})

test('a webhook goes to an address that is a secret', async () => {
  const receiver = await openReceiver()
  const node = await opened({ allowPrivateHosts: [receiver.host] })
  await node.evertick.secrets.set('hook', receiver.url)
  const { webhooks } = node.evertick
  await webhooks.create({ name: 'ops', url: { secret: 'hook' }, events: ['*'] })
  expect(await webhooks.get('ops')).toMatchObject({ url: { secret: 'hook' } })
  expect((await webhooks.test('ops')).ok).toBe(true)
  expect(receiver.received).toHaveLength(1)
})

test('a secret that is no address, or one that is not allowed, is refused when it is called', async () => {
  const node = await opened()
  const { secrets, jobs } = node.evertick
  await jobs.create({ name: 'call', handler: { type: 'http', url: { secret: 'hook' } } })
  for (const wrong of ['no address', 'http://127.0.0.1:9/', 'ftp://example.com/']) {
    await secrets.set('hook', wrong)
    expect(await ran(node, 'call')).toMatchObject({ state: 'failed', error: { code: 'outbound_refused' } })
  }
})

test('a value that was given for one address is neither kept nor taken for an address that is a secret', async () => {
  const { evertick } = await opened()
  const { jobs, webhooks } = evertick
  const headers = { Authorization: 'Bearer in place' }
  const url = { secret: 'hook' }
  const refused = { code: 'invalid_definition', field: 'handler.headers' }
  await expect(jobs.create({ name: 'a', handler: { type: 'http', url, headers } })).rejects.toMatchObject(
    refused,
  )
  await jobs.create({ name: 'a', handler: { type: 'http', url: 'https://example.com/', headers } })
  const kept = { Authorization: '[redacted]' }
  await expect(jobs.update('a', { handler: { type: 'http', url, headers: kept } })).rejects.toMatchObject({
    code: 'invalid_definition',
    field: 'handler.headers.Authorization',
  })
  await webhooks.create({ name: 'ops', url: 'https://example.com/', events: ['*'], headers })
  expect(await webhooks.update('ops', { url })).toMatchObject({ url, headers: {} })
  await expect(webhooks.update('ops', { headers })).rejects.toMatchObject(refused)
  const named = { Authorization: { secret: 'token' }, 'X-Team': 'money' }
  expect(await jobs.update('a', { handler: { type: 'http', url, headers: named } })).toMatchObject({
    handler: { url, headers: named },
  })
})

test('a body may be deeper than calls can be', async () => {
  let deep: unknown = { secret: 'token' }
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep]
  expect(secretsNamedIn(deep)).toEqual(['token'])
})
