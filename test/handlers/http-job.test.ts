/** A job that calls a URL: what it sends, what it makes of the answer, and where it does not go. */
import { expect, onTestFinished, test } from 'vitest'
import type { CreateJob } from '../../src/index.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'
import { until } from '../process/until.ts'
import { type EchoServer, echoServer } from './echo-server.ts'

async function nodeFor(server: EchoServer | null, options: TestNodeOptions = {}): Promise<TestNode> {
  const node = await openTestNode({
    allowPrivateHosts: server === null ? [] : [server.host],
    ...options,
  })
  onTestFinished(() => node.stop())
  return node
}

/** Runs it once to its end, retries included. */
async function ran(node: TestNode, job: CreateJob, input?: unknown) {
  await node.evertick.jobs.create(job)
  const { id } = await node.evertick.jobs.trigger(job.name, input === undefined ? {} : { input })
  await node.settle()
  return await node.evertick.executions.get(id)
}

test('a call says which execution it is, and its answer is the result', async () => {
  const server = await echoServer(() => ({
    status: 201,
    headers: { 'content-type': 'application/json', etag: '"1"', 'x-other': 'dropped' },
    body: '{"order":42}',
  }))
  const node = await nodeFor(server)
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await node.evertick.jobs.create({
    name: 'order',
    handler: { type: 'http', url: server.url, headers: { 'X-Team': 'money' }, body: { item: 'é' } },
  })
  const { id } = await node.evertick.jobs.trigger('order', { metadata: { traceparent } })
  await node.settle()
  const done = await node.evertick.executions.get(id)
  expect(done).toMatchObject({
    state: 'completed',
    result: {
      status: 201,
      headers: { 'content-type': 'application/json', etag: '"1"' },
      body: { order: 42 },
      truncated: false,
    },
  })
  expect((done.result as { headers: object }).headers).not.toHaveProperty('x-other')
  expect(server.asked).toMatchObject([
    {
      method: 'POST',
      url: '/hook?x=1',
      body: '{"item":"é"}',
      headers: {
        'content-type': 'application/json',
        'x-team': 'money',
        'idempotency-key': done.idempotencyKey,
        'evertick-execution': id,
        'evertick-scheduled-for': done.scheduledFor.toISOString(),
        'evertick-attempt': '1',
        traceparent,
      },
    },
  ])
})

test.each([
  ['nothing to send', {}, undefined, 'GET', ''],
  ['text', { body: 'plain' }, undefined, 'POST', 'plain'],
  ['the input, where there is no body', {}, { a: 1 }, 'POST', '{"a":1}'],
  ['a text as input, as JSON', {}, 'word', 'POST', '"word"'],
  ['the body before the input', { body: [1] }, { a: 1 }, 'POST', '[1]'],
  ['a method of its own', { method: 'PUT', body: 'x' }, undefined, 'PUT', 'x'],
] as const)('it sends %s', async (_, given, input, method, body) => {
  const server = await echoServer(() => ({}))
  const node = await nodeFor(server)
  const done = await ran(node, { name: 'call', handler: { type: 'http', url: server.url, ...given } }, input)
  expect([done.state, server.asked[0]?.method, server.asked[0]?.body]).toEqual(['completed', method, body])
})

test('an input that GET cannot carry is said, not dropped', async () => {
  const server = await echoServer(() => ({}))
  const node = await nodeFor(server)
  const handler = { type: 'http', url: server.url, method: 'GET' } as const
  const failed = await ran(node, { name: 'call', handler }, { a: 1 })
  expect(failed).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'invalid_input' } })
  expect(server.asked).toEqual([])
})

test.each([
  [404, undefined, 'failed', 1],
  [404, [200, 404], 'completed', 1],
  [418, '400-418', 'completed', 1],
  [204, 200, 'failed', 2],
  [302, undefined, 'failed', 1],
  [500, undefined, 'failed', 2],
  [408, undefined, 'failed', 2],
  [425, '2xx', 'failed', 2],
  [429, '2xx', 'failed', 2],
] as const)('%i where %o is expected: %s after %i tries', async (status, expected, state, tries) => {
  const server = await echoServer(() => ({ status, body: status === 204 ? '' : 'no such thing' }))
  const node = await nodeFor(server)
  await node.evertick.jobs.create({
    name: 'call',
    handler: { type: 'http', url: server.url, ...(expected === undefined ? {} : { expect: expected }) },
    retry: { attempts: 2 },
  })
  await node.evertick.jobs.trigger('call')
  await node.advance('1m')
  const [execution] = await node.executions('call')
  expect([execution?.state, server.asked.length]).toEqual([state, tries])
  if (state === 'completed') return
  expect(execution?.error?.message).toContain(`answered ${status}; expected: ${String(expected ?? '2xx')}`)
  expect(execution?.error?.message).not.toContain('/hook')
})

