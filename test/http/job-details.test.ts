/** What a job tells of itself beside its options: its input, its last run, and what somebody has changed on it. */
import { expect, test } from 'vitest'
import { openApiUnderTest } from './api-under-test.ts'

test('a job tells what its input looks like, where its code knows it', async () => {
  const { call } = await openApiUnderTest()
  const { inputSchema } = (await call('GET', '/api/v1/jobs/greet')).json
  expect(inputSchema).toMatchObject({
    type: 'object',
    properties: { name: { type: 'string', default: 'you' } },
  })
  const { jobs } = (await call('GET', '/api/v1/jobs')).json as {
    jobs: { name: string; inputSchema: unknown }[]
  }
  expect(jobs.find(({ name }) => name === 'greet')?.inputSchema).toEqual(inputSchema)
  expect((await call('GET', '/api/v1/jobs/break')).json.inputSchema).toBeNull()
})

test('what somebody has changed on a job of code is told by name', async () => {
  const { call } = await openApiUnderTest()
  const { json } = await call('PATCH', '/api/v1/jobs/minutely', { timeout: '5s', tags: ['mine'] })
  expect(json.overrides).toEqual(['tags', 'timeout'])
  const back = await call('PATCH', '/api/v1/jobs/minutely', { tags: [] })
  expect(back.json.overrides).toEqual(['timeout'])
})

test('the last run stays in sight while the next tick already waits for its instant', async () => {
  const { call, node } = await openApiUnderTest()
  await node.advance('119s')
  const { executions } = (await call('GET', '/api/v1/jobs/minutely/executions')).json
  expect(executions).toMatchObject([{ state: 'pending' }, { state: 'completed' }])
  expect((await call('GET', '/api/v1/jobs/minutely')).json).toMatchObject({
    status: 'scheduled',
    lastRunAt: '2026-01-01T00:01:00.000Z',
    lastExecution: { state: 'completed' },
  })
})
