/**
 * The API as one `fetch`: from a request to an answer, through every guard in one order. It listens nowhere by itself, so
 * that it can be mounted anywhere.
 */
import { Hono } from 'hono'
import type { Principal } from '../app/access/principal.ts'
import { version } from '../app/config/version.ts'
import { makerOf } from '../app/maker.ts'
import { EvertickError } from '../core/error.ts'
import { NodeMetrics } from '../observe/node-metrics.ts'
import { logAccess, type Seen } from './access-log.ts'
import { allRoutes, type PlacedEndpoint, prefix } from './all-routes.ts'
import { type ApiOptions, noProxies, usualRate } from './api-options.ts'
import { callerOf, principalOf, refuseRole } from './auth/authenticate.ts'
import { pathBelow, rebase } from './base-path.ts'
import { DeniedCalls } from './denied-calls.ts'
import { type Call, Reply } from './endpoint.ts'
import { LiveEvents } from './events/live-events.ts'
import { apiHeaders } from './guard/headers.ts'
import { HeavyCalls } from './guard/heavy-calls.ts'
import { bodyLimits } from './guard/json-body.ts'
import { refuseHost } from './guard/origin.ts'
import { type From, type Visit, visitOf } from './guard/proxies.ts'
import { type Rate, RateLimit } from './guard/rate-limit.ts'
import { TooMany } from './guard/too-many.ts'
import { answerOnce } from './idempotency.ts'
import { openapiDocument } from './openapi.ts'
import { dashboardAsset, dashboardPage, wantsPage } from './pages/dashboard.ts'
import { docsPages } from './pages/docs.ts'
import { pageResponse } from './pages/page.ts'
import { problemPage } from './pages/problem-page.ts'
import { signInPages } from './pages/sign-in.ts'
import { errorResponse, problemOf, problemResponse, unforeseen } from './problem.ts'
import { acceptedStream } from './progress-stream.ts'
import { readRequest } from './read-request.ts'
import { doors } from './sign-in/doors.ts'
import { TextResponse } from './text-response.ts'
import { withoutStacks } from './without-stacks.ts'

/** What a server tells of a request; `basePath` is for a mount that learns its path with each. */
export interface Arrival extends From {
  readonly basePath?: string
}

export type Fetch = (request: Request, from?: Arrival) => Promise<Response>

/** What is known about a request before it is read. */
interface Way {
  readonly visit: Visit
  readonly basePath: string
  readonly seen: Seen
}

export interface Api extends Fetch {
  /**
   * Stops counting, writes down what was denied, and ends the streams of live events: until then a server that closes
   * would wait for them.
   */
  close(): Promise<void>
}

const pages = [...signInPages, ...docsPages]
const doorPaths = new Set(doors.map(({ path }) => path))
const pagePaths = new Set(['/openapi.json', ...doorPaths, ...pages.map(({ path }) => path)])
/** When to retry if the token provider does not answer. */
const providerSeconds = 5
/** The limit for one address that sends invalid tokens or codes. */
const failureRate: Rate = { perSecond: 0.5, burst: 20 }

