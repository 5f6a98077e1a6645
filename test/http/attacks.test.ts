/** Strangers on a real socket: what is slow, ambiguous or too much, and what two servers in a row could read in two ways. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { nodeServer } from '../../src/http/node-server.ts'
import { quiet } from '../promises/support.ts'
import { serveForAll } from './api-under-test.ts'
import { exchange, lines, statusesIn } from './raw-socket.ts'

const served = serveForAll()

const host = 'host: 127.0.0.1'
const close = 'connection: close'
const post = ['POST /api/v1/session HTTP/1.1', host, 'content-type: application/json']
const chunked = 'transfer-encoding: chunked'
/** Hidden in the body of another: it must never be answered. */
const hidden = lines('GET /livez HTTP/1.1', host, close)

const smuggled: Readonly<Record<string, string>> = {
  'a length and pieces': `${lines(...post, 'content-length: 4', chunked)}0\r\n\r\n`,
  'pieces and a length': `${lines(...post, chunked, 'content-length: 4')}0\r\n\r\n`,
  'a space before the colon': `${lines(...post, 'transfer-encoding : chunked', 'content-length: 4')}0\r\n\r\n`,
  'a tab before the word': `${lines(...post, 'transfer-encoding:\tchunked', 'content-length: 4')}0\r\n\r\n`,
  'a folded header': `${lines(...post, 'transfer-encoding:\r\n chunked', 'content-length: 4')}0\r\n\r\n`,
  'an unknown coding': `${lines(...post, 'transfer-encoding: xchunked')}0\r\n\r\n`,
  'codings in the wrong order': `${lines(...post, 'transfer-encoding: chunked, identity')}0\r\n\r\n`,
  'two codings': `${lines(...post, chunked, 'transfer-encoding: identity')}0\r\n\r\n`,
  'two lengths': `${lines(...post, 'content-length: 4', 'content-length: 0')}{}  `,
  'a list of lengths': `${lines(...post, 'content-length: 2, 2')}{}`,
  'a length with a sign': `${lines(...post, 'content-length: +2')}{}`,
  'a length in hex': `${lines(...post, 'content-length: 0x2')}{}`,
  'a length below zero': lines(...post, 'content-length: -1'),
  'a piece in hex with a prefix': `${lines(...post, chunked)}0x2\r\n{}\r\n0\r\n\r\n`,
  'a piece without end': `${lines(...post, chunked)}fffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
  'pieces ended by LF alone': `${lines(...post, chunked)}2\n{}\n0\n\n`,
  'lines ended by LF alone': `GET /livez HTTP/1.1\n${host}\n\n`,
}

test.each(Object.entries(smuggled))(
  '%s: one refusal, and nothing after it is read as a request',
  async (_, bytes) => {
    expect(statusesIn(await exchange(served.url, `${bytes}${hidden}`))).toEqual([400])
  },
)

const ambiguous: Readonly<Record<string, string>> = {
  'a host in the target that is not the header’s': 'http://attacker.test/livez',
  'the host as a user of another': 'http://127.0.0.1@attacker.test/livez',
  'a user of the host': 'http://user@127.0.0.1/livez',
  'a path that climbs': '/docs/../livez',
  'a path that climbs behind an escape': '/docs/%2e%2E/livez',
  'a path that climbs half behind an escape': '/docs/.%2e/livez',
  'a path that stays where it is': '/./livez',
  'a path that ends by climbing': '/livez/docs/..',
  'a climbing path behind its own host': 'http://127.0.0.1/x/../livez',
  'an asterisk': '*',
}

test.each(Object.entries(ambiguous))(
  '%s is refused: a proxy may have read it otherwise',
  async (_, target) => {
    const heard = await exchange(served.url, lines(`GET ${target} HTTP/1.1`, host, close))
    expect(statusesIn(heard)).toEqual([400])
    expect(heard).toContain('"code":"invalid_input"')
  },
)

test('dots elsewhere climb nowhere', async () => {
  for (const target of ['/livez?x=/../y', 'http://127.0.0.1/livez', '/docs...', '/.well-known']) {
    const [status] = statusesIn(await exchange(served.url, lines(`GET ${target} HTTP/1.1`, host, close)))
    expect([target, [200, 404].includes(status ?? 0) || target.includes('?')]).toEqual([target, true])
  }
})

test('no answer leads to another site', async () => {
  for (const target of [
    '/',
    '//attacker.test',
    '//attacker.test/docs',
    '/%5cattacker.test',
    '/?next=//a.test',
  ]) {
    const heard = await exchange(served.url, lines(`GET ${target} HTTP/1.1`, host, close))
    const [, location = '/'] = /\r\nlocation: (.*)\r\n/i.exec(heard) ?? []
    expect([target, location]).toEqual([target, expect.stringMatching(/^\/(?![/\\])/) as string])
  }
})

test('two hundred requests in one go are answered one by one, in order', async () => {
  const paths = Array.from({ length: 200 }, (_, n) => (n % 3 === 0 ? '/nothing' : '/livez'))
  const bytes = paths.map((path, n) =>
    lines(`GET ${path} HTTP/1.1`, host, ...(n === paths.length - 1 ? [close] : [])),
  )
  const statuses = statusesIn(await exchange(served.url, bytes.join('')))
  expect(statuses).toEqual(paths.map((path) => (path === '/livez' ? 200 : 404)))
})

test('thousands of headers are refused', async () => {
  const many = Array.from({ length: 3_000 }, (_, n) => `x${n}: 1`)
  const heard = await exchange(served.url, lines('GET /livez HTTP/1.1', host, ...many, close))
  expect(statusesIn(heard)).toEqual([400])
})

test('an expectation that nobody knows is no way around our words', async () => {
  const heard = await exchange(served.url, lines('GET /livez HTTP/1.1', host, 'expect: x', close))
  expect(statusesIn(heard)).toEqual([200])
  expect(heard).toContain('x-content-type-options')
})

describe('slow clients', () => {
  const slow: Readonly<Record<string, string>> = {
    'headers that never end': `GET /livez HTTP/1.1\r\n${host}\r\nx: `,
    'a body that never comes': lines(...post, 'content-length: 100'),
    'pieces that never come': lines(...post, chunked),
  }
  test.each(Object.entries(slow))('%s: the connection is taken back', async (_, bytes) => {
    const short = { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 10 }
    const ours = nodeServer(async () => Response.json({ never: 'asked' }), quiet, short)
    ours.listen(0, '127.0.0.1')
    await once(ours, 'listening')
    const socket = connect((ours.address() as AddressInfo).port, '127.0.0.1')
    try {
      socket.on('error', () => {})
      socket.write(bytes)
      // It says no end of its own: only the server can end this.
      socket.resume()
      await once(socket, 'close')
      expect(socket.destroyed).toBe(true)
    } finally {
      socket.destroy()
      ours.close()
    }
  })
})

test('HEAD of the live events holds none of them', async () => {
  const headers = { authorization: `Bearer ${served.api.tokens.viewer}` }
  for (let time = 0; time < 25; time += 1) {
    expect((await fetch(`${served.url}/api/v1/events`, { method: 'HEAD', headers })).status).toBe(200)
  }
  const stream = await fetch(`${served.url}/api/v1/events`, { headers })
  expect(stream.status).toBe(200)
  await stream.body?.cancel()
})
