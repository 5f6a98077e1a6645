/** A file owns its jobs: made so, changed only where the file has changed, and all of it or nothing. */
import { expect, onTestFinished, test } from 'vitest'
import { contextOf } from '../../../src/app/app-context.ts'
import { type ApplyRequest, applyList } from '../../../src/app/job/managed/apply-list.ts'
import { exportJobs } from '../../../src/app/job/managed/export-jobs.ts'
import { type PlacedField, placedFields } from '../../../src/core/job/fields.ts'
import { EvertickError } from '../../../src/index.ts'
import { openTestNode } from '../../../src/testing/index.ts'

async function opened() {
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  const app = contextOf(node.evertick)
  const apply = async (jobs: readonly unknown[], more: Omit<ApplyRequest, 'jobs'> = { name: 'f' }) =>
    await applyList(app, { name: 'f', ...more, jobs }, { actor: 'ann' })
  return { node, app, apply, jobs: node.evertick.jobs }
}

const daily = { name: 'a', schedule: { cron: '0 3 * * *', timezone: 'Europe/Madrid' } }

test('what is new is created, what is different updated, what is the same left alone', async () => {
  const { apply, jobs, node } = await opened()
  expect(await apply([daily, { name: 'b' }])).toMatchObject({ created: ['a', 'b'], updated: [], failed: [] })
  expect(await jobs.get('a')).toMatchObject({ managedBy: 'file:f', revision: 1, ...daily })
  const second = await apply([{ ...daily, timeout: '5s' }, { name: 'b' }])
  expect(second).toMatchObject({ created: [], updated: ['a'], unchanged: ['b'] })
  expect(second.changes).toEqual([
    { job: 'a', becomes: 'updated', fields: [{ field: 'timeout', after: '5s' }] },
  ])
  expect(await jobs.get('b')).toMatchObject({ revision: 1 })
  const { entries } = await node.evertick.auditLog.list({ subject: 'a' })
  expect(entries.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    'file:f job.edit a'.replace(' a', ''),
    'file:f job.create',
  ])
  expect(entries[0]?.origin).toMatch(/^ann at /)
})

test('a dry run says the same, and writes nothing', async () => {
  const { apply, node } = await opened()
  await apply([daily, { name: 'gone' }])
  const before = await node.evertick.auditLog.list()
  const given = [{ ...daily, priority: 3 }, { name: 'new' }]
  const dry = await apply(given, { dryRun: true, prune: true })
  expect(dry).toMatchObject({ created: ['new'], updated: ['a'], deleted: ['gone'] })
  expect(await node.evertick.auditLog.list()).toEqual(before)
  expect(await apply(given, { prune: true })).toEqual({ ...dry, dryRun: false })
})

test('one bad job, and nothing is written; each is named with its field', async () => {
  const { apply, jobs } = await opened()
  const bad = [
    { name: 'good' },
    { name: 'typo', retry: { attemps: 3 } },
    { name: 'cron', schedule: { cron: '99 * * * *' } },
    { name: 'zone', schedule: { cron: '0 3 * * *', timezone: 'Mars/Base' } },
    { name: 'kind', handler: { type: 'comand', command: '/bin/true' } },
    { name: 'url', handler: { type: 'http', url: 'ftp://example.com' } },
    { name: 'flat', scheduel: {} },
    { name: 'now', runNow: true },
    { name: 'good' },
    { handler: 'nameless' },
    'text',
  ]
  const { refused, created } = await apply(bad, { dryRun: true })
  expect(created).toEqual(['good'])
  expect(refused.map(({ index, field }) => [index, field])).toEqual([
    [1, 'retry.attemps'],
    [2, 'schedule.cron'],
    [3, 'schedule.timezone'],
    [4, 'handler.type'],
    [5, 'handler.url'],
    [6, 'scheduel'],
    [7, 'runNow'],
    [8, 'name'],
    [9, null],
    [10, null],
  ])
  for (const index of [0, 3, 5])
    expect(refused[index]?.next).toMatch(/^Did you mean "(?:attempts|command|schedule)"\?/)
  await expect(apply(bad)).rejects.toMatchObject({
    code: 'invalid_definition',
    field: 'jobs.1.retry.attemps',
  })
  expect((await jobs.list()).jobs).toEqual([])
})

