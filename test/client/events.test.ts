/** Live events by the client: what changes arrives, across connections that break and servers that start anew. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Client, type ClientEvent, createClient, type EventsOptions } from '../../src/client/index.ts'
import { until } from '../process/until.ts'
import { serveNode } from './served-node.ts'

interface Follower {
  readonly events: ClientEvent[]
  readonly connections: boolean[]
  readonly ended: Promise<unknown>
  readonly stop: () => void
}

function follow(client: Client, options: EventsOptions = {}): Follower {
  const events: ClientEvent[] = []
  const connections: boolean[] = []
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const read = async () => {
    const onConnection = (connected: boolean) => connections.push(connected)
    for await (const event of client.events({ ...options, signal: controller.signal, onConnection }))
      events.push(event)
    return 'ended'
  }
  const ended = read().catch((error: unknown) => error)
  return { events, connections, ended, stop: () => controller.abort() }
}

test('what changes is told, and an abort ends the iterator', async () => {
  const { client } = await serveNode()
  const follower = follow(client)
  await until('the connection', () => follower.connections.length > 0)
  await client.jobs.pause('greet')
  await until('the hint', () =>
    follower.events.some((event) => event.type === 'job' && event.job === 'greet'),
  )
  expect(follower.events.every(({ eventId }) => eventId !== '')).toBe(true)
  follower.stop()
  expect(await follower.ended).toBe('ended')
})

test('whoever leaves the loop closes the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const url = await stream((response) => {
    response.write('id: 1\ndata: {"type":"executions","job":null}\n\n')
    response.on('close', () => closed.resolve())
  })
  for await (const event of createClient({ url }).events()) {
    expect(event).toEqual({ type: 'executions', job: null, eventId: '1' })
    break
  }
  await closed.promise
})

test('a server that starts anew is found again by itself, and says that what is shown is old', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-events-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // A file, so that the token is known after the restart.
  const database = `sqlite:${join(folder, 'own.db')}`
  const first = await serveNode({ database })
  const follower = follow(first.client)
  await until('the connection', () => follower.connections.length > 0)
  await first.client.jobs.pause('greet')
  await until('a hint', () => follower.events.length > 0)
  await first.evertick.stop()
  await until('the loss', () => follower.connections.includes(false))
  const second = await serveNode({ database, port: Number(new URL(first.url).port) })
  await until('the reset', () => follower.events.some(({ type }) => type === 'reset'))
  await second.client.jobs.resume('greet')
  await until('a hint of the new one', () => follower.events.at(-1)?.type === 'job')
  expect(follower.connections).toEqual([true, false, true])
})

test('a connection that breaks goes on from the last event that was seen', async () => {
  const asked: (string | undefined)[] = []
  const url = await stream((response, lastEventId) => {
    asked.push(lastEventId)
    if (asked.length === 1) {
      // A frame in two pieces, a heartbeat, and an id alone.
      response.write('id: 7\nda')
      response.write('ta: {"type":"executions","job":"a"}\n\n: heartbeat\n\nid: 8\n\n', () =>
        response.destroy(),
      )
    } else response.write('id: 9\nevent: reset\ndata: {}\n\n')
  })
  const follower = follow(createClient({ url }))
  await until('both', () => follower.events.length === 2)
  expect(asked).toEqual([undefined, '8'])
  expect(follower.events).toEqual([
    { type: 'executions', job: 'a', eventId: '7' },
    { type: 'reset', eventId: '9' },
  ])
  expect(follower.connections).toEqual([true, false, true])
})

test('a token that is no longer good ends it; so does a server that was never there', async () => {
  const { clientOf } = await serveNode()
  expect(await follow(clientOf({ token: 'wrong' })).ended).toMatchObject({ code: 'unauthenticated' })
  expect(await follow(clientOf({ url: 'http://127.0.0.1:1' })).ended).toMatchObject({
    code: 'server_unavailable',
  })
})

/** A server of events that does as it is told. */
async function stream(
  answer: (response: ServerResponse, lastEventId: string | undefined) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    answer(response, request.headers['last-event-id'] as string | undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
