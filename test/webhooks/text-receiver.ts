/** A real receiver on the loopback for whatever is no message of the standard: it keeps method, path and body. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { answers, type Behaviour } from './receiver.ts'

export interface TextReceiver {
  readonly host: string
  readonly path: string
  readonly url: string
  readonly received: readonly {
    readonly method: string
    readonly path: string
    readonly headers: IncomingHttpHeaders
    readonly body: string
  }[]
}

export async function openTextReceiver(
  behave: Behaviour = answers(200),
  path = '/services/T000/canary-of-the-address',
): Promise<TextReceiver> {
  const received: TextReceiver['received'][number][] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    received.push({ method, path: url, headers, body: await text(request) })
    behave(response, received.length)
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, path, url: `http://${host}${path}`, received }
}
