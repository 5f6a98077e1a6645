/**
 * A route of the API, as data: where it is, who may call it, what comes in and what goes out. A route cannot be written
 * without its role; the router, the OpenAPI document, the client and the tests of every role read the same list.
 */
import type { z } from 'zod'
import type { Access } from '../app/access/access.ts'
import type { Principal } from '../app/access/principal.ts'
import type { Evertick } from '../app/evertick.ts'
import type { AccessRole } from '../core/access/access-role.ts'
import type { NodeMetrics } from '../observe/node-metrics.ts'
import type { LiveEvents } from './events/live-events.ts'

export type Method = 'get' | 'post' | 'patch' | 'delete'

/** `public` is for what must work before anybody has signed in. */
export type NeededRole = AccessRole | 'public'

export interface Call<Params, Query, Body> {
  readonly evertick: Evertick
  readonly access: Access
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Whoever calls; null on a public route without a token. */
  readonly principal: Principal | null
  /** The same for the audit log. */
  readonly actor: string
  /** Whose limits count. */
  readonly caller: string
  readonly request: Request
  readonly live: LiveEvents
  readonly metrics: NodeMetrics
}

export interface Endpoint<Params = unknown, Query = unknown, Body = unknown> {
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
  /** What a success brings; null for none. Of a stream: each of its parts. */
  readonly answers: z.ZodType | null
  /** Of an answer that is text or a stream as it is. @default JSON */
  readonly contentType?: 'text/event-stream' | 'text/plain'
  readonly status?: 200 | 201 | 202 | 204
  /** Takes an Idempotency-Key: the same key gets the same answer. */
  readonly repeatable?: boolean
  readonly run: (call: Call<Params, Query, Body>) => Promise<unknown>
}

/** What was parsed from JSON or a query has no key that is there and undefined. */
type Exact<T> = T extends readonly unknown[] | Date
  ? T
  : T extends object
    ? { [Key in keyof T]: Exact<Exclude<T[Key], undefined>> }
    : T

interface Given<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>
  extends Omit<Endpoint, 'params' | 'query' | 'body' | 'run'> {
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly run: (call: Call<Exact<z.output<P>>, Exact<z.output<Q>>, Exact<z.output<B>>>) => Promise<unknown>
}

/** Ties what `run` is given to the schemas beside it. */
export function endpoint<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  given: Given<P, Q, B>,
): Endpoint {
  return given as unknown as Endpoint
}

/** An answer that is more than its body. */
export class Reply {
  readonly body: unknown
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    body: unknown,
    { status, headers = {} }: { status?: number; headers?: Record<string, string> },
  ) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}
