/** A creating request that lost its reply is sent again: it makes nothing twice, also where its node died in between. */

import { expect, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { type ApiUnderTest, openApiUnderTest } from './api-under-test.ts'

const key = { 'idempotency-key': 'k' }

async function post({ send, tokens }: ApiUnderTest, path: string, json: unknown) {
  return await send('POST', `/api/v1${path}`, { token: tokens.admin, json, headers: key })
}

/**
 * The next request dies between its commit and the moment at which its answer is kept: what `endIdempotent` was to write is lost.
 * A minute later its key is free.
 */
function dieBeforeTheAnswer({ node }: ApiUnderTest): () => Promise<void> {
  const { store } = contextOf(node.evertick)
  const endIdempotent = store.access.endIdempotent.bind(store.access)
  Object.assign(store.access, { endIdempotent: () => Promise.reject(new Error('killed')) })
  return async () => {
    Object.assign(store.access, { endIdempotent })
    await node.advance('1m')
  }
}

test('an answer that is given again has its headers', async () => {
  const api = await openApiUnderTest()
  const first = await post(api, '/jobs', { name: 'made', schedule: { every: '1d' } })
  const again = await post(api, '/jobs', { name: 'made', schedule: { every: '1d' } })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  for (const header of ['etag', 'location', 'content-type']) {
    expect([header, again.headers.get(header)]).toEqual([header, first.headers.get(header)])
    expect(first.headers.get(header)).not.toBeNull()
  }
  expect([again.status, again.json]).toEqual([first.status, first.json])
})

const creating = {
  '/executions': { job: 'greet' },
  '/jobs/greet/trigger': {},
  '/jobs/break/retry': undefined,
}

test.each(Object.entries(creating))(
  'POST %s makes one execution, though its node died',
  async (path, json) => {
    const api = await openApiUnderTest()
    await api.call('POST', '/api/v1/executions', { job: 'break' })
    await api.node.settle()
    const count = async () => {
      const { executions } = await api.node.evertick.executions.list()
      return executions.filter(({ cause }) => cause !== 'schedule').length
    }
    const before = await count()
    const revive = dieBeforeTheAnswer(api)
    expect((await post(api, path, json)).status).toBe(500)
    await revive()
    expect(await count()).toBe(before + 1)
    const again = await post(api, path, json)
    expect([again.status, await count()]).toEqual([path === '/executions' ? 201 : 202, before + 1])
    const [made] = (await api.node.evertick.executions.list()).executions.filter(
      ({ id }) => id === again.json.id,
    )
    expect(made).toBeDefined()
    const kept = await post(api, path, json)
    expect([kept.json, kept.headers.get('idempotent-replayed')]).toEqual([again.json, 'true'])
  },
)

test('POST /jobs answers with the job that it had made before its node died', async () => {
  const api = await openApiUnderTest()
  const revive = dieBeforeTheAnswer(api)
  const job = { name: 'made', handler: { type: 'function', name: 'greet' }, runNow: true }
  expect((await post(api, '/jobs', job)).status).toBe(500)
  await revive()
  const again = await post(api, '/jobs', job)
  expect([again.status, again.json.name]).toEqual([201, 'made'])
  expect(again.headers.get('location')).toContain(String(again.json.id))
  expect((await api.node.executions('made')).length).toBe(1)
  // Somebody else's job of the same name is still a conflict.
  const other = await api.call('POST', '/api/v1/jobs', job)
  expect([other.status, other.json.code]).toEqual([409, 'job_exists'])
})

test('an id that a key stands for is a UUIDv7 of the request’s instant', async () => {
  const api = await openApiUnderTest()
  const { json } = await post(api, '/executions', { job: 'greet' })
  const id = String(json.id)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(api.node.clock.now())
})

test('If-Match may name several marks, and any of them will do', async () => {
  const api = await openApiUnderTest()
  const edit = async (mark: string) =>
    await api.send('PATCH', '/api/v1/jobs/minutely', {
      token: api.tokens.admin,
      json: { description: mark.slice(0, 20) },
      headers: { 'if-match': mark },
    })
  const { headers } = await api.call('GET', '/api/v1/jobs/minutely')
  const etag = headers.get('etag') ?? ''
  expect((await edit(`"other:1", ${etag}`)).status).toBe(200)
  expect((await edit(`"other:1", ${etag}`)).status).toBe(412)
  const fresh = (await api.call('GET', '/api/v1/jobs/minutely')).headers.get('etag') ?? ''
  expect((await edit(`W/${fresh} , "other:1"`)).status).toBe(200)
  expect((await edit('"other:1", "another:2"')).status).toBe(412)
})
