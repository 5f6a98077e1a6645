/** What may be done with a job or an execution is one table: REST, library and the list of `actions` say the same. */

import { expect, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { type ApiUnderTest, openApiUnderTest } from './api-under-test.ts'

const tried = ['pause', 'resume', 'cancel', 'retry', 'trigger'] as const
const asked = { pause: 'paused', resume: 'active', cancel: 'cancelled', retry: 'pending', trigger: 'pending' }

/** How a job comes into each state, and into each that its last run can be in. */
const scenes: Readonly<Record<string, (api: ApiUnderTest) => Promise<void>>> = {
  active: async () => {},
  paused: async ({ node }) => void (await node.evertick.jobs.pause('it', { reason: 'a look', until: '1d' })),
  cancelled: async ({ node }) => void (await node.evertick.jobs.cancel('it')),
  disabled: async ({ node }) => {
    const { store, clock } = contextOf(node.evertick)
    await store.jobs.changeJob('it', { kind: 'disable', reason: 'x' }, { now: clock.now(), actor: 'test' })
  },
  'completed, its run failed': async ({ node }) => {
    await node.evertick.jobs.update('it', { schedule: { at: new Date(node.clock.now() + 1_000) } })
    await node.advance('1m')
  },
  'active, its run failed': async ({ node }) => {
    await node.advance('10m')
  },
  'cancelled, its run failed': async ({ node }) => {
    await node.advance('10m')
    await node.evertick.jobs.cancel('it')
  },
  'paused, its run succeeded after one that failed': async ({ node }) => {
    await node.advance('10m')
    await node.evertick.jobs.update('it', { handler: 'greet' })
    await node.advance('10m')
    await node.evertick.jobs.pause('it')
  },
}

async function openScene(arrange: (api: ApiUnderTest) => Promise<void>): Promise<ApiUnderTest> {
  const api = await openApiUnderTest()
  const made = { name: 'it', handler: 'break', schedule: { every: '5m' }, retry: { attempts: 1 } }
  expect((await api.call('POST', '/api/v1/jobs', made)).status).toBe(201)
  await arrange(api)
  return api
}

test.each(Object.entries(scenes))(
  'a job that is %s: what `actions` lists is done, all else is 409 with both states and what is legal',
  async (_name, arrange) => {
    let unchanged: ApiUnderTest | null = null
    for (const action of tried) {
      const api: ApiUnderTest = unchanged ?? (await openScene(arrange))
      const { json: before } = await api.call('GET', '/api/v1/jobs/it')
      const actions = before.actions as string[]
      const { status, json } = await api.call('POST', `/api/v1/jobs/it/${action}`)
      const legal = actions.includes(action)
      expect([action, status]).toEqual([action, legal ? (asked[action] === 'pending' ? 202 : 200) : 409])
      const refused = { code: 'invalid_transition', state: before.state, asked: asked[action], actions }
      expect(json).toMatchObject(legal ? {} : refused)
      const { json: after } = await api.call('GET', '/api/v1/jobs/it')
      // What is legal changes something; a refusal changes nothing.
      expect([action, after.updatedAt === before.updatedAt && after.state === before.state]).toEqual([
        action,
        !legal || asked[action] === 'pending',
      ])
      unchanged = legal ? null : api
    }
  },
)

test('an execution is cancelled once and retried when it is over; all else is 409 with both states', async () => {
  const api = await openApiUnderTest()
  const { json } = await api.call('POST', '/api/v1/executions', {
    job: 'greet',
    runAt: new Date(api.node.clock.now() + 60_000).toISOString(),
  })
  const act = async (action: string) =>
    await api.call('POST', `/api/v1/executions/${String(json.id)}/${action}`)
  const early = await act('retry')
  expect([early.status, early.json]).toMatchObject([
    409,
    { code: 'invalid_transition', state: 'pending', asked: 'pending', actions: ['cancel'] },
  ])
  expect((await act('cancel')).status).toBe(200)
  const again = await act('cancel')
  expect([again.status, again.json]).toMatchObject([
    409,
    { code: 'invalid_transition', state: 'cancelled', asked: 'cancelled', actions: ['retry'] },
  ])
  expect((await act('retry')).status).toBe(202)
})

const repeated = [
  '/jobs/minutely/pause',
  '/jobs/minutely/cancel',
  '/jobs/held/resume',
  '/executions/{id}/cancel',
]

test.each(repeated)('POST %s under the same key stays a success, though its node died', async (path) => {
  const api = await openApiUnderTest()
  const { evertick } = api.node
  await evertick.jobs.create({ name: 'held', schedule: { every: '1h' }, paused: true })
  const { id } = await evertick.enqueue('greet', null, { runAt: new Date(api.node.clock.now() + 3_600_000) })
  const headers = { 'idempotency-key': 'k' }
  const post = async () =>
    await api.send('POST', `/api/v1${path.replace('{id}', id)}`, { token: api.tokens.admin, headers })
  const { store } = contextOf(evertick)
  const endIdempotent = store.access.endIdempotent.bind(store.access)
  // Between the commit and the moment at which its answer is kept.
  Object.assign(store.access, { endIdempotent: () => Promise.reject(new Error('killed')) })
  expect((await post()).status).toBe(500)
  Object.assign(store.access, { endIdempotent })
  await api.node.advance('1m')
  const second = await post()
  expect(second.status).toBe(200)
  const third = await post()
  expect([third.status, third.json, third.headers.get('idempotent-replayed')]).toEqual([
    200,
    second.json,
    'true',
  ])
})

test('GET /jobs/:id/ticks without a span is the last 24 hours, of a minutely job all of them', async () => {
  const api = await openApiUnderTest()
  await api.node.advance('26h')
  const { json } = await api.call('GET', '/api/v1/jobs/minutely/ticks')
  const ticks = (json.ticks as { scheduledFor: string }[]).map(({ scheduledFor }) => Date.parse(scheduledFor))
  const now = api.node.clock.now()
  expect([ticks.length, json.truncated]).toEqual([1_440, false])
  expect(ticks.filter((at) => at < now - 86_400_000 || at > now)).toEqual([])
  const to = new Date(now - 3_600_000).toISOString()
  expect((await api.call('GET', `/api/v1/jobs/minutely/ticks?to=${to}`)).json.ticks).toHaveLength(1_440)
  const from = new Date(now - 600_000).toISOString()
  expect((await api.call('GET', `/api/v1/jobs/minutely/ticks?from=${from}`)).json.ticks).toHaveLength(10)
})

test('a handler that is a text is the function of that name, as in the library', async () => {
  const api = await openApiUnderTest()
  const made = await api.call('POST', '/api/v1/jobs', { name: 'named', handler: 'greet' })
  expect([made.status, made.json.handler]).toEqual([201, { type: 'function', name: 'greet' }])
  const edited = await api.call('PATCH', '/api/v1/jobs/named', { handler: 'break' })
  expect([edited.status, edited.json.handler]).toEqual([200, { type: 'function', name: 'break' }])
  const bad = await api.call('POST', '/api/v1/jobs', { name: 'bad', handler: '@http' })
  expect(bad.status).toBe(400)
})