test('operators win: an edit holds until the file changes, a pause whatever the file says', async () => {
  const { apply, jobs } = await opened()
  await apply([daily, { name: 'b' }])
  await jobs.update('a', { priority: 7 }, { actor: 'ann' })
  await jobs.pause('b', { actor: 'ann' })
  const again = await apply([daily, { name: 'b' }])
  expect(again).toMatchObject({ overridden: ['a'], unchanged: ['b'], updated: [] })
  expect(again.changes).toEqual([
    { job: 'a', becomes: 'overridden', fields: [{ field: 'priority', before: 7 }] },
  ])
  expect(await jobs.get('a')).toMatchObject({ priority: 7, overrides: ['priority'] })
  await apply([
    { ...daily, timeout: '1m' },
    { name: 'b', timeout: '1m' },
  ])
  expect(await jobs.get('a')).toMatchObject({ priority: 0, timeout: '1m', overrides: [] })
  expect(await jobs.get('b')).toMatchObject({ isPaused: true, pausedBy: 'ann', timeout: '1m' })
})

test('the file pauses and resumes what it paused; an operator who resumes it is not overruled', async () => {
  const { apply, jobs } = await opened()
  await apply([{ ...daily, paused: true }])
  expect(await jobs.get('a')).toMatchObject({ isPaused: true, pausedBy: 'file:f' })
  expect(await apply([{ ...daily, paused: true }])).toMatchObject({ unchanged: ['a'] })
  await apply([daily])
  expect(await jobs.get('a')).toMatchObject({ isPaused: false })
  await apply([{ ...daily, paused: true }])
  await jobs.resume('a', { actor: 'ann' })
  expect(await apply([{ ...daily, paused: true }])).toMatchObject({ overridden: ['a'] })
  expect(await jobs.get('a')).toMatchObject({ isPaused: false })
})

test('what is no longer listed stays, and is deleted only where that is asked for', async () => {
  const { apply, jobs } = await opened()
  await jobs.create({ name: 'own' })
  await apply([daily, { name: 'b' }])
  await apply([{ name: 'other' }], { name: 'g' })
  expect(await apply([daily])).toMatchObject({ missing: ['b'], deleted: [] })
  expect(await jobs.get('b')).toMatchObject({ state: 'active' })
  expect(await apply([daily], { prune: true })).toMatchObject({ missing: [], deleted: ['b'] })
  await expect(jobs.get('b')).rejects.toMatchObject({ code: 'job_not_found' })
  expect((await jobs.list()).jobs.map(({ name }) => name)).toEqual(['a', 'other', 'own'])
  expect(await apply([], { prune: true })).toMatchObject({ deleted: ['a'] })
  expect(await apply([daily])).toMatchObject({ created: ['a'] })
})

test('a job that is listed but cannot be read is not missing', async () => {
  const { apply } = await opened()
  await apply([daily])
  expect(await apply([{ name: 'a', schedule: 5 }], { prune: true, dryRun: true })).toMatchObject({
    deleted: [],
    refused: [{ job: 'a' }],
  })
})

