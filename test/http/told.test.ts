/** What an answer tells to whom: stacks to admins, nothing to strangers, and of an execution who has asked for it. */
import { expect, test } from 'vitest'
import { openApiUnderTest } from './api-under-test.ts'

test('the stack of an error is for admins alone, wherever an execution is shown', async () => {
  const api = await openApiUnderTest()
  const { json } = await api.call('POST', '/api/v1/executions', {
    job: 'break',
    input: { error: { stack: 'of the user' } },
  })
  await api.node.advance('1s')
  const places = [
    `/executions/${String(json.id)}`,
    '/executions',
    '/jobs/break/executions',
    '/jobs/break/stats',
    '/jobs/break',
    '/jobs',
  ]
  for (const place of places) {
    const told = async (role: 'viewer' | 'operator' | 'admin') =>
      (await api.send('GET', `/api/v1${place}`, { token: api.tokens[role] })).text
    expect([place, await told('viewer')]).toEqual([place, expect.stringContaining('broken on purpose')])
    for (const role of ['viewer', 'operator'] as const) {
      expect([place, role, /\.ts:\d+/.test(await told(role))]).toEqual([place, role, false])
      // An input is the user's own; a list of jobs has none.
      expect([place, (await told(role)).includes('of the user')]).toEqual([place, place !== '/jobs'])
    }
    expect([place, /\.ts:\d+/.test(await told('admin'))]).toEqual([place, true])
  }
})

test('a stranger hears from /livez that the node lives, and nothing else', async () => {
  const api = await openApiUnderTest()
  const { status, json } = await api.send('GET', '/livez')
  expect([status, json]).toEqual([200, { status: 'ok' }])
})

test('what is enqueued or triggered over the API says by whom, whatever the caller says', async () => {
  const api = await openApiUnderTest()
  const token = api.tokens.operator
  const metadata = { 'evertick.enqueuedBy': 'somebody else', mine: 1 }
  const made = await api.send('POST', '/api/v1/executions', { token, json: { job: 'greet', metadata } })
  const run = await api.send('POST', '/api/v1/jobs/greet/trigger', { token, json: { metadata } })
  for (const { json } of [made, run]) {
    const shown = await api.call('GET', `/api/v1/executions/${String(json.id)}`)
    expect(shown.json).toMatchObject({ enqueuedBy: 'token:operator', metadata: { mine: 1 } })
  }
  const { id } = await api.node.evertick.enqueue('greet')
  expect((await api.node.evertick.executions.get(id)).enqueuedBy).toBeNull()
})

test('a token lives no longer than the token that makes it, and is taken back with it', async () => {
  const api = await openApiUnderTest()
  const maker = await api.access.createToken({ role: 'admin', ttl: '1h' })
  const child = await api.send('POST', '/api/v1/tokens', {
    token: maker.token,
    json: { role: 'admin', ttl: '400d' },
  })
  expect(child.json.expiresAt).toBe(maker.expiresAt.toISOString())
  const token = String(child.json.token)
  const grandchild = await api.send('POST', '/api/v1/tokens', { token, json: { role: 'viewer' } })
  const status = async (bearer: unknown) =>
    (await api.send('GET', '/api/v1/session', { token: String(bearer) })).status
  expect([await status(token), await status(grandchild.json.token)]).toEqual([200, 200])
  await api.access.revoke(maker.id)
  expect([await status(token), await status(grandchild.json.token)]).toEqual([401, 401])
  expect(await status(api.tokens.viewer)).toBe(200)
})

test('a token that a person makes outlives the session', async () => {
  const api = await openApiUnderTest({ jobs: [] })
  const { code } = await api.access.createLink({ role: 'admin' })
  const { headers } = await api.send('POST', '/api/v1/session', { json: { code } })
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  const own = { cookie, origin: 'http://127.0.0.1:8060' }
  const made = await api.send('POST', '/api/v1/tokens', { json: { role: 'viewer' }, headers: own })
  await api.send('DELETE', '/api/v1/session', { headers: own })
  const token = String(made.json.token)
  expect((await api.send('GET', '/api/v1/session', { token })).status).toBe(200)
})

test('a list of jobs leaves out what may be a megabyte each, and one job has it', async () => {
  const api = await openApiUnderTest()
  const input = { text: 'x'.repeat(500_000) }
  await api.call('POST', '/api/v1/jobs', {
    name: 'large',
    handler: { type: 'function', name: 'greet' },
    input,
  })
  await api.call('POST', '/api/v1/jobs/large/trigger', { input })
  await api.node.settle()
  const { text } = await api.send('GET', '/api/v1/jobs?filter=large', { token: api.tokens.admin })
  expect(text.length).toBeLessThan(5_000)
  const listed = (JSON.parse(text) as { jobs: { lastExecution: object }[] }).jobs[0]
  expect(listed).toMatchObject({ name: 'large', lastExecution: { state: 'completed', cause: 'manual' } })
  expect([listed, listed?.lastExecution].flatMap((shown) => Object.keys(shown ?? {}))).not.toEqual(
    expect.arrayContaining(['input', 'result']),
  )
  const one = (await api.call('GET', '/api/v1/jobs/large')).json
  expect(one).toMatchObject({ input, lastExecution: { input } })
})
