/**
 * A route of the API, as data: where it is, who may call it, what comes in and what goes out. A route cannot be written
 * without its role; the router, the OpenAPI document, the client and the tests of every role read the same list.
 */
import type { z } from 'zod'
import type { Access } from '../app/access/access.ts'
import type { Principal } from '../app/access/principal.ts'
import type { AppContext } from '../app/app-context.ts'
import type { ActorOptions } from '../app/change-context.ts'
import type { Maker } from '../app/maker.ts'
import type { AccessRole } from '../core/access/access-role.ts'
import type { Evertick } from '../evertick.ts'
import type { NodeMetrics } from '../observe/node-metrics.ts'
import type { LiveEvents } from './events/live-events.ts'
import type { bodyLimits } from './guard/json-body.ts'
import type { Visit } from './guard/proxies.ts'
import type { StreamType } from './progress-stream.ts'
import type { InstantText } from './schemas/named.ts'

export type Method = 'get' | 'post' | 'patch' | 'delete'

/** `public` is for what must work before anybody has signed in. */
export type NeededRole = AccessRole | 'public'

export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly evertick: Evertick
  readonly app: AppContext
  readonly access: Access
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The caller; null on a public route without a token. */
  readonly principal: Principal | null
  /** The caller and its address, for the audit log. */
  readonly by: Required<ActorOptions>
  /** Makes jobs, executions and signals; under an Idempotency-Key, always with the same ids. */
  readonly maker: Maker
  /** Whose limits apply. */
  readonly caller: string
  readonly request: Request
  /** The path that the API is mounted at; empty at the root. */
  readonly basePath: string
  /** From where and under which name the caller asks. */
  readonly visit: Visit
  readonly live: LiveEvents
  readonly metrics: NodeMetrics
}

export interface Endpoint {
  readonly method: Method
  /** Below the prefix: `/jobs/{id}`. */
  readonly path: string
  readonly role: NeededRole
  /** An option of the server that lets anybody in. */
  readonly publicBy?: 'metricsPublic'
  readonly summary: string
  readonly tag: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** A body that may be left out. */
  readonly bodyOptional?: boolean
  /** The limit of its body. @default 'little' */
  readonly takes?: keyof typeof bodyLimits
  /** The body of a success; null for none. For a stream: each of its parts. */
  readonly answers: z.ZodType | null
  /** For an answer that is plain text or a stream. @default JSON */
  readonly contentType?: 'text/event-stream' | 'text/plain'
  readonly status?: 200 | 201 | 202 | 204
  /** For health checks: the rate limit of their address does not apply. @default false */
  readonly unlimited?: boolean
  /** Reads a lot: a caller may have only a few of these under way. @default false */
  readonly heavy?: boolean
  /** Takes an Idempotency-Key: the same key gets the same answer. */
  readonly idempotent?: boolean
  // Methods, so that a route may narrow their parameters: the router calls each with what its own schemas have parsed.
  /** The answer, if an earlier try under the same key did the work but its reply was lost; else null. */
  replay?(call: Call, id: string): Promise<unknown>
  run(call: Call): Promise<unknown>
  /** In place of `run`, where the caller's `Accept` asks for a stream of its progress. */
  stream?(call: Call, type: StreamType): Promise<Response>
}

/** Parsed JSON has no key whose value is undefined. */
type Exact<T> = T extends readonly unknown[] | Date
  ? T
  : T extends object
    ? { [Key in keyof T]: Exact<Exclude<T[Key], undefined>> }
    : T

/** What a caller sends and receives, as JSON. */
export interface Contract<Params = unknown, Query = unknown, Body = unknown, Answer = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly answer: Answer
}

/** A route with all its types: the types of the client come from here. */
export interface TypedEndpoint<M extends Method, Path extends string, C extends Contract> extends Endpoint {
  readonly method: M
  readonly path: Path
  /** Only a type: no route has this key. */
  readonly contract?: C
}

/** For a route without parameters there. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type
type Nothing = Record<never, never>

/** A query is text: the schema's input says which keys are optional, and its output what their values are. */
type Queried<In, Out> = { [Key in keyof In]: Exclude<Out[Key & keyof Out], undefined> }

/** What a route may return for JSON to become T: readonly data, and a `Date` for an instant. */
type Plain<T> = unknown extends T
  ? unknown
  : T extends InstantText
    ? Date
    : Record<string, unknown> extends T
      ? object
      : T extends object
        ? { readonly [Key in keyof T]: Plain<T[Key]> }
        : T

/** The body of an answer: a stream is one of bytes, whatever its parts are. */
type AnswerBody<A extends z.ZodType | null, Type> = A extends z.ZodType
  ? Type extends 'text/event-stream'
    ? ReadableStream<Uint8Array>
    : Plain<z.output<A>>
  : void

interface Given<
  M extends Method,
  Path extends string,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodType,
  A extends z.ZodType | null,
  Type extends Endpoint['contentType'],
  C extends Call = Call<Exact<z.output<P>>, Exact<z.output<Q>>, Exact<z.output<B>>>,
  Answer = AnswerBody<A, Type>,
> extends Endpoint {
  readonly method: M
  readonly path: Path
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly answers: A
  readonly contentType?: Exclude<Type, undefined>
  readonly replay?: (call: C, id: string) => Promise<Answer | Reply<Answer> | null>
  readonly run: (call: C) => Promise<Answer | Reply<Answer>>
  readonly stream?: (call: C, type: StreamType) => Promise<Response>
}

/** Ties what `run` is given and returns, and what the client's callers give and get, to the schemas beside it. */
export function endpoint<
  const M extends Method,
  const Path extends string,
  A extends z.ZodType | null,
  P extends z.ZodObject = z.ZodObject<Nothing>,
  Q extends z.ZodObject = z.ZodObject<Nothing>,
  B extends z.ZodType = z.ZodUndefined,
  Type extends Endpoint['contentType'] = undefined,
>(
  given: Given<M, Path, P, Q, B, A, Type>,
): TypedEndpoint<
  M,
  Path,
  Contract<
    z.input<P>,
    Queried<z.input<Q>, z.output<Q>>,
    z.input<B>,
    A extends z.ZodType ? z.input<A> : undefined
  >
> {
  return given
}

/** An answer that is more than its body. */
export class Reply<Body = unknown> {
  readonly body: Body
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(body: Body, { status, headers = {} }: { status?: number; headers?: Record<string, string> }) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}
