/** A real server on the loopback that keeps what it was asked, and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface ToAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Never answers. */
  readonly hangs?: boolean
}

export interface EchoServer {
  readonly host: string
  readonly url: string
  readonly asked: Asked[]
}

export async function echoServer(answer: (asked: Asked, times: number) => ToAnswer): Promise<EchoServer> {
  const asked: Asked[] = []
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: await text(request) }
    asked.push(one)
    const { status = 200, headers: own = {}, body = '', hangs = false } = answer(one, asked.length)
    if (!hangs) response.writeHead(status, own).end(body)
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, url: `http://${host}/hook?x=1`, asked }
}
