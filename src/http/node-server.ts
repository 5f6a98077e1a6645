/** Node's own server around the API: also what is no request at all is answered in the words of the rest. */
import { createServer, type Server } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { EvertickError } from '../core/error.ts'
import type { Logger } from '../engine/logger.ts'
import type { Fetch } from './api.ts'
import { apiHeaders } from './guard/headers.ts'
import { errorResponse, problemOf, problemResponse, unforeseen } from './problem.ts'

/** Whoever sends its headers, or its whole request, more slowly holds a connection for nothing. */
const limits = { headersTimeout: 15_000, requestTimeout: 60_000, requireHostHeader: false }

interface NodeBindings {
  readonly incoming: { readonly socket: { readonly remoteAddress?: string } }
}

export function nodeServer(fetch: Fetch, logger: Logger): Server {
  const listener = getRequestListener(
    (request, env) => fetch(request, (env as NodeBindings).incoming.socket.remoteAddress),
    {
      errorHandler: (error) => {
        if (error instanceof RequestError) return safe(errorResponse(noRequest()))
        logger.error('A request failed', { error })
        return safe(problemResponse(unforeseen))
      },
    },
  )
  // A request without a host is left to the listener, which answers it as a whole.
  const server = createServer(limits, (request, response) => void listener(request, response))
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(refusalText())
    else socket.destroy()
  })
  return server
}

function noRequest(): EvertickError {
  return new EvertickError('invalid_input', 'This is no HTTP request that could be read.', {
    next: 'Check the request line, the Host header and the size of the headers.',
  })
}

function safe(response: Response): Response {
  for (const [name, value] of Object.entries(apiHeaders)) response.headers.set(name, value)
  return response
}

/** Where even the headers could not be read there is nothing but the socket to answer on. */
function refusalText(): string {
  const problem = problemOf(noRequest())
  const body = JSON.stringify(problem)
  const headers = {
    ...apiHeaders,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${problem.status} ${problem.title}`, ...lines, '', body].join('\r\n')
}
