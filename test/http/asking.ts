/** Asks an API, holds each success against the schema of its route, and remembers which routes have answered. */
import { expect } from 'vitest'
import { allRoutes } from '../../src/http/all-routes.ts'
import type { Answered, ApiUnderTest } from './api-under-test.ts'
import { problemsWith } from './fuzz/verdict.ts'

export interface Asking {
  /** Below the prefix, as an administrator; a success must be what the route's own schema says. */
  readonly ask: (
    method: string,
    path: string,
    json?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answered>
  /** Routes that have answered with a success. */
  readonly reached: ReadonlySet<string>
}

export function asking(api: ApiUnderTest): Asking {
  const reached = new Set<string>()
  const ask: Asking['ask'] = async (method, path, json, headers = {}) => {
    const full = /^\/(?:livez|readyz|health|metrics|ping\/.*)$/.test(path) ? path : `/api/v1${path}`
    const answer = await api.send(method, full, {
      token: api.tokens.admin,
      headers,
      ...(json === undefined ? {} : { json }),
    })
    const route = routeAt(method, full)
    expect([full, problemsWith(answer, route)]).toEqual([full, []])
    if (answer.status < 300) reached.add(`${method.toLowerCase()} ${route?.fullPath}`)
    return answer
  }
  return { ask, reached }
}

function routeAt(method: string, path: string) {
  const [bare = ''] = path.split('?')
  const fits = (fullPath: string) => new RegExp(`^${fullPath.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare)
  // What is written out goes before what stands in braces.
  const found = allRoutes.filter((route) => route.method === method.toLowerCase() && fits(route.fullPath))
  return found.find(({ fullPath }) => fullPath === bare) ?? found[0]
}