test("another's job is taken over only where that is asked for, and never from code or a source", async () => {
  const { apply, jobs, app } = await opened()
  await jobs.create({ name: 'own', priority: 2 })
  await expect(apply([{ name: 'own' }])).rejects.toMatchObject({ code: 'managed_elsewhere' })
  expect(await apply([{ name: 'own' }], { adopt: true })).toMatchObject({ updated: ['own'] })
  expect(await jobs.get('own')).toMatchObject({ managedBy: 'file:f', priority: 0, overrides: [] })
  // The same definition in another file is still a change of hands.
  expect(await apply([{ name: 'own' }], { name: 'g', adopt: true })).toMatchObject({ updated: ['own'] })
  expect(await jobs.get('own')).toMatchObject({ managedBy: 'file:g' })
  expect(await apply([{ name: 'own' }], { name: 'g' })).toMatchObject({ unchanged: ['own'] })
  const id = app.newId(app.clock.now())
  const { spec } = (await app.store.jobs.findJob('own')) ?? { spec: null }
  if (spec === null) throw new Error('no job')
  const context = { now: app.clock.now(), actor: 'source:s' }
  const theirs = { id, name: 'theirs', spec, managedBy: 'source:s', managedHash: 'h', paused: false, context }
  await app.store.jobs.createJob(theirs)
  await expect(apply([{ name: 'theirs' }], { adopt: true })).rejects.toMatchObject({
    code: 'managed_elsewhere',
  })
})

test('of two that apply one file at once, one is refused', async () => {
  const { apply, node } = await opened()
  const lock = await node.evertick.locks.acquire('file:f', { ttl: '1m' })
  await expect(apply([daily])).rejects.toMatchObject({ code: 'lock_held' })
  expect(await apply([daily], { dryRun: true })).toMatchObject({ created: ['a'] })
  await lock?.release()
  const both = await Promise.allSettled([apply([daily, { name: 'b' }]), apply([daily, { name: 'b' }])])
  expect(both.some(({ status }) => status === 'fulfilled')).toBe(true)
  expect(await apply([daily, { name: 'b' }])).toMatchObject({ unchanged: ['a', 'b'], updated: [] })
})

test('whoever takes a job over between the plan and the write keeps it', async () => {
  const { node, app, apply } = await opened()
  await apply([daily])
  const changeJob = app.store.jobs.changeJob.bind(app.store.jobs)
  let first = true
  Object.assign(app.store.jobs, {
    changeJob: async (...given: Parameters<typeof changeJob>) => {
      if (first) {
        first = false
        await applyList(app, { name: 'g', jobs: [daily], adopt: true })
      }
      return await changeJob(...given)
    },
  })
  const result = await apply([{ ...daily, priority: 1 }])
  expect(result).toMatchObject({ updated: [], failed: [{ job: 'a' }] })
  expect(await node.evertick.jobs.get('a')).toMatchObject({ managedBy: 'file:g', priority: 0 })
})

test.each([1, 2, 3, 4])('what is cut off at write %i, the next apply finishes', async (nth) => {
  const { app, apply, jobs } = await opened()
  const list = [daily, { name: 'b', paused: true }]
  let writes = 0
  const verbs = app.store.jobs
  const [createJob, changeJob] = [verbs.createJob.bind(verbs), verbs.changeJob.bind(verbs)]
  const cutOff = <Given extends unknown[], T>(write: (...given: Given) => Promise<T>) => {
    return async (...given: Given) => {
      writes += 1
      if (writes === nth) throw new EvertickError('database_unavailable', 'The database is away.')
      return await write(...given)
    }
  }
  Object.assign(verbs, { createJob: cutOff(createJob), changeJob: cutOff(changeJob) })
  await expect(apply(list)).rejects.toMatchObject({ code: 'database_unavailable' })
  expect((await apply(list)).failed).toEqual([])
  expect(await apply(list)).toMatchObject({ unchanged: ['a', 'b'], updated: [], created: [] })
  expect(await jobs.get('b')).toMatchObject({ isPaused: true, pausedBy: 'file:f' })
})

test('a name that could be taken for another owner is refused', async () => {
  const { apply } = await opened()
  for (const name of ['', 'a:b', 'x'.repeat(101), '-a', 'a\nb']) {
    await expect(apply([daily], { name })).rejects.toMatchObject({ code: 'invalid_option', field: 'name' })
  }
})

