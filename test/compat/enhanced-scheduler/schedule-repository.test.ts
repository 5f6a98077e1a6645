/** Schedules, created and changed while a node runs them. */
import { expect, test } from 'vitest'
import { ScheduleRepository } from '../../../src/index.ts'
import { openParts } from './open-parts.ts'

const nightly = { scheduleId: 'nightly', domain: 'example.com', cron: '0 3 * * *' }

test('a schedule is a job of the engine, and reads back as it was written', async () => {
  const { node, repository } = await openParts()
  const created = await repository.create({
    ...nightly,
    domainConfigId: 'cfg-1',
    profile: 'deep',
    timezone: 'Europe/Madrid',
    metadata: { owner: 'ann' },
  })
  expect(created).toMatchObject({
    scheduleId: 'nightly',
    domain: 'example.com',
    domainConfigId: 'cfg-1',
    profile: 'deep',
    cron: '0 3 * * *',
    every: null,
    timezone: 'Europe/Madrid',
    enabled: true,
    lastRun: null,
    nextRun: new Date('2026-01-01T02:00:00Z'),
    lastStatus: null,
    metadata: { owner: 'ann' },
  })
  expect(await repository.get('nightly')).toEqual(created)
  expect(await repository.get(created.jobId)).toEqual(created)
  expect((await node.evertick.jobs.get('nightly')).tags).toEqual([
    'schedule',
    'domain:example.com',
    'config:cfg-1',
  ])
})

test('it is found by its domain and by its configuration, and by nothing that only looks like it', async () => {
  const { repository } = await openParts()
  await repository.create({ ...nightly, domainConfigId: '1' })
  await repository.create({
    scheduleId: 'other',
    domain: 'example.com.au',
    every: '1h',
    domainConfigId: '11',
  })
  await repository.create({ scheduleId: 'third', domain: 'example.com', frequency: 'weekly' })
  const ids = (found: readonly { scheduleId: string }[]) => found.map(({ scheduleId }) => scheduleId)
  expect(ids(await repository.findByDomain('example.com'))).toEqual(['nightly', 'third'])
  expect(ids(await repository.findByDomainConfigId('1'))).toEqual(['nightly'])
  expect(ids(await repository.list())).toEqual(['nightly', 'other', 'third'])
  expect(await repository.findByDomain('example')).toEqual([])
  expect((await repository.get('third'))?.cron).toBe('@weekly')
  expect((await repository.get('other'))?.every).toBe('1h')
})

test('a domain that is longer than a tag is found all the same', async () => {
  const { repository } = await openParts()
  const domain = `${'a'.repeat(240)}.example`
  await repository.create({ scheduleId: 'long', domain, every: '1h' })
  await repository.create({ scheduleId: 'longer', domain: `a${domain}`, every: '1h' })
  expect((await repository.findByDomain(domain)).map(({ scheduleId }) => scheduleId)).toEqual(['long'])
})

test('without an id it gets one that tells its domain', async () => {
  const { repository } = await openParts()
  const domain = 'https://shop.example/a b?c'
  const [one, two] = [
    await repository.create({ domain, every: '1h' }),
    await repository.create({ domain, every: '1h' }),
  ]
  expect(one.scheduleId).toMatch(/^https-shop\.example-a-b-c:[0-9a-f]{12}$/)
  expect(two.scheduleId).not.toBe(one.scheduleId)
})

test('an update changes what is given and keeps the rest', async () => {
  const { node, repository } = await openParts()
  await repository.create({ ...nightly, domainConfigId: 'cfg', timezone: 'Europe/Madrid', profile: 'deep' })
  await node.evertick.jobs.update('nightly', { tags: ['schedule', 'domain:example.com', 'important'] })
  const moved = await repository.update('nightly', { domain: 'example.org', cron: '30 4 * * *' })
  expect(moved).toMatchObject({
    domain: 'example.org',
    domainConfigId: 'cfg',
    profile: 'deep',
    cron: '30 4 * * *',
    timezone: 'Europe/Madrid',
  })
  expect(await repository.update('nightly', { timezone: 'UTC', profile: null })).toMatchObject({
    cron: '30 4 * * *',
    timezone: 'UTC',
    profile: null,
  })
  expect(await repository.update('nightly', { every: '2h' })).toMatchObject({ cron: null, every: '2h' })
  expect((await node.evertick.jobs.get('nightly')).tags).toEqual([
    'schedule',
    'domain:example.org',
    'config:cfg',
    'important',
  ])
  expect(await repository.findByDomain('example.com')).toEqual([])
})

