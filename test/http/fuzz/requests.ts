/** Requests by the OpenAPI document: every operation, with what it takes, and with what it should not take. */
import fc from 'fast-check'
import { type JsonSchema, odd, type Schemas, text, valueOf } from './values.ts'

export interface FuzzedRequest {
  readonly method: string
  /** As the document has it: `/api/v1/jobs/{id}`. */
  readonly place: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | null
}

interface Operation {
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required: boolean
    readonly schema: JsonSchema
  }[]
  readonly requestBody?: {
    /** One that takes plain text has no JSON. */
    readonly content: { readonly 'application/json'?: { readonly schema: JsonSchema } }
  }
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Schemas }
}

/** `known` are names and ids that are there, so that more than 404 comes of it. */
export function requestsOf(document: Document, known: readonly string[]): fc.Arbitrary<FuzzedRequest> {
  const { schemas } = document.components
  const operations = Object.entries(document.paths).flatMap(([place, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestOf(place, method, operation, schemas, known)),
  )
  return fc.oneof(...operations)
}

function requestOf(
  place: string,
  method: string,
  { parameters, requestBody }: Operation,
  schemas: Schemas,
  known: readonly string[],
): fc.Arbitrary<FuzzedRequest> {
  const subject = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: text },
  )
  const query = parameters
    .filter((one) => one.in === 'query')
    .map(({ name, required, schema }) =>
      fc.option(fc.tuple(fc.constant(name), valueOf(schema, schemas)), {
        freq: required ? 20 : 2,
        nil: null,
      }),
    )
  const bodySchema = requestBody?.content['application/json']?.schema
  const json = (bodySchema === undefined ? fc.constant({}) : valueOf(bodySchema, schemas)).map(written)
  const body: fc.Arbitrary<FuzzedRequest['body']> =
    method === 'get'
      ? fc.constant(null)
      : fc.oneof(
          { weight: 12, arbitrary: json },
          { weight: 1, arbitrary: fc.constant(null) },
          { weight: 1, arbitrary: odd.map(written) },
          // Broken anywhere.
          { weight: 1, arbitrary: fc.tuple(json, fc.nat(400)).map(([whole, at]) => whole.slice(0, at)) },
          { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes)) },
        )
  return fc
    .record({ subject, query: fc.tuple(...query), stray: strayQuery, headers: headersOf(method), body })
    .map((drawn) => ({
      method: method.toUpperCase(),
      place,
      path: pathOf(place, drawn.subject, [...drawn.query, drawn.stray]),
      headers: drawn.headers,
      body: drawn.body,
    }))
}

/** Null but for one time of so many. */
function rarely<T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
}

const strayQuery = rarely(20, fc.tuple(text, odd))

const headerText = fc.oneof(
  fc.constantFrom('*', '"x:1"', 'W/"x:2"', '', 'k1', 'k2', 'x'.repeat(300), '"', '0', '-1'),
  fc.string({ maxLength: 12 }).map((plain) => plain.replaceAll(/[^\u0020-\u007e]/g, '')),
)

function headersOf(method: string): fc.Arbitrary<Record<string, string>> {
  const type = fc.oneof(
    { weight: 15, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/json; charset=x',
        '',
      ),
    },
  )
  const rare = rarely(8, headerText)
  return fc.tuple(type, rare, rare, rare).map(([contentType, key, match, last]) => ({
    ...(method === 'get' ? {} : { 'content-type': contentType }),
    ...(key === null ? {} : { 'idempotency-key': key }),
    ...(match === null ? {} : { 'if-match': match }),
    ...(last === null ? {} : { 'last-event-id': last }),
  }))
}

function pathOf(place: string, subject: string, query: readonly ([string, unknown] | null)[]): string {
  const path = place.replaceAll(/\{\w+\}/g, () => encoded(subject) || '%00')
  const pairs = query
    .filter((pair) => pair !== null)
    .map(([name, value]) => `${encoded(name)}=${encoded(typeof value === 'string' ? value : written(value))}`)
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** A lone surrogate is no text that a URL could carry. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

function written(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined'
}
