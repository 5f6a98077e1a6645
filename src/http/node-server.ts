/** Node's servers and requests around the API. Even an invalid request gets a problem as its answer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { EvertickError } from '../core/error.ts'
import type { Logger } from '../engine/logger.ts'
import type { Fetch } from './api.ts'
import { apiHeaders } from './guard/headers.ts'
import { errorResponse, problemOf, problemResponse, unforeseen } from './problem.ts'
import { TextResponse } from './text-response.ts'

/** A client that sends its headers or its request more slowly only blocks a connection. */
const patience = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 }

/** A listener for a server of Node, or for an app around one. */
export function nodeListener<Incoming extends IncomingMessage>(
  answer: (request: Request, incoming: Incoming) => Promise<Response>,
  logger: Logger,
): (incoming: Incoming, outgoing: ServerResponse) => void {
  const listener = getRequestListener(
    async (request, env) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller knows whose requests these are
      const { incoming, outgoing } = env as { readonly incoming: Incoming; readonly outgoing: ServerResponse }
      const response = isAmbiguous(incoming)
        ? safe(errorResponse(noRequest()))
        : await answer(request, incoming)
      if (!(response instanceof TextResponse)) return response
      write(response, outgoing)
      return RESPONSE_ALREADY_SENT
    },
    {
      // Faster, and a library must not change the globals of its process.
      overrideGlobalObjects: false,
      errorHandler: (error) => {
        if (error instanceof RequestError) return safe(errorResponse(noRequest()))
        logger.error('A request failed', { error })
        return safe(problemResponse(unforeseen))
      },
    },
  )
  return (incoming, outgoing) => void listener(incoming, outgoing)
}

function write({ status, headers, whole }: TextResponse, outgoing: ServerResponse): void {
  const cookies = headers.getSetCookie()
  outgoing.writeHead(status, {
    ...Object.fromEntries(headers),
    // The only header that may appear several times.
    ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
    'content-length': Buffer.byteLength(whole),
  })
  outgoing.end(whole)
}

/** `given` is for tests, which cannot wait that long. */
export function nodeServer(fetch: Fetch, logger: Logger, given: Partial<typeof patience> = {}): Server {
  const listener = nodeListener(
    async (request, incoming) => await fetch(request, { address: incoming.socket.remoteAddress }),
    logger,
  )
  // A request without a host reaches the listener, which answers it with a problem.
  const server = createServer({ ...patience, ...given, requireHostHeader: false }, listener)
  // An `Expect` header that is not known is ignored, and the request answered like any other.
  server.on('checkExpectation', listener)
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(refusalText())
    else socket.destroy()
  })
  return server
}

function noRequest(): EvertickError {
  return new EvertickError('invalid_input', 'This is not a valid HTTP request.', {
    next: 'Check the request line, the Host header and the size of the headers.',
  })
}

function safe(response: Response): Response {
  for (const [name, value] of Object.entries(apiHeaders)) response.headers.set(name, value)
  return response
}

/** If the headers cannot be read, there is only the socket to answer on. */
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

/** `..` leads to the parent, also when it is written as `%2e`. */
const dots = /\/(?:\.|%2e){1,2}(?:\/|$)/i
const absolute = /^https?:\/\/([^/?]*)/i

/** A proxy may have read this target differently, and let through what it meant to stop. */
function isAmbiguous({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  const [whole, authority] = absolute.exec(url) ?? []
  // With two host names, one would be checked and the other used.
  if (authority !== undefined && authority.toLowerCase() !== headers.host?.toLowerCase()) return true
  const [path = ''] = url.slice(whole?.length ?? 0).split('?', 1)
  return dots.test(path)
}