test('disabled is paused, with its reason; its ticks are accounted for as such', async () => {
  const { node, repository } = await openParts()
  await repository.create({ scheduleId: 'off', domain: 'a.example', every: '10s', enabled: false })
  expect(await repository.get('off')).toMatchObject({ enabled: false, nextRun: null })
  expect((await node.evertick.jobs.get('off')).pausedReason).toBe('disabled')
  await node.advance('35s')
  expect(await repository.update('off', { enabled: true })).toMatchObject({ enabled: true })
  await node.advance('5s')
  expect((await node.ticks('off')).map(({ reason }) => reason)).toEqual([
    'paused',
    'paused',
    'paused',
    undefined,
  ])
  expect(await repository.update('off', { enabled: false })).toMatchObject({ enabled: false })
  expect((await repository.list({ enabled: true })).length).toBe(0)
  expect((await repository.list({ enabled: false })).length).toBe(1)
  expect(await node.evertick.audit()).toMatchObject({ ok: true })
})

test('a deleted schedule is gone, and its name is free', async () => {
  const { repository } = await openParts()
  const { jobId } = await repository.create(nightly)
  expect(await repository.delete('nightly')).toBe(true)
  expect(await repository.delete('nightly')).toBe(false)
  expect(await repository.get('nightly')).toBeNull()
  expect((await repository.create(nightly)).jobId).not.toBe(jobId)
})

test('a run gives the schedule its last run and status; a tick that waits for its time takes neither away', async () => {
  const { node, repository } = await openParts((context) => {
    if (context.scheduledFor.getUTCMinutes() === 2) throw new Error('no')
  })
  await repository.create({ scheduleId: 'often', domain: 'a.example', cron: '* * * * *' })
  await node.advance('1m')
  expect(await repository.get('often')).toMatchObject({
    lastRun: new Date('2026-01-01T00:01:00Z'),
    nextRun: new Date('2026-01-01T00:02:00Z'),
    lastStatus: 'success',
  })
  // Within the look-ahead, where the next tick has its execution already.
  await node.advance('59s')
  expect((await node.executions('often')).at(-1)?.state).toBe('pending')
  expect(await repository.get('often')).toMatchObject({
    lastRun: new Date('2026-01-01T00:01:00Z'),
    lastStatus: 'success',
  })
  await node.advance('1s')
  expect((await repository.get('often'))?.lastStatus).toBe('failed')
})

test('jobs that are no schedules are none of its business', async () => {
  const { node, repository } = await openParts()
  await node.evertick.jobs.create({ name: 'plain', schedule: { every: '1h' } })
  expect(await repository.get('plain')).toBeNull()
  expect(await repository.list()).toEqual([])
  expect(await repository.delete('plain')).toBe(false)
  await expect(repository.update('plain', { every: '2h' })).rejects.toMatchObject({ code: 'job_not_found' })
})

test.each([
  [{ domain: 'a' }, 'invalid_schedule'],
  [{ domain: 'a', cron: '* * * * *', every: '1h' }, 'invalid_schedule'],
  [{ domain: 'a', every: '1h', timezone: 'UTC' }, 'invalid_schedule'],
  [{ domain: 'a', frequency: 'sometimes' }, 'invalid_schedule'],
  [{ domain: 'a', cron: '61 * * * *' }, 'invalid_cron'],
  [{ domain: 'a', cron: '* * * * *', timezone: 'Mars/Base' }, 'invalid_timezone'],
  [{ domain: '', every: '1h' }, 'invalid_option'],
  [{ domain: 'a', every: '1h', domian: 'b' }, 'invalid_option'],
  [{ domain: 'a', every: '1h', scheduleId: '<b>' }, 'invalid_definition'],
])('%j is refused, and nothing is written', async (schedule, code) => {
  const { node, repository } = await openParts()
  await expect(repository.create(schedule as never)).rejects.toMatchObject({ code })
  expect((await node.evertick.jobs.list()).jobs.map(({ name }) => name)).toEqual(['run-schedule'])
})

test('it opens a database by itself, at its first use, and says whether that answers', async () => {
  const repository = new ScheduleRepository({ database: 'sqlite::memory:' })
  await repository.create(nightly)
  expect(await repository.healthCheck()).toBe(true)
  await repository.close()
  const lost = new ScheduleRepository({ database: 'sqlite:/nowhere/at/all.db' })
  expect(await lost.healthCheck()).toBe(false)
  expect(() => new ScheduleRepository({ databse: 'sqlite::memory:' } as never)).toThrow('no option "databse"')
})