export function createApi(options: ApiOptions): Api {
  const { evertick, app, access, logger, hosts, rate = usualRate, trustProxy = noProxies } = options
  const { maxBodyBytes = bodyLimits.payload.bytes } = options
  const monotonic = () => app.clock.monotonic()
  const calls = new RateLimit(rate, monotonic)
  const failures = new RateLimit(failureRate, monotonic)
  const heavy = new HeavyCalls(app.rest)
  const denied = new DeniedCalls(app, logger)
  const live = new LiveEvents(app, access, logger)
  const metrics = new NodeMetrics({ ...app, version })
  const router = new Hono<{ Bindings: Way }>({
    getPath: (request, given) => pathBelow(request, given?.env?.basePath ?? '') ?? '/',
  })

  async function answer(
    route: PlacedEndpoint,
    request: Request,
    params: Record<string, string>,
    { visit, basePath, seen }: Way,
  ) {
    seen.route = route.fullPath
    const principal = await authenticated(route, request, { visit, seen })
    const caller = principal === null ? visit.address : callerOf(principal)
    if (route.unlimited !== true) limit(calls, caller)
    const read = await readRequest(route, request, params, { rest: app.rest, maxBodyBytes })
    const by = { actor: principal?.actor ?? 'anonymous', origin: visit.address }
    const around = {
      evertick,
      app,
      maker: evertick,
      access,
      live,
      metrics,
      principal,
      by,
      caller,
      request,
      basePath,
      visit,
    }
    const call: Call = { ...around, ...read }
    if (route.contentType !== undefined) {
      return await plainResponse(route.contentType, await route.run(call), request.method)
    }
    const streamed = acceptedStream(request.headers.get('accept'))
    if (route.stream !== undefined && streamed !== null) return await route.stream(call, streamed)
    const key = route.idempotent === true ? request.headers.get('idempotency-key') : null
    const what = [route.method, route.fullPath, read.params, read.body]
    const made = await answerOnce(app, { key, caller, what }, async ({ newId, earlierId }) => {
      const mine = key === null ? call : { ...call, maker: makerOf({ ...app, newId }) }
      const replayed = earlierId === null ? null : ((await route.replay?.(mine, earlierId)) ?? null)
      const run = async () => await route.run(mine)
      const returned = replayed ?? (await (route.heavy === true ? heavy.run(caller, run) : run()))
      const reply = replyOf(returned)
      const status = reply.status ?? route.status ?? 200
      const shown = principal?.role === 'admin' ? reply.body : withoutStacks(reply.body)
      const body = route.answers === null ? '' : JSON.stringify(shown)
      return { status, headers: reply.headers, body }
    })
    const { status, body } = made
    const headers = { ...made.headers, ...(made.replayed ? { 'idempotent-replayed': 'true' } : {}) }
    if (status === 204) return new Response(null, { status, headers })
    return new TextResponse(body, { status, headers: { 'content-type': 'application/json', ...headers } })
  }

  async function authenticated(
    route: PlacedEndpoint,
    request: Request,
    { visit, seen }: Pick<Way, 'visit' | 'seen'>,
  ): Promise<Principal | null> {
    if (route.role === 'public') return null
    if (route.publicBy !== undefined && options[route.publicBy] === true) return null
    const principal = await principalOf(request, access, visit.host)
    seen.actor = principal?.actor ?? null
    refuseRole(principal, route.role)
    return principal
  }

  /** Whoever guesses tokens or codes is soon slowed down. A caller with a valid token is not. */
  async function slowGuessing(remote: string, answered: Promise<Response>): Promise<Response> {
    try {
      return await answered
    } catch (error) {
      if (error instanceof EvertickError && error.code === 'unauthenticated') limit(failures, remote, error)
      throw error
    }
  }

  router.use(async (context, next) => {
    refuseHost(context.env.visit.host, hosts)
    await next()
  })
  for (const route of allRoutes) {
    const path = route.fullPath.replaceAll(/\{(\w+)\}/g, ':$1')
    router.on(route.method.toUpperCase(), path, ({ req, env }) =>
      slowGuessing(env.visit.address, answer(route, req.raw, req.param(), env)),
    )
  }
  for (const { path, open } of doors) {
    router.get(path, async ({ req, env }) => {
      const { visit, seen, basePath } = env
      seen.route = path
      limit(calls, visit.address)
      return await slowGuessing(visit.address, open({ access, request: req.raw, visit, seen, basePath }))
    })
  }
  const documentFor = memo((basePath) => JSON.stringify(openapiDocument(basePath)))
  router.get(
    '/openapi.json',
    ({ env }) =>
      new TextResponse(documentFor(env.basePath), { headers: { 'content-type': 'application/json' } }),
  )
  for (const page of pages) router.get(page.path, () => pageResponse(page))
  router.get('/assets/:name', async ({ req }) => {
    return (await dashboardAsset(req.param('name'))) ?? errorResponse(notFound(req.path))
  })
  router.get('/', ({ env }) => dashboardPage(env.basePath))
  router.notFound((context) => {
    const methods = methodsAt(context.req.path)
    if (methods.length === 0) {
      // The dashboard has paths of its own; none of them is below the API's prefix.
      const { req, env } = context
      const isPage = wantsPage(req.raw) && !req.path.startsWith(`${prefix}/`)
      return isPage ? dashboardPage(env.basePath) : errorResponse(notFound(req.path))
    }
    return errorResponse(wrongMethod(context.req.method), { allow: methods.join(', ') })
  })
  router.onError((error, { env: { visit, seen, basePath }, req }) => {
    if (error instanceof EvertickError) {
      const { kind, code, message } = error instanceof TooMany && error.denied !== null ? error.denied : error
      const route = seen.route === null ? '(no route)' : `${req.method} ${seen.route}`
      if (kind === 'auth')
        denied.note({ actor: seen.actor, origin: visit.address, route, code, why: message })
      if (seen.route !== null && doorPaths.has(seen.route)) return problemPage(error, basePath)
      return errorResponse(error, headersOf(error))
    }
    logger.error('A request failed', { error })
    return problemResponse(unforeseen)
  })
  const fetch: Fetch = async (request, { basePath = options.basePath ?? '', ...from } = {}) => {
    const begunAt = monotonic()
    const seen: Seen = { route: null, actor: null }
    const visit = visitOf(request, from, trustProxy)
    const isOurs = pathBelow(request, basePath) !== null
    const response = isOurs
      ? await router.fetch(request, { visit, basePath, seen })
      : errorResponse(notFound(new URL(request.url).pathname))
    rebase(response, basePath)
    for (const [name, value] of Object.entries(apiHeaders)) {
      if (!response.headers.has(name)) response.headers.set(name, value)
    }
    logAccess(logger, request, response, { seen, remote: visit.address, ms: monotonic() - begunAt })
    return response
  }
  const close = async () => {
    metrics.stop()
    await live.close()
    await denied.close()
  }
  return Object.assign(fetch, { close })
}

