/** A bulk action through the client: how far it is, its result, and each way in which it can fail. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type BulkProgress, createClient, EvertickError } from '../../src/client/index.ts'
import { serveNode } from './served-node.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error instanceof EvertickError) return error.code
  throw new Error(`It did not fail with an EvertickError: ${String(error)}`)
}

test('a bulk action tells how far it is, and answers with its result', async () => {
  const { client } = await serveNode()
  const told: BulkProgress[] = []
  const onProgress = (progress: BulkProgress) => told.push(progress)
  const paused = await client.jobs.bulk({ action: 'pause', filter: '', reason: 'move' }, { onProgress })
  expect(paused).toEqual({ matched: 3, changed: 3, failed: [] })
  expect(told).toEqual([1, 2, 3].map((done) => ({ done, total: 3, changed: done, failed: 0 })))
  expect((await client.jobs.get('greet')).pausedReason).toBe('move')
})

test('what is refused before anything is done is the server’s own problem', async () => {
  const { client } = await serveNode()
  const onProgress = () => {}
  const changed = client.jobs.bulk({ action: 'pause', filter: '', confirm: 2 }, { onProgress })
  expect(await codeOf(changed)).toBe('matches_changed')
  const misspelt = client.jobs.bulk({ action: 'pause', filter: 'tga:x' }, { onProgress })
  expect(await codeOf(misspelt)).toBe('invalid_option')
  expect((await client.jobs.get('greet')).isPaused).toBe(false)
})

const step = 'event: progress\ndata: {"done":1,"total":2,"changed":1,"failed":0}\n\n'

test.each([
  [
    'a problem in the midst of it',
    `${step}event: problem\ndata: {"code":"internal","detail":"no"}\n\n`,
    'internal',
  ],
  ['a stream that ends without a result', step, 'server_unavailable'],
])('%s is an error', async (_, sent, code) => {
  const url = await serve((_request, response) => {
    response.setHeader('content-type', 'text/event-stream')
    response.end(sent)
  })
  const told: number[] = []
  const bulk = createClient({ url }).jobs.bulk(
    { action: 'pause', filter: '' },
    { onProgress: ({ done }) => told.push(done) },
  )
  expect(await codeOf(bulk)).toBe(code)
  expect(told).toEqual([1])
})

test('a server that says nothing for the timeout is given up, before and after its first word', async () => {
  const silent = await serve(() => {})
  const stuck = await serve((_request, response) => {
    response.setHeader('content-type', 'text/event-stream')
    response.write(step)
  })
  for (const url of [silent, stuck]) {
    const bulk = createClient({ url }).jobs.bulk(
      { action: 'pause', filter: '' },
      { timeout: '50ms', onProgress: () => {} },
    )
    expect(await codeOf(bulk)).toBe('server_unavailable')
  }
})

test('a server that answers with its result alone is understood', async () => {
  const url = await serve((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"matched":1,"changed":1,"failed":[]}')
  })
  const bulk = createClient({ url }).jobs.bulk({ action: 'pause', filter: '' }, { onProgress: () => {} })
  expect(await bulk).toEqual({ matched: 1, changed: 1, failed: [] })
})
