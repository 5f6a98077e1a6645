/** Live events: what is told, how often, to whom, and for how long. */

import { expect, onTestFinished, test } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { type Api, createApi } from '../../src/http/api.ts'
import { liveEvent } from '../../src/http/schemas/event.ts'
import { defineJob, Evertick } from '../../src/index.ts'
import { until } from '../process/until.ts'
import { openNode, quiet } from '../promises/support.ts'
import { requestOf, secret } from './api-under-test.ts'
import { type EventClient, readEvents } from './event-stream.ts'
import { order } from './order-job.ts'

const jobs = [
  defineJob({ name: 'greet', run: () => 'hello' }),
  defineJob({
    name: 'count',
    run: async (ctx) => {
      for (let step = 1; step <= 50; step += 1) await ctx.progress(step / 50)
    },
  }),
]

async function openLive() {
  const node = await openNode({ jobs })
  const { evertick, clock } = node
  const access = openAccess(contextOf(evertick), apiConfig({ secrets: [secret] }))
  const rate = { perSecond: 1e6, burst: 1e6 }
  const api: Api = createApi({ evertick, app: contextOf(evertick), access, logger: quiet, hosts: null, rate })
  onTestFinished(() => api.close())
  const { token, id } = await access.createToken({ role: 'viewer' })
  const listen = async (lastEventId?: string): Promise<Response> =>
    await api(
      requestOf('GET', '/api/v1/events', {
        token,
        headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
      }),
    )
  return { node, evertick, clock, access, api, token, tokenId: id, listen }
}

const dataOf = (client: EventClient) => client.events().map(({ data }) => data)

test('an execution is told of in each of its states, and every event is as documented', async () => {
  const { node, evertick, listen } = await openLive()
  const client = await readEvents(await listen())
  await node.advance('1s')
  const { id } = await evertick.enqueue('greet')
  await node.advance('1s')
  await until('the event', () => client.events().length > 0)
  expect(dataOf(client)).toContainEqual({ type: 'execution', id, job: 'greet', state: 'completed' })
  for (const data of dataOf(client)) expect(liveEvent.safeParse(data).success).toBe(true)
})

test('what rests is told of as such, also by a later look, and its steps are events', async () => {
  const { node, evertick, listen } = await openLive()
  await evertick.define(order)
  const told: string[] = []
  evertick.on('execution:step', ({ step, kind, outcome }) => told.push(`${kind} ${step}: ${outcome}`))
  evertick.on('execution:retrying', ({ state }) => told.push(state))
  const client = await readEvents(await listen())
  await node.advance('1s')
  const { id } = await evertick.enqueue('order')
  await node.advance('1s')
  const waiting = { type: 'execution', id, job: 'order', state: 'waiting' }
  await until('the wait', () =>
    dataOf(client).some((data) => JSON.stringify(data) === JSON.stringify(waiting)),
  )
  await node.advance('5s')
  // Another look at the database says the same.
  expect(dataOf(client).at(-1)).toEqual(waiting)
  await evertick.signal(id, 'approve')
  await node.advance('1s')
  expect(told).toEqual([
    'step charge: done',
    'sleeping',
    'sleep cool off: slept',
    'waiting',
    'step ship: done',
  ])
})

test('what happens to one subject within 100 ms is told of once', async () => {
  const { node, evertick, listen } = await openLive()
  const client = await readEvents(await listen())
  await node.advance('1s')
  const { id } = await evertick.enqueue('count')
  await node.settle()
  expect((await evertick.executions.get(id)).state).toBe('completed')
  await node.advance('100ms')
  await until('the event', () => client.events().length > 0)
  await node.advance('5s')
  expect(dataOf(client).filter((data) => data.id === id)).toHaveLength(1)
})

test('a job that is changed, and a leader that steps down, are told of', async () => {
  const { node, evertick, listen } = await openLive()
  const client = await readEvents(await listen())
  await node.advance('1s')
  await evertick.jobs.pause('greet')
  await node.advance('2s')
  await evertick.leader.stepDown()
  await node.advance('2s')
  await until('both', () => client.events().length >= 2)
  expect(dataOf(client)).toContainEqual(
    expect.objectContaining({ type: 'job', job: 'greet', deleted: false }),
  )
  expect(dataOf(client)).toContainEqual({ type: 'leader', termId: null, instance: null })
})

test('ids grow, and a client that comes back is given exactly what it has missed', async () => {
  const { node, evertick, listen } = await openLive()
  const first = await readEvents(await listen())
  const other = await readEvents(await listen())
  await node.advance('1s')
  await evertick.enqueue('greet')
  await node.advance('1s')
  await until('an event', () => first.events().length > 0)
  await first.close()
  const lastId = first.lastId()
  for (let run = 0; run < 5; run += 1) {
    await evertick.enqueue('greet')
    await node.advance('1s')
  }
  await until('all events', () => other.events().length >= 6)
  const back = await readEvents(await listen(lastId))
  const seen = [...first.events(), ...back.events()].map(({ id }) => id)
  expect(seen).toEqual(other.events().map(({ id }) => id))
  const numbers = seen.map((id) => Number.parseInt(id, 10))
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, two) => one - two))
})