test('without a name nobody owns them: what is new is created, and all else left alone', async () => {
  const { app, jobs } = await opened()
  await jobs.create({ ...daily, priority: 1 })
  const result = await applyList(app, { jobs: [daily, { name: 'b', paused: true }] }, { actor: 'ann' })
  expect(result).toMatchObject({ created: ['b'], kept: ['a'], missing: [] })
  expect(await jobs.get('a')).toMatchObject({ priority: 1, managedBy: 'api' })
  expect(await jobs.get('b')).toMatchObject({ isPaused: true, managedBy: 'api', pausedBy: 'ann' })
  expect(await applyList(app, { jobs: [{ name: 'b', paused: true }] })).toMatchObject({ unchanged: ['b'] })
})

function sample({ field }: PlacedField): unknown {
  switch (field.is) {
    case 'duration':
      return '1h30m'
    case 'instant':
      return '2027-01-01T00:00:00.000Z'
    case 'bytes':
      return '256mb'
    case 'whole':
      return 7
    case 'number':
      return field.max === 1 ? 0.5 : 1.5
    case 'choice':
      return Object.keys(field.of).findLast((name) => name !== field.default)
    case 'text':
      return 'words: "with" # quotes'
    case 'texts':
      return ['one', 'true']
    case 'object':
      return { a: 1, 'b.c': null }
  }
}

test.each(placedFields.map((placed) => [placed.path, placed] as const))(
  'an export has %s, and makes the same job elsewhere',
  async (_path, placed) => {
    const { option, part } = placed
    const value = sample(placed)
    const command = option === 'quota' ? { handler: { type: 'command', command: '/bin/true' } } : {}
    const job = { name: 'a', ...command, [option]: part === null ? value : { [part]: value } }
    const [one, other] = [await opened(), await opened()]
    await one.apply([job])
    const { jobs } = await exportJobs(one.app)
    expect(jobs).toEqual([job])
    await other.apply(jobs)
    expect((await exportJobs(other.app)).jobs).toEqual(jobs)
  },
)

test('an export has all kinds of jobs, and makes the same ones elsewhere', async () => {
  const [one, other] = [await opened(), await opened()]
  const http = {
    type: 'http',
    url: 'https://example.com/a?b=c',
    headers: { 'x-plain': 'a' },
    body: { a: [] },
  }
  const kinds = [
    { name: 'at', schedule: { at: '2027-01-01T00:00:00.000Z' } },
    { name: 'cron', schedule: { cron: 'H 3 * * 1-5', timezone: 'Europe/Madrid' }, handler: 'another' },
    { name: 'delay', schedule: { fixedDelay: '10s' }, input: [1, { two: null }] },
    {
      name: 'every',
      schedule: { every: '1h', anchor: 'epoch' },
      handler: { type: 'command', command: '/bin/ls', args: ['-a'] },
    },
    { name: 'http', handler: http, paused: true },
    { name: 'plain' },
  ]
  await one.apply(kinds)
  const exported = await exportJobs(one.app)
  expect(exported).toEqual({ jobs: kinds, leftOut: [], nextCursor: null })
  await other.node.advance('1h')
  await other.apply(exported.jobs)
  expect((await exportJobs(other.app)).jobs).toEqual(kinds)
})

test('an export comes in pages, by names, and without what is over', async () => {
  const { app, jobs, apply } = await opened()
  await apply(['a', 'b', 'c'].map((name) => ({ name })))
  await jobs.cancel('b')
  const first = await exportJobs(app, { limit: 2 })
  expect(first).toEqual({
    jobs: [{ name: 'a' }],
    leftOut: [{ job: 'b', why: 'it is cancelled' }],
    nextCursor: 'b',
  })
  expect(await exportJobs(app, { limit: 2, cursor: 'b' })).toMatchObject({
    jobs: [{ name: 'c' }],
    nextCursor: null,
  })
  expect((await exportJobs(app, { names: ['c', 'b', 'c'] })).jobs).toEqual([{ name: 'b' }, { name: 'c' }])
  await expect(exportJobs(app, { names: ['nowhere'] })).rejects.toMatchObject({ code: 'job_not_found' })
})
