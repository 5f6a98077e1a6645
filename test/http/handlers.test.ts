/** Jobs that need no code, made over HTTP: created, run at once, and looked at. */
import { expect, test } from 'vitest'
import { allRoutes } from '../../src/http/all-routes.ts'
import { shellProgram } from '../handlers/command-node.ts'
import { echoServer } from '../handlers/echo-server.ts'
import { openApiUnderTest } from './api-under-test.ts'
import { problemsWith } from './fuzz/verdict.ts'

const routeOf = (method: string, fullPath: string) =>
  allRoutes.find((route) => route.method === method && route.fullPath === fullPath)

test('each handler runs with no code of its user, and shows its result and its log', async () => {
  const server = await echoServer(() => ({
    headers: { 'content-type': 'application/json' },
    body: '{"ok":true}',
  }))
  const command = shellProgram('echo "hello $1"')
  const { call, node } = await openApiUnderTest({
    allowCommands: [command],
    allowPrivateHosts: [server.host],
  })
  const expected = [
    [{ type: 'function', name: 'greet' }, { said: 'you' }, ['hello you']],
    [{ type: 'http', url: server.url, expect: [200, '3xx'] }, { status: 200, body: { ok: true } }, []],
    [{ type: 'command', command, args: ['world'] }, { exitCode: 0, output: 'hello world' }, ['hello world']],
  ] as const
  for (const [handler, result, lines] of expected) {
    const name = `by ${handler.type}`
    const made = await call('POST', '/api/v1/jobs', {
      name,
      handler,
      schedule: { every: '1d' },
      runNow: true,
    })
    expect([made.status, problemsWith(made, routeOf('post', '/api/v1/jobs'))]).toEqual([201, []])
    expect(made.json.handler).toMatchObject(handler)
    await node.advance('2s')
    const { executions } = (await call('GET', `/api/v1/jobs/${encodeURIComponent(name)}/executions`))
      .json as {
      executions: { id: string }[]
    }
    const id = executions[0]?.id ?? ''
    const read = await call('GET', `/api/v1/executions/${id}`)
    expect(read.json).toMatchObject({ state: 'completed', result })
    const logs = (await call('GET', `/api/v1/executions/${id}/logs`)).json as { logs: { message: string }[] }
    expect(logs.logs.map(({ message }) => message)).toEqual(lines)
  }
})

test('a handler is replaced whole by an edit, and each revision shows its own', async () => {
  const { call } = await openApiUnderTest()
  const http = { type: 'http', url: 'https://example.com/' }
  await call('POST', '/api/v1/jobs', { name: 'changes', handler: { type: 'function', name: 'greet' } })
  expect((await call('PATCH', '/api/v1/jobs/changes', { handler: http })).json.handler).toMatchObject(http)
  const read = await call('GET', '/api/v1/jobs/changes/revisions')
  expect(problemsWith(read, routeOf('get', '/api/v1/jobs/{id}/revisions'))).toEqual([])
  const { revisions } = read.json as { revisions: { handler: object }[] }
  expect(revisions.map(({ handler }) => handler)).toMatchObject([{ type: 'function', name: 'greet' }, http])
})

test.each([
  [{ type: 'shell', command: 'ls' }],
  [{ type: 'http' }],
  [{ type: 'http', url: 'https://example.com/', uid: 0 }],
  [{ type: 'command', command: '/bin/true', gid: 0 }],
  [{ type: 'command', command: '/bin/true', args: 'a b' }],
  [{ type: 'command', command: '/bin/true', env: { LD_PRELOAD: '/tmp/x.so' } }],
  [{ type: 'function', name: '@http' }],
])('%o is a bad request', async (handler) => {
  const { call } = await openApiUnderTest()
  const { status, headers } = await call('POST', '/api/v1/jobs', { name: 'bad', handler })
  expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json'])
})

test('only an administrator gives a job a handler', async () => {
  const { send, tokens } = await openApiUnderTest()
  const json = { name: 'mine', handler: { type: 'command', command: '/bin/true' } }
  for (const token of [tokens.viewer, tokens.operator]) {
    expect((await send('POST', '/api/v1/jobs', { token, json })).status).toBe(403)
    expect(
      (await send('PATCH', '/api/v1/jobs/greet', { token, json: { handler: json.handler } })).status,
    ).toBe(403)
  }
})

test('a worker of another kind is not handed calls and commands', async () => {
  const { call } = await openApiUnderTest()
  for (const handler of ['@http', '@command:/bin/true']) {
    const { json } = await call('POST', '/api/v1/leases/acquire', { worker: 'other', handlers: [handler] })
    expect(json).toMatchObject({ status: 400, code: 'invalid_option' })
  }
})
