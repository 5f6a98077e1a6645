/** A real receiver on the loopback: it keeps what it is sent, and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly headers: IncomingHttpHeaders
  /** As it was sent: what is signed. */
  readonly body: string
}

export type Behaviour = (response: ServerResponse, times: number) => void

export interface Receiver {
  readonly host: string
  readonly url: string
  readonly received: readonly Received[]
}

export const answers = (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour => {
  return (response) => void response.writeHead(status, headers).end()
}

export async function openReceiver(behave: Behaviour = answers(204)): Promise<Receiver> {
  const received: Received[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const { type, data } = JSON.parse(body) as Pick<Received, 'type' | 'data'>
    received.push({ id: String(request.headers['webhook-id']), type, data, headers: request.headers, body })
    behave(response, received.length)
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, url: `http://${host}/hook`, received }
}
