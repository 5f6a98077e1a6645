/** Who was refused is written down, in few lines however often it knocks; and the answer never waits for it. */

import { expect, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { DeniedCalls } from '../../src/http/denied-calls.ts'
import type { Store } from '../../src/store/store.ts'
import { type ApiUnderTest, openApiUnderTest } from './api-under-test.ts'

async function denials({ node }: Pick<ApiUnderTest, 'node'>) {
  const { entries } = await node.evertick.auditLog.list({ action: 'api.denied', limit: 1_000 })
  return entries.toReversed()
}

test('a thousand forged requests leave one line a minute, which counts them', async () => {
  const api = await openApiUnderTest()
  const statuses = new Set<number>()
  for (let turn = 0; turn < 1_000; turn += 1) {
    const { status } = await api.send('POST', '/api/v1/jobs', {
      token: `forged.${turn}.token`,
      json: { name: 'mine' },
      remote: '203.0.113.9',
    })
    statuses.add(status)
  }
  // Those that were told to wait were denied all the same.
  expect([...statuses].toSorted((a, b) => a - b)).toEqual([401, 429])
  expect(await denials(api)).toEqual([])
  await api.node.advance('1m')
  expect(await denials(api)).toMatchObject([
    {
      actor: 'anonymous',
      origin: '203.0.113.9',
      subject: 'POST /api/v1/jobs',
      before: null,
      after: { code: 'unauthenticated', calls: 1_000 },
    },
  ])
  await api.node.advance('10m')
  expect(await denials(api)).toHaveLength(1)
})

test('a caller without the role is named, with the route that it asked for', async () => {
  const api = await openApiUnderTest()
  const send = (path: string) => api.send('POST', path, { token: api.tokens.viewer, remote: '10.0.0.7' })
  for (let turn = 0; turn < 3; turn += 1) expect((await send('/api/v1/jobs/greet/pause')).status).toBe(403)
  expect((await send('/api/v1/leader/step-down')).status).toBe(403)
  await api.close()
  expect(await denials(api)).toMatchObject([
    {
      actor: 'token:viewer',
      origin: '10.0.0.7',
      subject: 'POST /api/v1/jobs/{id}/pause',
      after: { code: 'forbidden', calls: 3, why: 'This needs the role operator; yours is viewer.' },
    },
    { actor: 'token:viewer', subject: 'POST /api/v1/leader/step-down', after: { calls: 1 } },
  ])
})

test('a flood from many addresses is summed in one more line', async () => {
  const api = await openApiUnderTest()
  for (let turn = 0; turn < 300; turn += 1) {
    await api.send('GET', '/api/v1/jobs', { remote: `203.0.113.${turn % 250}-${turn}` })
  }
  await api.node.advance('1m')
  const entries = await denials(api)
  expect(entries.length).toBeLessThanOrEqual(52)
  const calls = entries.map(({ after }) => (after as { calls: number }).calls)
  expect(calls.reduce((sum, count) => sum + count, 0)).toBe(300)
})

test('a name of a host that is not ours is denied, too', async () => {
  const api = await openApiUnderTest({ hosts: ['localhost'] })
  expect((await api.send('GET', '/api/v1/jobs', { token: api.tokens.admin })).status).toBe(403)
  await api.close()
  expect(await denials(api)).toMatchObject([{ actor: 'anonymous', subject: '(no route)' }])
})

test('what cannot be written now is written with the next', async () => {
  const { node } = await openApiUnderTest()
  const app = contextOf(node.evertick)
  let away = true
  const appendAuditLog: Store['audit']['appendAuditLog'] = async (entries) => {
    if (away) throw new Error('the database is away')
    await app.store.audit.appendAuditLog(entries)
  }
  const warned: string[] = []
  const logger = { debug() {}, info() {}, error() {}, warn: (message: string) => warned.push(message) }
  const denied = new DeniedCalls(
    { ...app, store: { ...app.store, audit: { ...app.store.audit, appendAuditLog } } },
    logger,
  )
  const call = { actor: null, origin: 'a', route: 'GET /jobs', code: 'unauthenticated', why: 'no' } as const
  denied.note(call)
  await denied.flush()
  expect(warned).toHaveLength(1)
  away = false
  denied.note(call)
  await denied.close()
  expect(await denials({ node })).toMatchObject([{ origin: 'a', after: { calls: 2 } }])
})
