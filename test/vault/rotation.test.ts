/** A change of the key while all goes on: what was sealed under the old key opens, until it is sealed under the new one. */
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { applyList } from '../../src/app/job/managed/apply-list.ts'
import { openTestNode, type TestNode } from '../../src/testing/index.ts'
import { testFolder } from '../handlers/command-node.ts'
import { echoServer } from '../handlers/echo-server.ts'
import { openReceiver } from '../webhooks/receiver.ts'

const [old, next, other] = ['old', 'new', 'other'].map(
  (word) => `the-${word}-key-of-these-tests-0123456789abc`,
)

beforeEach(() => () => vi.unstubAllEnvs())

async function openWith(
  keys: readonly (string | undefined)[],
  database: string,
  host = '127.0.0.1',
): Promise<TestNode> {
  vi.stubEnv('EVERTICK_SECRETS_KEY', keys[0] ?? '')
  vi.stubEnv('EVERTICK_SECRETS_KEY_OLD', keys[1] ?? '')
  vi.stubEnv('EVERTICK_JWT_SECRET', '')
  const node = await openTestNode({ database, allowPrivateHosts: [host] })
  onTestFinished(() => node.stop())
  // The keys are read when the first secret is met.
  contextOf(node.evertick).secrets.seal('x', 'slot')
  return node
}

const headers = { Authorization: 'Bearer in place', 'X-Key': { secret: 'token' } }

test('secrets, jobs, their revisions and webhooks open under the new key alone, after a rotation with both', async () => {
  const echo = await echoServer(() => ({}))
  const receiver = await openReceiver()
  const database = `sqlite:${join(testFolder(), 'evertick.db')}`
  const first = await openWith([old], database)
  const { evertick } = first
  await evertick.secrets.set('token', 'by name')
  await evertick.jobs.create({ name: 'call', handler: { type: 'http', url: echo.url, headers } })
  await evertick.jobs.update('call', { description: 'a second revision' })
  await evertick.webhooks.create({
    name: 'ops',
    url: receiver.url,
    events: ['*'],
    headers: { 'X-Token': 'w' },
  })
  const before = await evertick.jobs.get('call')
  await first.stop()

  const both = await openWith([next, old], database)
  const seen: [number, number][] = []
  const rotated = await both.evertick.secrets.rotate({
    actor: 'ann',
    onProgress: (...progress) => void seen.push(progress),
  })
  // The name; the header of the job, which is the same in both revisions; the header and the key of the webhook.
  expect(rotated).toEqual({ resealed: 4, unchanged: 0, unreadable: [] })
  expect(seen).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ])
  expect(await both.evertick.secrets.rotate()).toEqual({ resealed: 0, unchanged: 4, unreadable: [] })
  const [, entry] = (await both.evertick.auditLog.list({ limit: 2 })).entries
  expect(entry).toMatchObject({ actor: 'ann', action: 'secret.rotate', after: { resealed: 4 } })
  await both.stop()

  const last = await openWith([next], database, echo.host)
  expect(await last.evertick.jobs.get('call')).toEqual({ ...before, lastExecution: null })
  await last.evertick.jobs.trigger('call')
  await last.settle()
  expect(echo.asked[0]?.headers).toMatchObject({ authorization: 'Bearer in place', 'x-key': 'by name' })
  const stored = await contextOf(last.evertick).store.vault.listSealedJobs()
  expect(stored).toHaveLength(2)
})

test('what no key opens stays as it is, and is named', async () => {
  const database = `sqlite:${join(testFolder(), 'evertick.db')}`
  const first = await openWith([old], database)
  await first.evertick.secrets.set('token', 'x')
  await first.evertick.jobs.create({
    name: 'call',
    handler: { type: 'http', url: 'https://a.example/', headers },
  })
  await first.stop()
  const lost = await openWith([other], database)
  const rotated = await lost.evertick.secrets.rotate()
  expect(rotated).toEqual({ resealed: 0, unchanged: 0, unreadable: ['token', 'call'] })
  await lost.stop()
  const found = await openWith([next, old], database)
  expect(await found.evertick.secrets.rotate()).toMatchObject({ resealed: 2, unreadable: [] })
})

test('what an operator has overridden is the same after it: a new ciphertext is no new value', async () => {
  const database = `sqlite:${join(testFolder(), 'evertick.db')}`
  const first = await openWith([old], database)
  const handler = { type: 'http', url: 'https://a.example/', headers }
  await applyList(contextOf(first.evertick), { name: 'f', jobs: [{ name: 'a', handler }] })
  await first.evertick.jobs.update('a', { priority: 3 })
  await first.stop()
  const both = await openWith([next, old], database)
  const { revision } = await both.evertick.jobs.get('a')
  expect(await both.evertick.secrets.rotate()).toMatchObject({ resealed: 1 })
  expect(await both.evertick.jobs.get('a')).toMatchObject({ overrides: ['priority'], revision })
})
