/** The document that clients are generated from: whole, valid, and of the same routes that are served. */
import { expect, test } from 'vitest'
import { allRoutes } from '../../src/http/all-routes.ts'
import { openapiDocument } from '../../src/http/openapi.ts'
import { openApiUnderTest } from './api-under-test.ts'

type Node = Readonly<Record<string, unknown>>

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly Node[]
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Node }[]
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Node }> }
  readonly responses: Readonly<
    Record<string, { description: string; content?: Record<string, { schema: Node }> }>
  >
}

const document = JSON.parse(JSON.stringify(openapiDocument())) as {
  openapi: string
  info: Node
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Node>; securitySchemes: Record<string, Node> }
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** Every object in the document, with where it stands. */
function* nodes(value: unknown, at = '#'): Generator<[string, Node]> {
  if (typeof value !== 'object' || value === null) return
  yield [at, value as Node]
  for (const [key, inner] of Object.entries(value)) yield* nodes(inner, `${at}/${key}`)
}

test('it says what it is, and is what the server shows', async () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info).toMatchObject({
    title: 'Evertick',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
  })
  const { headers, json } = await (await openApiUnderTest()).send('GET', '/openapi.json')
  expect(headers.get('content-type')).toBe('application/json')
  expect(json).toEqual(document)
})

test('every route is in it, once, with its role, and nothing else is', () => {
  const written = operations.map(({ path, method }) => `${method} ${path}`)
  expect(written.toSorted()).toEqual(
    allRoutes.map(({ method, fullPath }) => `${method} ${fullPath}`).toSorted(),
  )
  for (const route of allRoutes) {
    const operation = document.paths[route.fullPath]?.[route.method]
    expect([route.fullPath, operation?.summary]).toEqual([route.fullPath, route.summary])
    const isPublic = route.role === 'public'
    expect(operation?.security).toEqual(isPublic ? [] : [{ bearer: [] }])
    expect(operation?.description).toContain(isPublic ? 'no token' : `\`${route.role}\``)
  }
  expect(document.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' })
})

test('every operation has a name of its own that is a name in any language', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(name))).toEqual([])
})

test('every reference leads to a schema', () => {
  let used = 0
  for (const [at, { $ref }] of nodes(document)) {
    if ($ref === undefined) continue
    const name = /^#\/components\/schemas\/(\w+)$/.exec($ref as string)?.[1] ?? ''
    expect([at, name in document.components.schemas]).toEqual([at, true])
    used += 1
  }
  expect(used).toBeGreaterThan(allRoutes.length)
})

test('what stands in the braces of a path is a parameter, and the other way round', () => {
  for (const { path, method, operation } of operations) {
    const braces = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const given = operation.parameters.filter((one) => one.in === 'path')
    expect([method, path, given.map(({ name }) => name)]).toEqual([method, path, braces])
    expect(given.every(({ required }) => required)).toBe(true)
    const keys = operation.parameters.map((one) => `${one.in} ${one.name}`)
    expect(new Set(keys).size).toBe(keys.length)
  }
})

test('every operation says what it answers, and that a failure is a problem', () => {
  for (const { path, method, operation } of operations) {
    const { default: problem, ...successes } = operation.responses
    expect([method, path, problem?.content?.['application/problem+json']?.schema]).toEqual([
      method,
      path,
      { $ref: '#/components/schemas/Problem' },
    ])
    const [[status, success] = ['', { description: '' }], ...more] = Object.entries(successes)
    expect([method, path, more]).toEqual([method, path, []])
    expect(status).toMatch(/^20[0124]$/)
    expect(success.description).not.toBe('')
    expect([method, path, success.content === undefined]).toEqual([method, path, status === '204'])
  }
})

/** The keywords of JSON Schema 2020-12 that a generator of clients must know. */
const keywords = new Set([
  'type',
  'format',
  'pattern',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'allOf',
  'items',
  'prefixItems',
  'properties',
  'required',
  'additionalProperties',
  'propertyNames',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'default',
  'description',
  '$ref',
])
const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

function badSchema(schema: Node, at: string): string[] {
  const found = Object.keys(schema)
    .filter((key) => !keywords.has(key))
    .map((key) => `${at}: the keyword ${key}`)
  for (const type of [schema.type ?? []].flat() as string[]) {
    if (!types.has(type)) found.push(`${at}: the type ${type}`)
  }
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Node>)
  for (const name of (schema.required ?? []) as string[]) {
    if (!properties.some(([key]) => key === name)) found.push(`${at}: requires ${name}, which it has not`)
  }
  if (typeof schema.pattern === 'string') RegExp(schema.pattern, 'u')
  const inner: [string, unknown][] = [
    ...properties,
    ...['items', 'additionalProperties', 'propertyNames'].map((key): [string, unknown] => [key, schema[key]]),
    ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((key) =>
      ((schema[key] ?? []) as unknown[]).map((one, index): [string, unknown] => [`${key}/${index}`, one]),
    ),
  ]
  return [
    ...found,
    ...inner.flatMap(([key, one]) =>
      typeof one === 'object' && one !== null ? badSchema(one as Node, `${at}/${key}`) : [],
    ),
  ]
}

test('every schema is plain JSON Schema 2020-12', () => {
  const schemas: [string, Node][] = Object.entries(document.components.schemas)
  for (const { path, method, operation } of operations) {
    const contents = [
      operation.requestBody?.content,
      ...Object.values(operation.responses).map(({ content }) => content),
    ]
    for (const content of contents) {
      for (const { schema } of Object.values(content ?? {})) schemas.push([`${method} ${path}`, schema])
    }
    for (const { name, schema } of operation.parameters) schemas.push([`${method} ${path} ${name}`, schema])
  }
  expect(schemas.flatMap(([at, schema]) => badSchema(schema, at))).toEqual([])
})

test('what has a default may be left out of a body', () => {
  const bodies = operations.flatMap(({ operation }) =>
    Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => resolved(schema)),
  )
  const defaulted = bodies.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties as Record<string, Node>)
      .filter(([, property]) => 'default' in property)
      .map(([name]) => [name, (required as string[]).includes(name)]),
  )
  expect(defaulted.length).toBeGreaterThan(3)
  for (const [name, isRequired] of defaulted) expect([name, isRequired]).toEqual([name, false])
})

function resolved(schema: Node): Node {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  return name === undefined ? schema : (document.components.schemas[name] ?? {})
}
