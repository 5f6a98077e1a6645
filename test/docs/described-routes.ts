/** The routes of the API as `docs/reference/rest.md` writes them down: rows of tables, made from the routes themselves. */
import type { z } from 'zod'
import { allRoutes, type PlacedEndpoint } from '../../src/http/all-routes.ts'
import { openapiDocument } from '../../src/http/openapi.ts'
import { named } from '../../src/http/schemas/named.ts'

export const tags = [...new Set(allRoutes.map(({ tag }) => tag))]

/** Route, role, what it takes, what it answers with, and what for. */
export function routeRows(tag: string): string[][] {
  return allRoutes
    .filter((route) => route.tag === tag)
    .map((route) => [
      `${route.method.toUpperCase()} ${route.fullPath}`,
      route.role,
      takes(route),
      answersWith(route),
      route.summary.replaceAll('`', ''),
    ])
}

/** Each schema that has a name, with its members; `?` for those that may be missing. */
export function schemaRows(): string[][] {
  const { components } = openapiDocument() as { components: { schemas: Record<string, JsonSchema> } }
  return Object.entries(components.schemas).map(([name, schema]) => {
    const kinds = schema.anyOf ?? schema.oneOf
    return [name, kinds?.map((one) => `{ ${members(one)} }`).join(' or ') ?? members(schema)]
  })
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

function members({ properties = {}, required = [] }: JsonSchema): string {
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(', ')
}

function takes({ query, body, bodyOptional = false, idempotent = false }: PlacedEndpoint): string {
  const inQuery = query === undefined ? [] : [`query: ${fieldsOf(query)}`]
  const inBody = body === undefined ? [] : [`${bodyOptional ? 'body?' : 'body'}: ${nameOf(body)}`]
  return [...inQuery, ...inBody, ...(idempotent ? ['Idempotency-Key'] : [])].join('; ')
}

function answersWith({ status = 200, answers, contentType }: PlacedEndpoint): string {
  if (answers === null) return String(status)
  if (contentType === 'text/plain') return `${status} text`
  return `${status} ${contentType === undefined ? '' : 'stream of '}${nameOf(answers)}`
}

function nameOf(schema: z.ZodType): string {
  return named.get(schema)?.id ?? `{ ${fieldsOf(schema as z.ZodObject)} }`
}

function fieldsOf({ shape }: z.ZodObject): string {
  return Object.entries(shape)
    .map(([name, field]) => ((field as z.ZodType).safeParse(undefined).success ? `${name}?` : name))
    .join(', ')
}