test.each([
  ['30', 30_000],
  ['Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
  ['0', 1_000],
  ['soon', 1_000],
])('Retry-After: %s is waited for', async (after, waitMs) => {
  const server = await echoServer((_, times) =>
    times === 1 ? { status: 503, headers: { 'retry-after': after } } : { body: 'there' },
  )
  const node = await nodeFor(server)
  await ran(node, { name: 'call', handler: { type: 'http', url: server.url } })
  expect((await node.executions('call'))[0]).toMatchObject({
    state: 'retrying',
    readyAt: new Date(node.clock.now() + waitMs),
  })
  await node.advance('3m')
  expect((await node.executions('call'))[0]).toMatchObject({ state: 'completed', attempt: 2 })
  const keys = server.asked.map(({ headers }) => headers['idempotency-key'])
  expect(keys[0]).toBe(keys[1])
})

test('a long answer is kept in part, and does not make the call fail', async () => {
  const server = await echoServer(() => ({ body: 'é'.repeat(1_000_000) }))
  const node = await nodeFor(server)
  const done = await ran(node, { name: 'call', handler: { type: 'http', url: server.url } })
  const result = done.result as { body: string; truncated: boolean }
  expect([done.state, result.truncated, result.body.length]).toEqual(['completed', true, 65_536])
  expect(server.asked).toHaveLength(1)
})

test('a server that never answers is left when the time of the job is over, or when it is cancelled', async () => {
  const server = await echoServer(() => ({ hangs: true }))
  const node = await nodeFor(server)
  const { jobs, executions } = node.evertick
  const handler = { type: 'http', url: server.url } as const
  await jobs.create({ name: 'slow', handler, timeout: '1h', retry: { attempts: 1 } })
  const late = await jobs.trigger('slow')
  await until('the call', () => server.asked.length === 1)
  node.clock.moveTo(node.clock.now() + 3_600_000)
  await node.settle()
  expect(await executions.get(late.id)).toMatchObject({ state: 'failed', error: { code: 'timeout' } })
  await jobs.create({ name: 'stopped', handler, timeout: '1h' })
  const { id } = await jobs.trigger('stopped')
  await until('the second call', () => server.asked.length === 2)
  await executions.cancel(id)
  await until('its end', async () => {
    // The lease keeper hears of it when it renews.
    node.clock.moveTo(node.clock.now() + 5_000)
    return (await executions.get(id)).state === 'cancelled'
  })
})

test('a refused connection is tried again', async () => {
  const server = await echoServer(() => ({}))
  const node = await nodeFor(server, { allowPrivateHosts: ['127.0.0.1'] })
  await node.evertick.jobs.create({
    name: 'call',
    handler: { type: 'http', url: 'http://127.0.0.1:1/' },
    retry: { attempts: 2 },
  })
  await node.evertick.jobs.trigger('call')
  await node.advance('1m')
  expect((await node.executions('call'))[0]).toMatchObject({
    state: 'failed',
    attempt: 2,
    error: { code: 'outbound_failed' },
  })
})

test.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://localhost/',
  'http://127.1/',
  'http://0x7f.1/',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
  'http://10.0.0.1:8080/',
])('%s is not called, and not tried again', async (url) => {
  const node = await nodeFor(null)
  const failed = await ran(node, { name: 'call', handler: { type: 'http', url } })
  expect(failed).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'outbound_refused' } })
})

test.each([
  [{ url: 'file:///etc/passwd' }, 'outbound_refused'],
  [{ url: 'http://user:word@example.com/' }, 'outbound_refused'],
  [{ url: 'no url' }, 'outbound_refused'],
  [{ method: 'GET', body: 'x' }, 'invalid_definition'],
  [{ method: 'TRACE' }, 'invalid_definition'],
  [{ expect: '6xx' }, 'invalid_definition'],
  [{ expect: '204-200' }, 'invalid_definition'],
  [{ expect: [] }, 'invalid_definition'],
  [{ headers: { 'X-A': 'b\r\nX-C: d' } }, 'invalid_definition'],
  [{ headers: { 'X A': 'b' } }, 'invalid_definition'],
  [{ headers: { Host: 'elsewhere' } }, 'invalid_definition'],
  [{ headers: { 'Idempotency-Key': 'mine' } }, 'invalid_definition'],
  [{ headers: { 'X-A': '1', 'x-a': '2' } }, 'invalid_definition'],
  [{ headers: { 'X-A': '☃' } }, 'invalid_definition'],
  [{ follow: true }, 'invalid_definition'],
])('%o is refused', async (given, code) => {
  const node = await nodeFor(null)
  const handler = { type: 'http', url: 'https://example.com/', ...given } as never
  await expect(node.evertick.jobs.create({ name: 'call', handler })).rejects.toMatchObject({ code })
})