test('an id that this node does not know gets a reset', async () => {
  const { node, evertick, listen } = await openLive()
  const known = await readEvents(await listen())
  const unknown = ['7-elsewhere', 'x', '', `999-${known.lastId().split('-')[1]}`]
  for (const id of unknown) {
    const client = await readEvents(await listen(id))
    expect(client.events().map(({ event }) => event)).toEqual(['reset'])
    // The reset itself can be gone on from.
    expect((await readEvents(await listen(client.lastId()))).events()).toEqual([])
  }
  expect((await readEvents(await listen(known.lastId()))).events()).toEqual([])
  await evertick.enqueue('greet')
  await node.advance('1s')
})

test('a quiet connection has a heartbeat every 15 s', async () => {
  const { node, listen } = await openLive()
  const client = await readEvents(await listen())
  await node.advance('61s')
  await until('four', () => client.heartbeats() >= 4)
  expect(client.heartbeats()).toBe(4)
})

test('a connection ends within a second of the revocation of its token, others stay', async () => {
  const { node, access, tokenId, api, listen } = await openLive()
  const { token } = await access.createToken({ role: 'viewer' })
  const revoked = await readEvents(await listen())
  const other = await readEvents(await api(requestOf('GET', '/api/v1/events', { token })))
  await access.revoke(tokenId)
  await node.advance('1s')
  await until('the end', () => revoked.ended())
  expect(other.ended()).toBe(false)
})

test('a connection ends within a second of the revocation of the token that its own was made with', async () => {
  const { node, access, api } = await openLive()
  const maker = await access.createToken({ role: 'admin' })
  const made = await api(
    requestOf('POST', '/api/v1/tokens', { token: maker.token, json: { role: 'viewer' } }),
  )
  const { token } = (await made.json()) as { token: string }
  const client = await readEvents(await api(requestOf('GET', '/api/v1/events', { token })))
  await access.revoke(maker.id)
  await node.advance('1s')
  await until('the end', () => client.ended())
  expect(client.ended()).toBe(true)
})

test('a connection ends when its token ends', async () => {
  const { node, access, api } = await openLive()
  const { token } = await access.createToken({ role: 'viewer', ttl: '20s' })
  const client = await readEvents(await api(requestOf('GET', '/api/v1/events', { token })))
  await node.advance('16s')
  expect(client.ended()).toBe(false)
  await node.advance('15s')
  await until('the end', () => client.ended())
})

test('the cookie of a session is as good as a token', async () => {
  const { access, api } = await openLive()
  const { code } = await access.createLink({ role: 'viewer' })
  const session = await access.signIn(code)
  const headers = { cookie: `evertick_session=${session?.token}` }
  expect((await readEvents(await api(requestOf('GET', '/api/v1/events', { headers })))).ended()).toBe(false)
  expect((await api(requestOf('GET', '/api/v1/events', {}))).status).toBe(401)
})

test('one caller has 20 connections at most, and a closed one makes room', async () => {
  const { listen } = await openLive()
  const clients: EventClient[] = []
  for (let count = 0; count < 20; count += 1) clients.push(await readEvents(await listen()))
  const refused = await listen()
  expect([refused.status, await refused.json()]).toEqual([
    429,
    expect.objectContaining({ code: 'rate_limited' }),
  ])
  await clients[0]?.close()
  expect((await listen()).status).toBe(200)
})

test('1,000 clients that come and go leave nothing behind', async () => {
  const { node, clock, listen } = await openLive()
  for (let count = 0; count < 1_000; count += 1) {
    const response = await listen()
    expect(response.status).toBe(200)
    await response.body?.cancel()
  }
  // More than a caller's 20 were let in, so that each was forgotten; after a minute nobody looks or beats any more.
  await node.advance('62s')
  expect((clock.nextTimerAt() ?? 0) - clock.now()).toBeGreaterThan(1_000)
})

test('a client that does not read is dropped with a reset, and costs a bounded queue', async () => {
  const { node, evertick, listen } = await openLive()
  const slow = (await listen()).body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined
  await slow?.read()
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(Array.from({ length: 190 }, () => evertick.enqueue('greet')))
    await node.advance('1s')
  }
  const rest = await slow?.read()
  expect(new TextDecoder().decode(rest?.value)).toMatch(/^id: \d+-\w+\nevent: reset\ndata: \{\}\n\n$/)
  expect((await slow?.read())?.done).toBe(true)
})

test('over HTTP: events flow, and a node that stops ends them at once', async () => {
  const evertick = await Evertick.open({
    database: 'sqlite::memory:',
    jobs,
    roles: ['scheduler', 'worker', 'api'],
    logger: quiet,
    api: { port: 0, secrets: [secret] },
  })
  onTestFinished(() => evertick.stop({ timeout: 0 }))
  await evertick.start()
  const access = openAccess(contextOf(evertick), apiConfig({ secrets: [secret] }))
  const { token } = await access.createToken({ role: 'viewer' })
  const response = await fetch(`${evertick.url}/api/v1/events`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const client = await readEvents(response)
  const { id } = await evertick.enqueue('greet')
  await until('the event', () => dataOf(client).some((data) => data.id === id && data.state === 'completed'))
  // A client that hangs up makes room: far more than the 20 of one caller get in, one after the other.
  for (let count = 0; count < 30; count += 1) {
    await until('room', async () => {
      const leave = new AbortController()
      const { status } = await fetch(`${evertick.url}/api/v1/events`, {
        headers: { authorization: `Bearer ${token}` },
        signal: leave.signal,
      })
      leave.abort()
      return status === 200
    })
  }
  await evertick.stop({ timeout: 0 })
  await until('the end', () => client.ended())
})
