/** What no client would send, on a real socket: the server answers in its own words or hangs up, and goes on. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apiHeaders } from '../../src/http/guard/headers.ts'
import { serveForAll } from './api-under-test.ts'
import { exchange, lines } from './raw-socket.ts'

const served = serveForAll()

const odd: Readonly<Record<string, string>> = {
  'no HTTP at all': 'hello\r\n\r\n',
  'a broken request line': lines('GET /livez'),
  'no host': lines('GET /livez HTTP/1.1', 'connection: close'),
  'two hosts': lines('GET /livez HTTP/1.1', 'host: 127.0.0.1', 'host: attacker.test', 'connection: close'),
  'a host with a path': lines('GET /livez HTTP/1.1', 'host: 127.0.0.1/x', 'connection: close'),
  'a host with a space': lines('GET /livez HTTP/1.1', 'host: 127.0.0.1 x', 'connection: close'),
  'another host in an absolute target': lines(
    'GET http://attacker.test/livez HTTP/1.1',
    'host: attacker.test',
    'connection: close',
  ),
  'a target that is no path': lines('GET livez HTTP/1.1', 'host: 127.0.0.1', 'connection: close'),
  'a backslash in the target': lines('GET /\\..\\etc HTTP/1.1', 'host: 127.0.0.1', 'connection: close'),
  'a path that climbs': lines('GET /../../etc/passwd HTTP/1.1', 'host: 127.0.0.1', 'connection: close'),
  'a broken escape': lines('GET /api/v1/jobs/%zz HTTP/1.1', 'host: 127.0.0.1', 'connection: close'),
  TRACE: lines('TRACE /livez HTTP/1.1', 'host: 127.0.0.1', 'connection: close'),
  CONNECT: lines('CONNECT attacker.test:443 HTTP/1.1', 'host: 127.0.0.1'),
  'both a length and pieces': `${lines('POST /api/v1/session HTTP/1.1', 'host: 127.0.0.1', 'content-length: 4', 'transfer-encoding: chunked')}0\r\n\r\nGET /api/v1/jobs HTTP/1.1\r\n\r\n`,
  'a length that is no number': lines(
    'POST /api/v1/session HTTP/1.1',
    'host: 127.0.0.1',
    'content-length: x',
  ),
  'headers without end': `GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
  'a NUL in a header': lines('GET /livez HTTP/1.1', 'host: 127.0.0.1', 'x: a\0b'),
}

/** What an answer lacks; silence lacks nothing. */
function strangeIn(heard: string): string[] {
  if (heard === '') return []
  const [head = '', body = ''] = heard.split('\r\n\r\n')
  const found = Object.keys(apiHeaders).filter((name) => !head.toLowerCase().includes(`\r\n${name}:`))
  if (!/^HTTP\/1\.1 4\d\d /.test(head)) found.push(head)
  if (!body.includes('"code":"')) found.push(`no problem: ${body}`)
  return found
}

test.each(Object.entries(odd))('%s is refused in our own words, or by silence', async (_what, bytes) => {
  expect(strangeIn(await exchange(served.url, bytes))).toEqual([])
  expect((await fetch(`${served.url}/livez`)).status).toBe(200)
})

const size = Math.ceil(Number(process.env['EVERTICK_FUZZ_REQUESTS'] ?? 2_000) / 20)
const good = Buffer.from(
  lines(
    'POST /api/v1/session HTTP/1.1',
    'host: 127.0.0.1',
    'content-type: application/json',
    'content-length: 12',
    'connection: close',
  ) + '{"code":"x"}',
)

test(`${size} requests with bytes changed anywhere: no 5xx, and the server goes on`, {
  timeout: 60_000 + size * 100,
}, async () => {
  const change = fc.record({
    at: fc.nat(good.length - 1),
    bytes: fc.uint8Array({ maxLength: 4 }),
    drop: fc.nat(6),
  })
  const property = fc.asyncProperty(fc.array(change, { maxLength: 4 }), async (changes) => {
    let bytes = good
    for (const { at, bytes: put, drop } of changes) {
      bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + drop)])
    }
    expect(await exchange(served.url, bytes)).not.toMatch(/^HTTP\/1\.1 5/)
  })
  await fc.assert(property, { numRuns: size, seed: 20_260_101 })
  expect((await fetch(`${served.url}/livez`)).status).toBe(200)
})
