/** A bulk action tells how far it is, stops at a count that has changed, and names what refuses. */
import { expect, test } from 'vitest'
import { EvertickError } from '../../src/core/error.ts'
import { progressStream } from '../../src/http/progress-stream.ts'
import { type ApiUnderTest, openApiUnderTest } from './api-under-test.ts'

async function threeJobs(): Promise<ApiUnderTest> {
  const api = await openApiUnderTest()
  for (const name of ['x1', 'x2', 'x3']) {
    await api.call('POST', '/api/v1/jobs', { name, tags: ['x'], schedule: { every: '1h' } })
  }
  return api
}

const bulk = async (api: ApiUnderTest, json: object, accept = 'application/json') =>
  await api.send('POST', '/api/v1/jobs/bulk', { token: api.tokens.admin, json, headers: { accept } })

test('as lines of JSON: progress, then the report', async () => {
  const api = await threeJobs()
  await api.call('POST', '/api/v1/jobs/x2/pause')
  const answer = await bulk(api, { action: 'resume', filter: 'tag:x' }, 'application/x-ndjson')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const lines = answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, object>)
  expect(lines).toEqual([
    { progress: { done: 1, total: 3, changed: 0, failed: 1 } },
    { progress: { done: 2, total: 3, changed: 1, failed: 1 } },
    { progress: { done: 3, total: 3, changed: 1, failed: 2 } },
    {
      result: {
        matched: 3,
        changed: 1,
        failed: [
          { job: 'x1', message: expect.any(String) as string },
          { job: 'x3', message: expect.any(String) as string },
        ],
      },
    },
  ])
})

test('as server-sent events; with nothing to do there is only the report', async () => {
  const api = await threeJobs()
  const { text } = await bulk(api, { action: 'pause', filter: 'tag:nobody' }, 'application/x-ndjson')
  expect(text).toBe('{"result":{"matched":0,"changed":0,"failed":[]}}\n')
  const response = await progressStream('text/event-stream', async (tell) => {
    tell({ done: 1 })
    return await Promise.resolve({ changed: 1 })
  })
  expect(await response.text()).toBe(
    'event: progress\ndata: {"done":1}\n\nevent: result\ndata: {"changed":1}\n\n',
  )
})

test('what breaks on the way ends the stream with its problem', async () => {
  const response = await progressStream('application/x-ndjson', async (tell) => {
    tell({ done: 1 })
    await Promise.resolve()
    throw new EvertickError('database_busy', 'It is locked.')
  })
  expect(response.status).toBe(200)
  expect(await response.text()).toMatch(
    /^\{"progress":\{"done":1\}\}\n\{"problem":\{.*"code":"database_busy"/,
  )
})

test('a count that is no longer true stops all, with a status of its own in a stream, too', async () => {
  const api = await threeJobs()
  for (const accept of ['application/json', 'application/x-ndjson']) {
    const answer = await bulk(api, { action: 'pause', filter: 'tag:x', confirm: 2 }, accept)
    expect(answer.json).toMatchObject({ status: 409, code: 'matches_changed' })
  }
  expect((await api.call('GET', '/api/v1/jobs?filter=state:paused')).json.jobs).toEqual([])
  expect((await bulk(api, { action: 'pause', filter: 'tag:x', confirm: 3 })).json.changed).toBe(3)
})

test('reason and end go with a pause, what to catch up with a resume, and nothing is ignored', async () => {
  const api = await threeJobs()
  await bulk(api, { action: 'pause', filter: 'tag:x', reason: 'move', until: '2h' })
  const { jobs } = (await api.call('GET', '/api/v1/jobs?filter=paused:yes&limit=1&total=true')).json as {
    jobs: { pausedReason: string; pausedUntil: string }[]
  }
  expect(jobs[0]?.pausedReason).toBe('move')
  expect(Date.parse(jobs[0]?.pausedUntil ?? '')).toBe(api.node.clock.now() + 7_200_000)
  const refused = await bulk(api, { action: 'resume', filter: 'tag:x', reason: 'done' })
  expect(refused.json).toMatchObject({ status: 400, field: 'reason' })
  expect((await bulk(api, { action: 'resume', filter: 'tag:x', catchUp: 'latest' })).json.changed).toBe(3)
})

test('what failed at last is retried, all at once', async () => {
  const api = await openApiUnderTest()
  await api.call('POST', '/api/v1/jobs/break/trigger')
  await api.node.settle()
  expect((await bulk(api, { action: 'retry', filter: 'last:failed' })).json).toMatchObject({
    matched: 1,
    changed: 1,
  })
})
