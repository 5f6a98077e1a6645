/** A real server on the loopback that answers whatever a test has it answer. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface AnsweringServer {
  readonly url: string
  readonly asked: readonly IncomingHttpHeaders[]
  answer: (response: ServerResponse, headers: IncomingHttpHeaders) => void
}

export async function answeringServer(): Promise<AnsweringServer> {
  const asked: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers)
    made.answer(response, request.headers)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const made: AnsweringServer = {
    url: `http://127.0.0.1:${port}/jobs`,
    asked,
    answer: (response) => response.end('[]'),
  }
  return made
}

export function json(value: unknown, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse) => {
    for (const [name, text] of Object.entries(headers)) response.setHeader(name, text)
    response.end(JSON.stringify(value))
  }
}
