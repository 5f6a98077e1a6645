/** Node's own requests and servers around the API: also what is no request at all is answered in the words of the rest. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { EvertickError } from '../core/error.ts'
import type { Logger } from '../engine/logger.ts'
import type { Fetch } from './api.ts'
import { apiHeaders } from './guard/headers.ts'
import { errorResponse, problemOf, problemResponse, unforeseen } from './problem.ts'
import { TextResponse } from './text-response.ts'

/** Whoever sends its headers, or its whole request, more slowly holds a connection for nothing. */
const patience = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 }

/** Answers what a server of Node's, or an app around one, was sent. */
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
      // Quicker, and no library's business: this process is somebody else's.
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
    // The only name that may stand in several lines.
    ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
    'content-length': Buffer.byteLength(whole),
  })
  outgoing.end(whole)
}

/** `given` is for who cannot wait that long. */
export function nodeServer(fetch: Fetch, logger: Logger, given: Partial<typeof patience> = {}): Server {
  const listener = nodeListener(
    async (request, incoming) => await fetch(request, incoming.socket.remoteAddress),
    logger,
  )
  // A request without a host is left to the listener, which answers it as a whole.
  const server = createServer({ ...patience, ...given, requireHostHeader: false }, listener)
  // Whatever else a client expects need not be met: it is answered like any other.
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

/** `..` climbs, also when it is written as `%2e`. */
const dots = /\/(?:\.|%2e){1,2}(?:\/|$)/i
const absolute = /^https?:\/\/([^/?]*)/i

/** A proxy in front may have read the target in another way: what it let through is then not what is asked for here. */
function isAmbiguous({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  const [whole, authority] = absolute.exec(url) ?? []
  // Of two names for the host, one would be checked and the other believed.
  if (authority !== undefined && authority.toLowerCase() !== headers.host?.toLowerCase()) return true
  const [path = ''] = url.slice(whole?.length ?? 0).split('?', 1)
  return dots.test(path)
}
