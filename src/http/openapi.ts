/** The OpenAPI 3.1 document, made from the same schemas that check the requests. */
import { z } from 'zod'
import { version } from '../app/config/version.ts'
import { allRoutes, type PlacedEndpoint } from './all-routes.ts'
import { named } from './schemas/named.ts'

const refBase = '#/components/schemas/'

const problem = {
  type: 'object',
  description: 'RFC 9457',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', description: 'stable: see the error reference' },
    field: { type: 'string' },
    next: { type: 'string', description: 'what to do next' },
    state: { type: 'string', description: 'for a refused action: the current state' },
    asked: { type: 'string', description: 'for a refused action: the requested state' },
    actions: {
      type: 'array',
      items: { type: 'string' },
      description: 'for a refused action: the actions that are legal now',
    },
  },
}

function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): unknown {
  const registered = named.get(schema)
  if (registered !== undefined) return { $ref: `${refBase}${registered.id}` }
  const { $schema: _dialect, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return plain
}

/** Answers by their output, bodies by their input: a key with a default may be left out of a body. */
function components(): Record<string, unknown> {
  const uri = (id: string) => `${refBase}${id}`
  const answers = z.toJSONSchema(named, { io: 'output', uri, unrepresentable: 'any' }).schemas
  const bodies = z.toJSONSchema(named, { io: 'input', uri, unrepresentable: 'any' }).schemas
  const isBody = new Set(allRoutes.flatMap(({ body }) => (body === undefined ? [] : [named.get(body)?.id])))
  const kept = Object.entries(answers).map(([id, answer]): [string, unknown] => {
    const { $schema: _dialect, $id: _id, ...schema } = isBody.has(id) ? (bodies[id] ?? answer) : answer
    return [id, schema]
  })
  return { ...Object.fromEntries(kept), Problem: problem }
}

function parametersOf(route: PlacedEndpoint): unknown[] {
  const of = (place: 'path' | 'query', schema: z.ZodObject | undefined) =>
    Object.entries<z.core.$ZodType>(schema?.shape ?? {}).map(([name, field]) => ({
      name,
      in: place,
      required: place === 'path' || !z.safeParse(field, undefined).success,
      schema: schemaOf(field, 'input'),
    }))
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: { type: 'string', maxLength: 200 },
  }
  return [
    ...of('path', route.params),
    ...of('query', route.query),
    ...(route.idempotent === true ? [key] : []),
  ]
}

function operationOf(route: PlacedEndpoint): unknown {
  const { method, path, role, summary, tag, body, bodyOptional = false, answers, status = 200 } = route
  const { contentType = 'application/json' } = route
  const bodyType = route.takes === 'text' ? 'text/plain' : 'application/json'
  const words = path.replaceAll(/[{}]/g, '').split(/[/-]/).filter(Boolean)
  return {
    operationId: [method, ...words].map((word, at) => (at === 0 ? word : capital(word))).join(''),
    summary,
    tags: [tag],
    description: role === 'public' ? 'Needs no token.' : `Needs the role \`${role}\`.`,
    security: role === 'public' ? [] : [{ bearer: [] }],
    parameters: parametersOf(route),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !bodyOptional,
            content: { [bodyType]: { schema: schemaOf(body, 'input') } },
          },
        }),
    responses: {
      [status]: {
        description: 'Done',
        ...(answers === null ? {} : { content: { [contentType]: { schema: schemaOf(answers, 'output') } } }),
      },
      default: {
        description: 'A problem',
        content: { 'application/problem+json': { schema: { $ref: `${refBase}Problem` } } },
      },
    },
  }
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`
}

function paths(): Record<string, Record<string, unknown>> {
  const all: Record<string, Record<string, unknown>> = {}
  for (const route of allRoutes) {
    const place = (all[route.fullPath] ??= {})
    place[route.method] = operationOf(route)
  }
  return all
}

/** `basePath` is empty at the root. */
export function openapiDocument(basePath = ''): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Evertick',
      version,
      description: 'A job scheduler that accounts for every tick.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    paths: paths(),
    components: {
      schemas: components(),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}
