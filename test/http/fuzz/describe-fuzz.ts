/**
 * Whatever comes in, the server answers: a success as its schema says, or a problem with a code; never a 5xx, never
 * silence. `EVERTICK_FUZZ_SEED` draws other requests.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allRoutes } from '../../../src/http/all-routes.ts'
import { openapiDocument } from '../../../src/http/openapi.ts'
import type { Answered, ApiUnderTest } from '../api-under-test.ts'
import { type Document, type FuzzedRequest, requestsOf } from './requests.ts'
import { problemsWith } from './verdict.ts'

const seed = Number(process.env['EVERTICK_FUZZ_SEED'] ?? 20_260_101)
/** Ticks fall due between the requests, so that there is something to act upon. */
const requestsASecond = 20
const megabyte = 1_048_576
/** How often it is looked at what is held. */
const samples = 10
const flatWithin = 8 * megabyte

export function describeFuzz(
  name: string,
  size: number,
  open: () => Promise<{ readonly api: ApiUnderTest; close(): Promise<void> }>,
): void {
  const timeout = 60_000 + size * 50
  test(`${name}: ${size} requests drawn from the schemas are answered as the document says`, {
    timeout,
  }, async () => {
    const opened = await open()
    try {
      expect(await fuzz(opened.api, size)).toMatchObject({ ok: true })
    } finally {
      await opened.close()
    }
  })
}

/** Returns the audit after it all. */
async function fuzz(api: ApiUnderTest, size: number): Promise<Answered['json']> {
  const arbitrary = requestsOf(openapiDocument() as Document, await known(api))
  const statuses = new Map<number, number>()
  const heap: number[] = []
  let asked = 0
  const property = fc.asyncProperty(arbitrary, async (request) => {
    const { method, path, headers, body } = request
    const given = { token: api.tokens.admin, headers, ...(body === null ? {} : { body }) }
    const answer = await api.send(method, path, given)
    asked += 1
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (asked % requestsASecond === 0) await api.node.advance('1s')
    if (asked % Math.ceil(size / samples) === 0) heap.push(heapAfterCollection())
    const wrong = problemsWith(answer, routeOf(request))
    expect(wrong.length === 0 ? [] : [...wrong, ...api.logged.slice(-2)]).toEqual([])
  })
  await fc.assert(property, { numRuns: size, seed })
  // It reaches what it should: much of what is asked for is done.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404]))
  expect([201, 202, 204].some((status) => statuses.has(status))).toBe(true)
  expect(statuses.get(200) ?? 0).toBeGreaterThan(size / 10)
  // After the first half, in which the engine compiles what it needs, nothing more may be held, however many there are.
  const [middle = 0] = heap.slice(samples / 2 - 1)
  expect(Math.max(...heap.slice(-3)) - middle).toBeLessThan(flatWithin)
  return (await api.call('GET', '/api/v1/audit')).json
}

/** Something to ask about: jobs, queues, and executions in each final state. */
async function known(api: ApiUnderTest): Promise<string[]> {
  await api.call('POST', '/api/v1/jobs/greet/trigger')
  await api.call('POST', '/api/v1/jobs/break/trigger')
  await api.node.advance('3m')
  const { executions } = await api.node.evertick.executions.list({ limit: 5 })
  return ['greet', 'break', 'minutely', 'default', ...executions.map(({ id }) => id)]
}

function routeOf({ place, method }: FuzzedRequest) {
  return allRoutes.find((route) => route.fullPath === place && route.method === method.toLowerCase())
}

/** What is still held, in bytes. */
function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
