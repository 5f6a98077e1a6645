/** One request to the server, typed by the name of its route. */
import { EvertickError } from '../core/error.ts'
import { parseDuration } from '../core/schedule/duration.ts'
import type { Duration } from '../core/schedule/schedule.ts'
import { baseOf } from './base-url.ts'
import type { Answer, Body, Params, Query, RouteName } from './contract.ts'
import { pause } from './pause.ts'
import { invalidAnswer, LostConnection, lateAnswer, problemOf } from './problem.ts'

export interface ClientOptions {
  /** Where a node with the role `api` listens, with any path that a proxy adds. */
  readonly url: string
  /** For `Authorization: Bearer`. @default the browser's cookie of the same origin */
  readonly token?: string
  /** @default the global one */
  readonly fetch?: typeof fetch
  /** How long an answer is waited for. @default '30s' */
  readonly timeout?: Duration
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** @default that of the client */
  readonly timeout?: Duration
  readonly headers?: Readonly<Record<string, string>>
  /** For a call that creates something: the same key creates it once. @default a new one for every call */
  readonly idempotencyKey?: string
  /** The job as it was read, or its ETag: the edit is refused if the job has changed since. */
  readonly ifMatch?: string | { readonly id: string; readonly revision: number }
}

/** A part without keys does not exist; a part whose keys are all optional may be left out. */
type Part<Name extends string, Value> = [Value] extends [undefined | Record<string, never>]
  ? { readonly [Key in Name]?: never }
  : Partial<Value> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value }

export type CallInput<Name extends RouteName> = Part<'params', Params<Name>> &
  Part<'query', Query<Name>> &
  Part<'body', Body<Name>> &
  CallOptions

export type Call = <Name extends RouteName>(
  name: Name,
  ...input: Partial<CallInput<Name>> extends CallInput<Name>
    ? [input?: CallInput<Name>]
    : [input: CallInput<Name>]
) => Promise<Answer<Name>>

/** The same without the types of one route: requests are built in one place. */
export interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  readonly body?: unknown
}

/** Routes without the prefix. Their body is the answer, even with an error status. */
export const serviceRoutes: readonly string[] = [
  'GET /livez',
  'GET /readyz',
  'GET /health',
  'GET /metrics',
  'GET /ping/{token}',
  'POST /ping/{token}',
  'GET /ping/{token}/{said}',
  'POST /ping/{token}/{said}',
] satisfies RouteName[]

/** These take an Idempotency-Key, so that a repeated call does nothing twice. */
export const idempotentRoutes: readonly string[] = [
  'POST /jobs',
  'POST /jobs/{id}/pause',
  'POST /jobs/{id}/resume',
  'POST /jobs/{id}/cancel',
  'POST /jobs/{id}/retry',
  'POST /jobs/{id}/trigger',
  'POST /jobs/{id}/backfill',
  'POST /executions',
  'POST /executions/{id}/cancel',
  'POST /executions/{id}/retry',
  'POST /executions/{id}/signals',
] satisfies RouteName[]

const usualTimeout: Duration = '30s'
/** Between the attempts of a call whose connection was lost. */
const pausesMs = [200, 1_000]

export class Requests {
  /** Where the server is: empty on its own page. */
  readonly base: string
  readonly #fetch: typeof fetch
  readonly #token: string | undefined
  readonly #timeoutMs: number

  constructor({ url, token, fetch: given, timeout = usualTimeout }: ClientOptions) {
    this.base = baseOf(url)
    // A browser's fetch must be called on its window.
    this.#fetch = given ?? ((...request) => fetch(...request))
    this.#token = token
    this.#timeoutMs = parseDuration(timeout, 'timeout')
  }

  readonly call: Call = async (name, ...[input]) => {
    const given = { ...input } as AnyInput
    const makes = idempotentRoutes.includes(name)
    const key = makes ? { 'idempotency-key': given.idempotencyKey ?? newKey() } : {}
    const mayRepeat = makes || name.startsWith('GET ')
    for (let attempt = 0; ; attempt += 1) {
      try {
        return (await this.#answer(name, { ...given, headers: { ...key, ...given.headers } })) as never
      } catch (error) {
        const pauseMs = pausesMs[attempt]
        if (!mayRepeat || pauseMs === undefined || !isWorthRepeating(error, attempt)) throw error
        await pause(pauseMs, given.signal)
      }
    }
  }

  /** The response as it is: the caller reads its body. */
  async open(name: string, input: AnyInput, signal: AbortSignal | undefined): Promise<Response> {
    const [method = '', path = ''] = name.split(' ')
    const { body, ifMatch } = input
    const etag = typeof ifMatch === 'object' ? `"${ifMatch.id}:${ifMatch.revision}"` : ifMatch
    const url = `${this.base}${serviceRoutes.includes(name) ? '' : '/api/v1'}${filled(path, input)}`
    try {
      return await this.#fetch(url, {
        method,
        headers: {
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(etag === undefined ? {} : { 'if-match': etag }),
          ...input.headers,
        },
        credentials: this.#token === undefined ? 'same-origin' : 'omit',
        // A redirect would turn a POST into a GET, and send the token elsewhere.
        redirect: 'error',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      })
    } catch (error) {
      if (signal?.aborted === true) throw error
      throw new LostConnection(this.base, error)
    }
  }

  timeoutMsOf({ timeout }: CallOptions): number {
    return timeout === undefined ? this.#timeoutMs : parseDuration(timeout, 'timeout')
  }

  async #answer(name: string, input: AnyInput): Promise<unknown> {
    const timeoutMs = this.timeoutMsOf(input)
    const late = AbortSignal.timeout(timeoutMs)
    const signal = input.signal === undefined ? late : AbortSignal.any([input.signal, late])
    try {
      const response = await this.open(name, input, signal)
      const text = await this.#textOf(response, signal)
      return answerOf(name, response, text)
    } catch (error) {
      input.signal?.throwIfAborted()
      if (late.aborted && !(error instanceof EvertickError)) throw lateAnswer(this.base, timeoutMs, error)
      throw error
    }
  }

  async #textOf(response: Response, signal: AbortSignal): Promise<string> {
    try {
      return await response.text()
    } catch (error) {
      if (signal.aborted) throw error
      throw new LostConnection(this.base, error)
    }
  }
}

function filled(path: string, { params = {}, query = {} }: AnyInput): string {
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const asked = new URLSearchParams()
  // A list is written with commas. Whoever writes JavaScript may leave a key undefined.
  for (const [name, value] of Object.entries(query)) {
    if ((value as unknown) !== undefined) asked.set(name, String(value))
  }
  return asked.size === 0 ? place : `${place}?${asked.toString()}`
}

function answerOf(name: string, response: Response, text: string): unknown {
  const type = response.headers.get('content-type') ?? ''
  const isService = serviceRoutes.includes(name)
  if (!response.ok && !(isService && type.startsWith('application/json'))) throw problemOf(response, text)
  if (response.status === 204) return undefined
  if (isService && type.startsWith('text/plain')) return text
  if (!type.startsWith('application/json')) throw invalidAnswer(response)
  return JSON.parse(text) as unknown
}

/** The first request of a key may still be under way after its connection was lost. */
function isWorthRepeating(error: unknown, attempt: number): boolean {
  if (error instanceof LostConnection) return true
  return attempt > 0 && error instanceof EvertickError && error.code === 'key_under_way'
}

/** `randomUUID` is not there on a page that came over plain HTTP. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
