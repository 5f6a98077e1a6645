/** Schedules that another system keeps: brought to what it answers, and never lost to a bad answer. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ScheduleRepository } from '../../../src/index.ts'
import { openParts } from './open-parts.ts'

const entry = (id: string, more: object = {}) => ({ id, domain: `${id}.example`, cron: '0 3 * * *', ...more })

async function states(repository: ScheduleRepository): Promise<Record<string, boolean>> {
  return Object.fromEntries((await repository.list()).map(({ scheduleId, enabled }) => [scheduleId, enabled]))
}

test('what is new is created, what is different changed, what is the same left alone', async () => {
  const { node, repository } = await openParts()
  const first = await repository.syncFromApi([entry('a'), entry('b', { timezone: 'Europe/Madrid' })])
  expect(first).toEqual({
    added: ['a', 'b'],
    modified: [],
    unchanged: [],
    removed: [],
    held: [],
    heldBecause: null,
    invalid: [],
  })
  expect(await node.evertick.jobs.get('a')).toMatchObject({ managedBy: 'source:api', revision: 1 })
  const second = await repository.syncFromApi(() =>
    Promise.resolve([entry('a', { cron: '0 4 * * *' }), entry('b', { timezone: 'Europe/Madrid' })]),
  )
  expect(second).toMatchObject({ added: [], modified: ['a'], unchanged: ['b'] })
  expect(await repository.get('a')).toMatchObject({ cron: '0 4 * * *', domain: 'a.example' })
  const log = await node.evertick.auditLog.list()
  expect(log.entries.map(({ actor, action, subject }) => `${actor} ${action} ${subject}`)).toEqual(
    expect.arrayContaining(['source:api job.create a', 'source:api job.create b', 'source:api job.edit a']),
  )
})

test('intervals without an anchor do not change by being synced', async () => {
  const { node, repository } = await openParts()
  const answer = [{ id: 'i', domain: 'i.example', every: '1h' }]
  await repository.syncFromApi(answer)
  await node.advance('30m')
  expect((await repository.syncFromApi(answer)).unchanged).toEqual(['i'])
  await repository.syncFromApi([{ ...answer[0], metadata: { a: 1 } }])
  expect((await repository.get('i'))?.nextRun).toEqual(new Date('2026-01-01T01:00:00Z'))
})

test('what is missing is disabled, never deleted, and lives again when it comes back', async () => {
  const { node, repository } = await openParts()
  await repository.syncFromApi([entry('a'), entry('b'), entry('c')])
  expect(await repository.syncFromApi([entry('a'), entry('b')])).toMatchObject({ removed: ['c'] })
  expect(await states(repository)).toEqual({ a: true, b: true, c: false })
  expect(await node.evertick.jobs.get('c')).toMatchObject({
    pausedBy: 'source:api',
    pausedReason: 'source:api no longer lists it',
  })
  expect(await repository.syncFromApi([entry('a'), entry('b')])).toMatchObject({ removed: [], held: [] })
  expect(await repository.syncFromApi([entry('a'), entry('b'), entry('c')])).toMatchObject({
    modified: ['c'],
  })
  expect(await states(repository)).toEqual({ a: true, b: true, c: true })
})

test.each([
  ['an empty answer', []],
  ['a short answer', [entry('a')]],
  ['an answer with more to come', { schedules: [entry('a'), entry('b'), entry('c')], total: 4 }],
  ['an answer with an entry that has no name', [entry('a'), entry('b'), entry('c'), { domain: 'd' }]],
])('%s disables nothing', async (_what, answer) => {
  const { repository } = await openParts()
  const all = [entry('a'), entry('b'), entry('c'), entry('d')]
  await repository.syncFromApi(all)
  const result = await repository.syncFromApi(() => answer)
  expect(result.removed).toEqual([])
  expect(result.held.length).toBeGreaterThan(0)
  expect(result.heldBecause).not.toBeNull()
  expect(Object.values(await states(repository))).toEqual([true, true, true, true])
})

test.each([
  ['a fetch that fails', () => Promise.reject(new Error('down')), 'down'],
  ['an answer that is none', () => ({ error: 'maintenance' }), 'has no list of schedules'],
  ['no answer', () => undefined, 'not a list of schedules'],
])('%s changes nothing, and says so', async (_what, fetch, why) => {
  const { repository } = await openParts()
  await repository.syncFromApi([entry('a')])
  await expect(repository.syncFromApi(fetch)).rejects.toThrow(why)
  expect(await states(repository)).toEqual({ a: true })
})

test('bad entries are reported and skipped; the others are written', async () => {
  const { node, repository } = await openParts()
  await node.evertick.jobs.create({ name: 'taken' })
  const result = await repository.syncFromApi([
    entry('good'),
    entry('bad-cron', { cron: '99 * * * *' }),
    entry('bad-zone', { timezone: 'Mars/Base' }),
    entry('neither', { cron: null }),
    entry('both', { every: '1h' }),
    entry('<script>'),
    entry('taken'),
    { nonsense: true },
  ])
  expect(result.added).toEqual(['good'])
  expect(result.invalid.map(({ index, scheduleId }) => `${index} ${scheduleId}`).toSorted()).toEqual([
    '1 bad-cron',
    '2 bad-zone',
    '3 neither',
    '4 both',
    '5 <script>',
    '6 taken',
    '7 null',
  ])
  for (const { why } of result.invalid) expect(why).not.toBe('')
  expect(await states(repository)).toEqual({ good: true })
})

test('an entry that turns bad stays as it was: it is not missing', async () => {
  const { repository } = await openParts()
  await repository.syncFromApi([entry('a'), entry('b')])
  const result = await repository.syncFromApi([entry('a'), entry('b', { cron: 'nonsense' })])
  expect(result).toMatchObject({ removed: [], held: [], unchanged: ['a'] })
  expect(await repository.get('b')).toMatchObject({ cron: '0 3 * * *', enabled: true })
})

test('what the source disables is disabled, and enabled again by it', async () => {
  const { repository } = await openParts()
  await repository.syncFromApi([entry('a', { enabled: false }), entry('b')])
  expect(await states(repository)).toEqual({ a: false, b: true })
  expect((await repository.syncFromApi([entry('a', { enabled: false }), entry('b')])).unchanged).toEqual([
    'a',
    'b',
  ])
  await repository.syncFromApi([entry('a'), entry('b', { enabled: false })])
  expect(await states(repository)).toEqual({ a: true, b: false })
})

test('operators win: a pause of theirs outlives every sync, and what they resume is left alone', async () => {
  const { node, repository } = await openParts()
  await repository.syncFromApi([entry('a'), entry('b'), entry('c', { enabled: false })])
  await node.evertick.jobs.pause('a', { actor: 'ann', reason: 'incident' })
  await node.evertick.jobs.resume('c', { actor: 'ann' })
  await repository.syncFromApi([
    entry('a', { cron: '0 5 * * *' }),
    entry('b'),
    entry('c', { enabled: false }),
  ])
  expect(await states(repository)).toEqual({ a: false, b: true, c: true })
  expect(await node.evertick.jobs.get('a')).toMatchObject({ pausedBy: 'ann', pausedReason: 'incident' })
  expect(await repository.get('a')).toMatchObject({ cron: '0 5 * * *' })
  await repository.syncFromApi([entry('b'), entry('c', { enabled: false })])
  await repository.syncFromApi([entry('a'), entry('b'), entry('c', { enabled: false })])
  expect(await states(repository)).toEqual({ a: false, b: true, c: true })
})

test('an operator who revives what the source forgot is not overruled', async () => {
  const { node, repository } = await openParts()
  await repository.syncFromApi([entry('a'), entry('b'), entry('c')])
  await repository.syncFromApi([entry('a'), entry('b')])
  await node.evertick.jobs.resume('c', { actor: 'ann' })
  expect(await repository.syncFromApi([entry('a'), entry('b')])).toMatchObject({ removed: [], held: [] })
  expect(await states(repository)).toEqual({ a: true, b: true, c: true })
})

test('a dry run says what would be done, and does nothing', async () => {
  const { node, repository } = await openParts()
  await repository.syncFromApi([entry('a'), entry('b'), entry('c')])
  const before = await node.evertick.auditLog.list()
  const answer = [entry('a', { cron: '0 9 * * *' }), entry('b'), entry('new')]
  const result = await repository.syncFromApi(answer, { dryRun: true })
  expect(result).toMatchObject({ added: ['new'], modified: ['a'], unchanged: ['b'], removed: ['c'] })
  expect(await node.evertick.auditLog.list()).toEqual(before)
  expect(await repository.syncFromApi(answer)).toEqual(result)
})

test('two sources keep to their own', async () => {
  const { repository } = await openParts()
  await repository.create({ scheduleId: 'mine', domain: 'x', every: '1h' })
  await repository.syncFromApi([entry('a'), entry('b')], { source: 'one' })
  const result = await repository.syncFromApi([entry('c'), entry('a')], { source: 'two' })
  expect(result).toMatchObject({ added: ['c'], removed: [] })
  expect(result.invalid).toMatchObject([
    { scheduleId: 'a', why: 'source:one already has a job of this name.' },
  ])
  expect(await states(repository)).toEqual({ a: true, b: true, c: true, mine: true })
})

test('of two syncs at once one waits its turn', async () => {
  const { node, repository } = await openParts()
  const lock = await node.evertick.locks.acquire('source:api', { ttl: '1m' })
  await expect(repository.syncFromApi([entry('a')])).rejects.toMatchObject({ code: 'lock_held' })
  await lock?.release()
  expect((await repository.syncFromApi([entry('a')])).added).toEqual(['a'])
})

test('a URL is asked through the guard: a private host only where it is allowed', async () => {
  const { repository } = await openParts()
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`)
    if (request.url === '/broken') response.end('[{"id":')
    else if (request.url === '/moved') response.writeHead(302, { location: '/' }).end()
    else if (request.url === '/down') response.writeHead(503).end('[]')
    else response.end(JSON.stringify([entry('a')]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(repository.syncFromApi(url)).rejects.toMatchObject({ code: 'outbound_refused' })
  expect(seen).toEqual([])
  const options = { allowPrivateHosts: ['127.0.0.1'], headers: { authorization: 'Bearer t' } }
  expect(await repository.syncFromApi(new URL(url), options)).toMatchObject({ added: ['a'] })
  expect(seen).toEqual(['/ Bearer t'])
  for (const [path, code] of [
    ['/broken', 'invalid_answer'],
    ['/moved', 'outbound_failed'],
    ['/down', 'outbound_failed'],
  ]) {
    await expect(repository.syncFromApi(`${url}${path}`, options)).rejects.toMatchObject({ code })
  }
  expect(await states(repository)).toEqual({ a: true })
})
