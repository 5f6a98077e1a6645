/** Checks a request by the schemas of its route. An unknown key is an error, never ignored. */
import { z } from 'zod'
import { checked } from '../app/config/checked.ts'
import { EvertickError } from '../core/error.ts'
import type { Endpoint } from './endpoint.ts'
import { bodyLimits, readJson, readPlainText } from './guard/json-body.ts'

export interface ReadRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

export async function readRequest(
  route: Endpoint,
  request: Request,
  params: Readonly<Record<string, string>>,
  { rest, maxBodyBytes }: { readonly rest: () => Promise<void>; readonly maxBodyBytes: number },
): Promise<ReadRequest> {
  const { takes = 'little' } = route
  const usual = bodyLimits[takes]
  const limit = takes === 'payload' ? { ...usual, bytes: maxBodyBytes } : usual
  const isText = takes === 'text'
  const given = isText ? await readPlainText(request, limit) : await readJson(request, limit, rest)
  return {
    params: route.params === undefined ? {} : parsed(route.params, params, 'The path'),
    query: parsedQuery(route, searchOf(request)),
    body: isText ? given : parsedBody(route, given),
  }
}

const noSearch = new URLSearchParams()

/** Most requests have no query, and need no URL parsed. */
function searchOf({ url }: Request): URLSearchParams {
  return url.includes('?') ? new URL(url).searchParams : noSearch
}

function parsedQuery(route: Endpoint, search: URLSearchParams): unknown {
  const names = [...search.keys()]
  const seen = new Set<string>()
  const twice = names.find((name) => seen.size === seen.add(name).size)
  if (twice !== undefined) {
    throw new EvertickError('invalid_option', `The query has "${twice.slice(0, 100)}" twice.`, {
      field: twice,
    })
  }
  const given = Object.fromEntries(search)
  if (route.query !== undefined) return parsed(route.query, given, 'The query')
  const [unknown] = names
  if (unknown === undefined) return {}
  throw new EvertickError('invalid_option', `This route has no query parameter "${unknown.slice(0, 100)}".`, {
    field: unknown,
  })
}

function parsedBody(route: Endpoint, given: unknown): unknown {
  if (route.body !== undefined) {
    return parsed(route.body, given === undefined && route.bodyOptional === true ? {} : given, 'The body')
  }
  // Many clients send an empty object with every POST.
  const isEmpty = typeof given === 'object' && given !== null && Object.keys(given).length === 0
  if (given === undefined || isEmpty) return undefined
  throw new EvertickError('invalid_input', 'This route takes no body.', { field: 'body' })
}

function parsed(schema: z.ZodType, value: unknown, what: string): unknown {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  return checked(schema, value, 'invalid_input', what, known)
}
