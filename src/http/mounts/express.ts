/** `evertick/express`: `app.use('/jobs', evertickExpress(evertick))`. It imports nothing of Express. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { contextOf } from '../../app/app-context.ts'
import type { MountOptions } from '../../app/config/api-config.ts'
import type { Evertick } from '../../evertick.ts'
import { nodeListener } from '../node-server.ts'
import { mountedApi } from './mounted-api.ts'

/** What is needed of an Express request, of version 4 or 5. */
export interface ExpressRequest extends IncomingMessage {
  originalUrl: string
  /** The path of the mount. */
  baseUrl: string
  /** By the app's own `trust proxy`, as is the protocol. */
  readonly ip?: string | undefined
  readonly protocol?: string | undefined
  body?: unknown
  rawBody?: Buffer
}

export interface ExpressMount {
  (request: ExpressRequest, response: ServerResponse): void
  /** Ends streams of events, so that the app's server can close. A stop of the Evertick does the same. */
  close(): Promise<void>
}

export function evertickExpress(evertick: Evertick, options: MountOptions = {}): ExpressMount {
  const api = mountedApi(evertick, options)
  const listener = nodeListener<ExpressRequest>(
    (request, { ip, protocol, baseUrl }) =>
      api(request, { address: ip, scheme: protocol, basePath: baseUrl }),
    contextOf(evertick).logger,
  )
  const mount = (request: ExpressRequest, response: ServerResponse) => {
    // Express has cut the path. Requests below the mount are never passed on, so nothing else needs it whole.
    request.url = request.originalUrl
    keepParsedBody(request)
    listener(request, response)
  }
  return Object.assign(mount, { close: () => api.close() })
}

/** A body parser has already read the stream: its result is written back, and read again by our own rules. */
function keepParsedBody(request: ExpressRequest): void {
  if (!request.readableDidRead || request.body === undefined || request.rawBody !== undefined) return
  const { body } = request
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
  request.rawBody = Buffer.from(isRaw ? body : JSON.stringify(body))
}
