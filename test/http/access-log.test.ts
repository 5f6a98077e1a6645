/** A line for each request, for whoever looks for one; it holds nothing that a log must not. */
import { expect, test } from 'vitest'
import { openApiUnderTest } from './api-under-test.ts'

const canary = 'CANARY-5f2c9e'

test('every request is a line at debug: method, route, status, time, and who it was', async () => {
  const { logged, call, send } = await openApiUnderTest()
  await call('GET', '/api/v1/jobs/greet')
  await send('GET', '/api/v1/jobs/greet')
  await send('GET', '/nowhere')
  const lines = logged
    .filter((line) => line.startsWith('{"method"'))
    .map((line) => JSON.parse(line) as object)
  expect(lines).toMatchObject([
    { method: 'GET', route: '/api/v1/jobs/{id}', status: 200, actor: 'token:admin', ms: 0 },
    { method: 'GET', route: '/api/v1/jobs/{id}', status: 401, actor: null },
    { method: 'GET', route: null, status: 404, actor: null },
  ])
})

test('no line names what came in the address, the headers or the body', async () => {
  const { logged, send, tokens } = await openApiUnderTest()
  const token = tokens.admin
  await send('GET', `/api/v1/jobs/${canary}`, { token })
  await send('GET', `/api/v1/jobs?filter=${canary}`, { token })
  await send('GET', `/${canary}?code=${canary}`, { headers: { cookie: `evertick_session=${canary}` } })
  await send('POST', '/api/v1/session', { json: { code: canary } })
  await send('GET', '/api/v1/jobs', { token: canary })
  expect(logged.length).toBeGreaterThan(5)
  expect(logged.join('\n')).not.toContain(canary)
  expect(logged.join('\n')).not.toContain(token)
})
