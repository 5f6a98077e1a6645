/**
 * The API as one `fetch`: from a request to an answer, through every guard in one order. It listens nowhere by itself, so
 * that it can be mounted anywhere.
 */
import { Hono } from 'hono'
import type { Access } from '../app/access/access.ts'
import type { Principal } from '../app/access/principal.ts'
import { Evertick } from '../app/evertick.ts'
import { version } from '../app/version.ts'
import { EvertickError } from '../core/error.ts'
import type { Logger } from '../engine/logger.ts'
import { NodeMetrics } from '../observe/node-metrics.ts'
import { allRoutes, type PlacedEndpoint } from './all-routes.ts'
import { callerOf, principalOf, refuseRole } from './auth/authenticate.ts'
import { type Call, Reply } from './endpoint.ts'
import { LiveEvents } from './events/live-events.ts'
import { apiHeaders } from './guard/headers.ts'
import { refuseHost } from './guard/origin.ts'
import { type Rate, RateLimit } from './guard/rate-limit.ts'
import { openapiDocument } from './openapi.ts'
import { docsPages } from './pages/docs.ts'
import { pageResponse } from './pages/page.ts'
import { signInPages } from './pages/sign-in.ts'
import { errorResponse, problemOf, problemResponse, unforeseen } from './problem.ts'
import { readRequest } from './read-request.ts'
import { answerOnce } from './repeatable.ts'

export interface ApiOptions {
  readonly evertick: Evertick
  readonly access: Access
  readonly logger: Logger
  /** The names that it answers to; null: to any. */
  readonly hosts: readonly string[] | null
  /** Of one caller. @default 200 a second, 400 at once */
  readonly rate?: Rate
  /** Whether anybody may read the metrics. @default false */
  readonly metricsPublic?: boolean
}

export type Fetch = (request: Request, remote?: string) => Promise<Response>

export interface Api extends Fetch {
  /** Stops counting, and ends the streams of live events: until then a server that closes would wait for them. */
  close(): Promise<void>
}

const pages = [...signInPages, ...docsPages]
const pagePaths = new Set(['/openapi.json', ...pages.map(({ path }) => path)])
const usualRate: Rate = { perSecond: 200, burst: 400 }
/** Of one address that brings wrong tokens or codes. */
const failureRate: Rate = { perSecond: 0.5, burst: 20 }