/** Keeps the last result: in practice there is one base path, so it is made once. */
function memo(make: (basePath: string) => string): (basePath: string) => string {
  let last: { readonly basePath: string; readonly text: string } | null = null
  return (basePath) => {
    if (last?.basePath !== basePath) last = { basePath, text: make(basePath) }
    return last.text
  }
}

function replyOf(returned: unknown): Reply {
  return returned instanceof Reply ? returned : new Reply(returned, {})
}

/** Text or a stream, unchanged. */
async function plainResponse(contentType: string, returned: unknown, method: string): Promise<Response> {
  const { body, headers } = replyOf(returned)
  const init = { headers: { 'content-type': contentType, ...headers } }
  if (!(body instanceof ReadableStream)) return new TextResponse(String(body), init)
  // Nobody reads the body of a HEAD request, so the stream would stay open for ever.
  const isUnread = method === 'HEAD'
  if (isUnread) await body.cancel()
  return new Response(isUnread ? null : body, init)
}

function limit(rate: RateLimit, caller: string, denied: EvertickError | null = null): void {
  const waitSeconds = rate.take(caller)
  if (waitSeconds > 0) throw new TooMany(waitSeconds, denied)
}

function headersOf(error: EvertickError): Record<string, string> {
  if (error instanceof TooMany) return { 'retry-after': String(error.waitSeconds) }
  if (error.code === 'provider_unavailable') return { 'retry-after': String(providerSeconds) }
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
    next: 'See /openapi.json for all routes.',
  })
}

function wrongMethod(method: string): EvertickError {
  return new EvertickError('method_not_allowed', `${method} is not allowed here.`, {
    next: 'See the Allow header.',
  })
}
