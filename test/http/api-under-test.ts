/** A real node on a manual clock with its whole API as one `fetch`: what the tests of the server share. */

import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Access } from '../../src/app/access/access.ts'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import type { RunningApi } from '../../src/app/cluster/live-node.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { type AccessRole, accessRoles } from '../../src/core/access/access-role.ts'
import { createApi } from '../../src/http/api.ts'
import type { ApiOptions } from '../../src/http/api-options.ts'
import { serve } from '../../src/http/serve.ts'
import { defineJob, type Logger } from '../../src/index.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'
import { quiet } from '../promises/support.ts'

/** Signs every token of these tests. */
export const secret = 'a-secret-of-the-tests-0123456789-abcdefghij'
export const host = '127.0.0.1:8060'

export interface Sent {
  readonly token?: string | undefined
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  readonly remote?: string
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined where there is no body. */
  readonly json: Readonly<Record<string, unknown>>
}

export interface ApiUnderTest {
  readonly node: TestNode
  readonly access: Access
  readonly tokens: Readonly<Record<AccessRole, string>>
  /** Everything that was logged, as text. */
  readonly logged: readonly string[]
  readonly send: (method: string, path: string, sent?: Sent) => Promise<Answered>
  /** As an administrator. */
  readonly call: (method: string, path: string, json?: unknown) => Promise<Answered>
  /** For what has no end. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Of the API; the node goes on. */
  readonly close: () => Promise<void>
}

/** A handler for each way in which an execution can end. */
export const jobs = [
  defineJob({
    name: 'greet',
    input: z.object({ name: z.string().default('you') }).default({ name: 'you' }),
    run: (ctx) => {
      ctx.log.info(`hello ${ctx.input.name}`)
      return { said: ctx.input.name }
    },
  }),
  defineJob({
    name: 'break',
    retry: { attempts: 1 },
    run: () => {
      throw new Error('broken on purpose')
    },
  }),
  defineJob({ name: 'minutely', schedule: { every: '1m', anchor: 'epoch' }, run: () => 'done' }),
]

type Given = TestNodeOptions & Partial<Pick<ApiOptions, 'hosts' | 'rate'>>

/** Ends with its test. */
export async function openApiUnderTest(given: Given = {}): Promise<ApiUnderTest> {
  const made = await openApi(given)
  onTestFinished(() => made.node.stop())
  return made
}

/** The caller stops the node. */
export async function openApi({ hosts = null, rate, ...options }: Given = {}): Promise<ApiUnderTest> {
  const logged: string[] = []
  const logger = loggerInto(logged)
  const node = await openTestNode({ jobs, logger, ...options })
  const { evertick } = node
  const access = openAccess(contextOf(evertick), apiConfig({ secrets: [secret] }))
  // A test may ask more often than a caller should.
  const limits = rate ?? { perSecond: 1e6, burst: 1e6 }
  const fetch = createApi({ evertick, app: contextOf(evertick), access, logger, hosts, rate: limits })
  const tokens = Object.fromEntries(
    await Promise.all(
      accessRoles.map(async (role) => [role, (await access.createToken({ name: role, role })).token]),
    ),
  ) as Record<AccessRole, string>
  const send: ApiUnderTest['send'] = async (method, path, sent = {}) =>
    await answered(await fetch(requestOf(method, path, sent), { address: sent.remote }))
  return {
    node,
    access,
    tokens,
    logged,
    send,
    call: async (method, path, json) =>
      await send(method, path, { token: tokens.admin, ...(json === undefined ? {} : { json }) }),
    fetch: async (request) => await fetch(request),
    close: () => fetch.close(),
  }
}

/** The same on a port, for all tests of a file. */
export function serveForAll(): { readonly api: ApiUnderTest; readonly url: string } {
  let api: ApiUnderTest
  let server: RunningApi
  beforeAll(async () => {
    api = await openApi()
    const { evertick } = api.node
    const config = apiConfig({ host: '127.0.0.1', port: 0, secrets: [secret] })
    server = await serve({ evertick, app: contextOf(evertick), access: api.access, logger: quiet }, config)
  })
  afterAll(async () => {
    await server.close()
    await api.node.stop()
  })
  return {
    get api() {
      return api
    },
    get url() {
      return server.url
    },
  }
}

export function requestOf(method: string, path: string, { token, json, body, headers }: Sent): Request {
  const given = json === undefined ? body : JSON.stringify(json)
  return new Request(`http://${host}${path}`, {
    method,
    headers: {
      host,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(given === undefined ? {} : { body: given, duplex: 'half' as const }),
  })
}

export async function answered(response: Response): Promise<Answered> {
  // A stream of events has no end: that it has begun is its answer.
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  if (isStream) await response.body?.cancel()
  const text = isStream ? '' : await response.text()
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  const json = (isJson && text !== '' ? JSON.parse(text) : undefined) as Record<string, unknown>
  return { status: response.status, headers: response.headers, text, json }
}

const mostLogged = 10_000

function loggerInto(logged: string[]): Logger {
  const write = (message: string, details?: object) => {
    const { error }: { error?: Error } = details ?? {}
    logged.push(`${message} ${error?.stack ?? ''}`)
    logged.push(JSON.stringify(details ?? null))
    // A long run must not be what it measures.
    if (logged.length > mostLogged) logged.splice(0, mostLogged / 2)
  }
  return { debug: write, info: write, warn: write, error: write }
}