export function createApi(options: ApiOptions): Api {
  const { evertick, access, logger, hosts, rate = usualRate } = options
  const app = Evertick.appOf(evertick)
  const monotonic = () => app.clock.monotonic()
  const calls = new RateLimit(rate, monotonic)
  const failures = new RateLimit(failureRate, monotonic)
  const live = new LiveEvents(app, logger)
  const metrics = new NodeMetrics({ ...app, version })
  const router = new Hono<{ Bindings: { readonly remote: string } }>()

  async function answer(
    route: PlacedEndpoint,
    request: Request,
    params: Record<string, string>,
    remote: string,
  ) {
    const principal = await authenticated(route, request)
    const caller = principal === null ? remote : callerOf(principal)
    limit(calls, caller)
    const read = await readRequest(route, request, params)
    const actor = principal?.actor ?? 'anonymous'
    const around = { evertick, access, live, metrics, principal, actor, caller, request }
    const call = { ...around, ...read } as Call<unknown, unknown, unknown>
    if (route.contentType !== undefined) return plainResponse(route.contentType, await route.run(call))
    const key = route.repeatable === true ? request.headers.get('idempotency-key') : null
    let headers: Readonly<Record<string, string>> = {}
    const what = [route.method, route.fullPath, read.params, read.body]
    const made = await answerOnce(app, { key, caller, what }, async () => {
      const returned = await route.run(call)
      const reply = returned instanceof Reply ? returned : new Reply(returned, {})
      headers = reply.headers
      const status = reply.status ?? route.status ?? 200
      return { status, body: route.answers === null ? '' : JSON.stringify(reply.body) }
    })
    return new Response(made.status === 204 ? null : made.body, {
      status: made.status,
      headers: {
        ...(made.status === 204 ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...(made.repeated ? { 'idempotent-replayed': 'true' } : {}),
      },
    })
  }

  async function authenticated(route: PlacedEndpoint, request: Request): Promise<Principal | null> {
    if (route.role === 'public') return null
    if (route.publicBy !== undefined && options[route.publicBy] === true) return null
    const principal = await principalOf(request, access)
    refuseRole(principal, route.role)
    return principal
  }

  /** Whoever guesses, at tokens or at the codes of links, soon waits; whoever is known is not held up by it. */
  async function slowGuessing(remote: string, answered: Promise<Response>): Promise<Response> {
    try {
      return await answered
    } catch (error) {
      if (error instanceof EvertickError && error.code === 'unauthenticated') limit(failures, remote)
      throw error
    }
  }

  router.use(async (context, next) => {
    refuseHost(context.req.raw, hosts)
    await next()
  })
  for (const route of allRoutes) {
    const path = route.fullPath.replaceAll(/\{(\w+)\}/g, ':$1')
    router.on(route.method.toUpperCase(), path, ({ req, env }) =>
      slowGuessing(env.remote, answer(route, req.raw, req.param() as Record<string, string>, env.remote)),
    )
  }
  const document = JSON.stringify(openapiDocument())
  router.get(
    '/openapi.json',
    () => new Response(document, { headers: { 'content-type': 'application/json' } }),
  )
  for (const page of pages) router.get(page.path, () => pageResponse(page))
  // Whoever types the address alone shall not meet an error.
  router.get('/', (context) => context.redirect('/docs'))
  router.notFound((context) => {
    const methods = methodsAt(new URL(context.req.url).pathname)
    if (methods.length === 0) return errorResponse(notFound(context.req.path))
    return errorResponse(wrongMethod(context.req.method), { allow: methods.join(', ') })
  })
  router.onError((error) => {
    if (error instanceof EvertickError) return errorResponse(error, headersOf(error))
    logger.error('A request failed', { error })
    return problemResponse(unforeseen)
  })
  const fetch: Fetch = async (request, remote = 'unknown') => {
    const response = await router.fetch(request, { remote })
    for (const [name, value] of Object.entries(apiHeaders)) {
      if (!response.headers.has(name)) response.headers.set(name, value)
    }
    return response
  }
  const close = async () => {
    metrics.stop()
    await live.close()
  }
  return Object.assign(fetch, { close })
}

/** Text or a stream, as it is. */
function plainResponse(contentType: string, returned: unknown): Response {
  const { body, headers } = returned instanceof Reply ? returned : new Reply(returned, {})
  return new Response(body as ReadableStream | string, {
    headers: { 'content-type': contentType, ...headers },
  })
}

class TooMany extends EvertickError {
  readonly waitSeconds: number

  constructor(waitSeconds: number) {
    super('rate_limited', `Too many requests: wait ${waitSeconds} s.`, { next: 'Ask less often.' })
    this.waitSeconds = waitSeconds
  }
}

function limit(rate: RateLimit, caller: string): void {
  const waitSeconds = rate.take(caller)
  if (waitSeconds > 0) throw new TooMany(waitSeconds)
}

function headersOf(error: EvertickError): Record<string, string> {
  if (error instanceof TooMany) return { 'retry-after': String(error.waitSeconds) }
  if (problemOf(error).status === 401) return { 'www-authenticate': 'Bearer realm="evertick"' }
  return {}
}

function methodsAt(pathname: string): string[] {
  if (pagePaths.has(pathname)) return ['GET']
  return allRoutes
    .filter(({ fullPath }) => new RegExp(`^${fullPath.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname))
    .map(({ method }) => method.toUpperCase())
}

function notFound(path: string): EvertickError {
  return new EvertickError('route_not_found', `There is nothing at ${path.slice(0, 200)}.`, {
    next: 'See /openapi.json for all there is.',
  })
}

function wrongMethod(method: string): EvertickError {
  return new EvertickError('method_not_allowed', `${method} does not work here.`, {
    next: 'See the Allow header.',
  })
}
