/** `/secrets`: for administrators, who write values and read none; who tries what is in the audit log. */
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { openApiUnderTest } from '../http/api-under-test.ts'

const canary = 'canary-7f3a9c'

test.each([
  [{ name: 'a b', value: canary }],
  [{ name: 'token', value: '' }],
  [{ name: 'token', value: [canary] }],
  [{ name: 'token', value: canary, more: canary }],
  [{ name: 'token', value: `${canary}\0` }],
])('%j is refused, and the problem does not repeat the value', async (body) => {
  const { call, logged } = await openApiUnderTest()
  const refused = await call('POST', '/api/v1/secrets', body)
  expect(refused.status).toBe(400)
  expect(refused.text + logged.join()).not.toContain('canary')
})

test('who is no administrator is denied, and the audit log has the attempt and not the value', async () => {
  const { send, call, tokens, node } = await openApiUnderTest()
  for (const role of ['viewer', 'operator'] as const) {
    const sent = { token: tokens[role], json: { name: 'token', value: canary } }
    expect((await send('POST', '/api/v1/secrets', sent)).status).toBe(403)
    expect((await send('GET', '/api/v1/secrets', { token: tokens[role] })).status).toBe(403)
  }
  await node.advance('2m')
  const log = await call('GET', '/api/v1/audit-log?action=api.denied')
  expect(log.text).toContain('/api/v1/secrets')
  expect(log.text).not.toContain('canary')
  expect(await node.evertick.secrets.list()).toEqual([])
})

test('the client has it under the names of the library', async () => {
  const { fetch, tokens, node } = await openApiUnderTest()
  onTestFinished(() => node.stop())
  const client = createClient({
    url: 'http://127.0.0.1:8060',
    token: tokens.admin,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      request.headers.set('host', '127.0.0.1:8060')
      return await fetch(request)
    },
  })
  await client.secrets.set('token', canary)
  expect(await client.secrets.list()).toMatchObject([{ name: 'token', usedBy: [] }])
  expect(await client.secrets.rotate()).toEqual({ resealed: 0, unchanged: 1, unreadable: [] })
  await client.secrets.delete('token')
  await expect(client.secrets.delete('token', { force: true })).rejects.toMatchObject({
    code: 'secret_missing',
  })
})
