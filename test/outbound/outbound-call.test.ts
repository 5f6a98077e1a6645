/** A call goes to the address that was checked, and reads no more and waits no longer than it was told. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { callOutside } from '../../src/outbound/outbound-call.ts'

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server: Server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const toLoopback = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
const api = { allowPrivateHosts: ['api.example'], resolve: toLoopback }
const decoded = (body: Uint8Array) => new TextDecoder().decode(body)

test('it connects to the address that was checked, under the name that was asked for', async () => {
  let asked = 0
  const port = await serve((request, response) =>
    response.end(`${request.method} ${request.url} ${request.headers.host}`),
  )
  const answer = await callOutside({
    ...api,
    url: `http://api.example:${port}/a?b=1`,
    resolve: () => {
      asked += 1
      return toLoopback()
    },
  })
  expect({ status: answer.status, body: decoded(answer.body) }).toEqual({
    status: 200,
    body: `GET /a?b=1 api.example:${port}`,
  })
  expect(asked).toBe(1)
})

test('method, headers and body are sent', async () => {
  const port = await serve((request, response) => {
    request.on('data', (part: Buffer) =>
      response.write(`${request.method} ${String(request.headers['x-token'])} ${part.toString()}`),
    )
    request.on('end', () => response.end())
  })
  const { body } = await callOutside({
    ...api,
    url: `http://api.example:${port}`,
    method: 'POST',
    headers: { 'x-token': 'abc' },
    body: 'hello',
  })
  expect(decoded(body)).toBe('POST abc hello')
})

test('a redirect is an answer, and is not followed', async () => {
  let asked = 0
  const port = await serve((_request, response) => {
    asked += 1
    response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end()
  })
  expect(await callOutside({ ...api, url: `http://api.example:${port}` })).toMatchObject({ status: 302 })
  expect(asked).toBe(1)
})

test('an answer that is too long is cut off and is none', async () => {
  const port = await serve((_request, response) => response.end('x'.repeat(1_001)))
  const call = { ...api, url: `http://api.example:${port}` }
  await expect(callOutside({ ...call, maxBytes: 1_000 })).rejects.toMatchObject({ code: 'outbound_failed' })
  expect((await callOutside({ ...call, maxBytes: 1_001 })).body).toHaveLength(1_001)
})

test('a server that does not answer, or not to the end, is given up', async () => {
  const silent = await serve(() => {})
  const slow = await serve((_request, response) => void response.write('[1,'))
  for (const port of [silent, slow]) {
    const call = callOutside({ ...api, url: `http://api.example:${port}`, timeoutMs: 50 })
    await expect(call).rejects.toThrow(`The call to http://api.example:${port} failed: no answer in 50 ms.`)
  }
  const never = () => new Promise<never>(() => {})
  await expect(
    callOutside({ url: 'http://api.example', resolve: never, timeoutMs: 50 }),
  ).rejects.toMatchObject({
    code: 'outbound_failed',
  })
})

test('an answer that breaks off is none', async () => {
  const port = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('[1,2,', () => response.destroy())
  })
  await expect(callOutside({ ...api, url: `http://api.example:${port}` })).rejects.toMatchObject({
    code: 'outbound_failed',
  })
})

test('a compressed answer, which could be any size, is refused', async () => {
  const port = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
  })
  await expect(callOutside({ ...api, url: `http://api.example:${port}` })).rejects.toThrow('compressed')
})

test('a caller’s signal ends it', async () => {
  const port = await serve(() => abort.abort())
  const abort = new AbortController()
  const call = callOutside({ ...api, url: `http://api.example:${port}`, signal: abort.signal })
  await expect(call).rejects.toMatchObject({ code: 'outbound_failed' })
})

test('no error tells what was sent', async () => {
  const port = await serve((_request, response) => response.destroy())
  const secret = 'canary-7f3a'
  const headers = { authorization: `Bearer ${secret}` }
  const urls = [
    `http://api.example:${port}/${secret}?token=${secret}`,
    `http://127.0.0.1/${secret}`,
    `http://user:${secret}@api.example/`,
    `no-url-${secret}`,
  ]
  for (const url of urls) {
    const error: unknown = await callOutside({ ...api, url, headers }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'EvertickError' })
    const { message, next, field, cause } = error as Error & { next?: string; field?: string }
    expect([message, next, field, String(cause), JSON.stringify(cause)].join(' ')).not.toContain(secret)
  }
})
