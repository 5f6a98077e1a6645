/** Leases by hand, on a clock that stands still: who gets a job, how long, and who is refused. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { Evertick, ProcessingJobRepository, ProcessingJobService } from '../../../src/index.ts'
import { ManualClock, openTestNode } from '../../../src/testing/index.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const second = 1_000

async function open(): Promise<{ clock: ManualClock; evertick: Evertick; jobs: ProcessingJobRepository }> {
  const clock = new ManualClock(start)
  const evertick = await Evertick.open({ database: 'sqlite::memory:', clock })
  const jobs = new ProcessingJobRepository({ evertick })
  onTestFinished(async () => {
    await jobs.close()
    await evertick.stop()
  })
  return { clock, evertick, jobs }
}

test('a new job is pending, and is a row of plain words', async () => {
  const { jobs } = await open()
  const job = await jobs.createJob({ job_id: 'order-1', payload: { item: 'tea' } })
  expect(job).toEqual({
    id: job.id,
    job_id: 'order-1',
    status: 'pending',
    locked_by: null,
    locked_until: null,
    attempts: 0,
    last_error: null,
    created_at: new Date(start),
    updated_at: new Date(start),
    queue: 'processing',
    payload: { item: 'tea' },
    result: null,
  })
  expect(await jobs.findById(job.id)).toEqual(job)
  expect(await jobs.findById('nobody')).toBeNull()
})

test('what is no row is the payload, and a job_id in it names the job', async () => {
  const { jobs } = await open()
  const data = { job_id: 7, item: 'tea', payload: 'x' }
  expect(await jobs.createJob(data)).toMatchObject({ job_id: '7', payload: data })
  expect(await jobs.createJob(['tea'])).toMatchObject({ payload: ['tea'] })
  const plain = await jobs.createJob('tea')
  expect(plain).toMatchObject({ job_id: plain.id, payload: 'tea' })
})

test('while an unfinished job has a job_id, no second one is made', async () => {
  const { jobs } = await open()
  const first = await jobs.createJob({ job_id: 'order-1', payload: 1 })
  expect(await jobs.createJob({ job_id: 'order-1', payload: 2 })).toEqual(first)
  await jobs.acquireLease('w1')
  await jobs.releaseLease(first.id, 'w1', 'done')
  expect((await jobs.createJob({ job_id: 'order-1', payload: 3 })).id).not.toBe(first.id)
})

test.each([
  ['a status', { payload: 1, status: 'done' }, 'status'],
  ['no status of ours', { payload: 1, status: 'queued' }, 'status'],
  ['an empty job_id', { job_id: '', payload: 1 }, 'job_id'],
  ['a job_id that is no text', { job_id: {}, payload: 1 }, 'job_id'],
])('%s of a new job is refused', async (_what, data, field) => {
  const { jobs } = await open()
  await expect(jobs.createJob(data)).rejects.toMatchObject({ code: 'invalid_option', field })
})

test('a lease takes the oldest job, raises its attempts and names its holder', async () => {
  const { clock, jobs } = await open()
  const [first] = [await jobs.createJob(1), await jobs.createJob(2)]
  clock.moveTo(start + second)
  const leased = await jobs.acquireLease('w1', 60)
  expect(leased).toEqual({
    ...first,
    status: 'processing',
    locked_by: 'w1',
    locked_until: new Date(start + 61 * second),
    attempts: 1,
    updated_at: new Date(start + second),
  })
})

test('a lease lasts five minutes unless told otherwise', async () => {
  const { jobs } = await open()
  await jobs.createJob(1)
  expect((await jobs.acquireLease('w1'))?.locked_until).toEqual(new Date(start + 300 * second))
})

test('nothing is leased that is leased, done, failed, or not ready yet', async () => {
  const { clock, jobs } = await open()
  expect(await jobs.acquireLease('w1')).toBeNull()
  const [done, failed] = [await jobs.createJob(1), await jobs.createJob(2)]
  await jobs.createJob(3)
  for (let taken = 0; taken < 3; taken += 1) expect(await jobs.acquireLease('w1', 60)).not.toBeNull()
  await jobs.releaseLease(done.id, 'w1', 'done')
  await jobs.releaseLease(failed.id, 'w1', 'failed', 'broken')
  await jobs.createJob(4, { runAt: new Date(start + 10 * second) })
  expect(await jobs.acquireLease('w2')).toBeNull()
  clock.moveTo(start + 10 * second)
  expect(await jobs.acquireLease('w2')).toMatchObject({ payload: 4 })
})

test('a job of a transaction is there if that commits, and only then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-processing-'))
  const file = join(folder, 'app.db')
  const jobs = new ProcessingJobRepository({ database: `sqlite:${file}` })
  onTestFinished(async () => {
    await jobs.close()
    rmSync(folder, { recursive: true })
  })
  await jobs.createJob('before')
  const tx = new DatabaseSync(file)
  for (const [ending, expected] of [
    ['ROLLBACK', null],
    ['COMMIT', 'pending'],
  ] as const) {
    tx.exec('BEGIN IMMEDIATE')
    const job = await jobs.createJob({ job_id: 'order-1', payload: 1 }, { tx })
    expect(job).toMatchObject({ job_id: 'order-1', status: 'pending', payload: 1, attempts: 0 })
    expect(await jobs.findById(job.id)).toBeNull()
    tx.exec(ending)
    expect((await jobs.findById(job.id))?.status ?? null).toBe(expected)
  }
  tx.close()
  expect(await jobs.list()).toHaveLength(2)
})

test('a larger priority goes first', async () => {
  const { jobs } = await open()
  await jobs.createJob('plain')
  await jobs.createJob('urgent', { priority: 10 })
  expect(await jobs.acquireLease('w1')).toMatchObject({ payload: 'urgent' })
})

test('an extension adds to what is left, or begins now where the lease is over', async () => {
  const { clock, jobs } = await open()
  const { id } = await jobs.createJob(1)
  await jobs.acquireLease('w1', 60)
  expect(await jobs.extendLease(id, 'w1', 60)).toBe(true)
  const until = async () => (await jobs.findById(id))?.locked_until?.getTime()
  expect(await until()).toBe(start + 120 * second)
  clock.moveTo(start + 500 * second)
  expect(await jobs.extendLease(id, 'w1', 60)).toBe(true)
  expect(await until()).toBe(start + 560 * second)
})

test('only the holder extends and releases', async () => {
  const { jobs } = await open()
  const { id } = await jobs.createJob(1)
  expect(await jobs.extendLease(id, 'w1', 60)).toBe(false)
  expect(await jobs.releaseLease(id, 'w1', 'done')).toBe(false)
  await jobs.acquireLease('w1', 60)
  expect(await jobs.extendLease(id, 'w2', 60)).toBe(false)
  expect(await jobs.releaseLease(id, 'w2', 'done')).toBe(false)
  expect(await jobs.extendLease('nobody', 'w1', 60)).toBe(false)
  expect(await jobs.findById(id)).toMatchObject({ status: 'processing', locked_by: 'w1' })
  expect(await jobs.releaseLease(id, 'w1', 'done')).toBe(true)
  expect(await jobs.releaseLease(id, 'w1', 'done')).toBe(false)
})

test('a repository that did not lease a job may act for the worker that the row names', async () => {
  const { evertick, jobs } = await open()
  const other = new ProcessingJobRepository({ evertick })
  const { id } = await jobs.createJob(1)
  await jobs.acquireLease('w1', 60)
  expect(await other.extendLease(id, 'w2', 60)).toBe(false)
  expect(await other.extendLease(id, 'w1', 60)).toBe(true)
  expect(await other.releaseLease(id, 'w1', 'done')).toBe(true)
})

test('a worker that was superseded is refused, also where its successor has its name', async () => {
  const { clock, evertick, jobs } = await open()
  const successor = new ProcessingJobRepository({ evertick })
  const { id } = await jobs.createJob(1)
  await jobs.acquireLease('w1', 60)
  clock.moveTo(start + 61 * second)
  expect(await successor.resetExpiredLeases()).toBe(1)
  expect(await successor.acquireLease('w1', 60)).toMatchObject({ id, attempts: 2 })
  expect(await jobs.extendLease(id, 'w1', 60)).toBe(false)
  expect(await jobs.releaseLease(id, 'w1', 'done')).toBe(false)
  expect(await jobs.releaseLease(id, 'w1', 'done')).toBe(false)
  expect(await successor.findById(id)).toMatchObject({
    status: 'processing',
    locked_until: new Date(start + 121 * second),
  })
  expect(await successor.releaseLease(id, 'w1', 'done')).toBe(true)
})

test('the refusal of a superseded end is kept in the history, and nothing else of it', async () => {
  const { clock, evertick, jobs } = await open()
  const successor = new ProcessingJobRepository({ evertick })
  const { id } = await jobs.createJob(1)
  await jobs.acquireLease('w1', 60)
  clock.moveTo(start + 61 * second)
  await successor.resetExpiredLeases()
  await successor.acquireLease('w2', 60)
  expect(await jobs.releaseLease(id, 'w1', 'failed', new Error('late'))).toBe(false)
  expect(await jobs.findById(id)).toMatchObject({ status: 'processing', locked_by: 'w2', attempts: 2 })
  const { attempts } = await evertick.executions.get(id)
  expect(attempts.map(({ outcome, nodeId }) => [outcome, nodeId])).toEqual([
    ['crashed', 'w1'],
    ['refused', 'w1'],
  ])
})

test('a retry can be leased at once, three times in all', async () => {
  const { jobs } = await open()
  const { id } = await jobs.createJob(1)
  for (const attempts of [1, 2, 3]) {
    expect(await jobs.acquireLease('w1', 60)).toMatchObject({ id, attempts })
    expect(await jobs.releaseLease(id, 'w1', 'retry', new Error(`no ${attempts}`))).toBe(true)
    expect(await jobs.findById(id)).toMatchObject({
      status: attempts === 3 ? 'failed' : 'retry',
      attempts,
      last_error: `no ${attempts}`,
    })
  }
  expect(await jobs.acquireLease('w1', 60)).toBeNull()
})

test('a lease has expired when its time is over, and not before', async () => {
  const { clock, jobs } = await open()
  const { id } = await jobs.createJob(1)
  await jobs.acquireLease('w1', 60)
  clock.moveTo(start + 60 * second - 1)
  expect(await jobs.getExpiredLeases()).toEqual([])
  expect(await jobs.resetExpiredLeases()).toBe(0)
  expect((await jobs.getActiveLeases()).map((job) => job.id)).toEqual([id])
  clock.moveTo(start + 60 * second)
  expect((await jobs.getExpiredLeases()).map((job) => job.id)).toEqual([id])
  expect(await jobs.getActiveLeases()).toEqual([])
  expect(await jobs.resetExpiredLeases()).toBe(1)
  expect(await jobs.findById(id)).toMatchObject({
    status: 'retry',
    locked_by: null,
    locked_until: null,
    attempts: 1,
    updated_at: new Date(start + 60 * second),
  })
  expect((await jobs.findById(id))?.last_error).toContain('crashed')
})

test('the third expiry of a job is its failure', async () => {
  const { clock, jobs } = await open()
  const { id } = await jobs.createJob(1)
  for (const attempts of [1, 2, 3]) {
    expect(await jobs.acquireLease('w1', 60)).toMatchObject({ attempts })
    clock.moveTo(clock.now() + 60 * second)
    expect(await jobs.resetExpiredLeases()).toBe(1)
  }
  expect(await jobs.findById(id)).toMatchObject({ status: 'failed', attempts: 3 })
})

test('a reset leaves the leases of other jobs alone', async () => {
  const { clock, evertick, jobs } = await open()
  const other = new ProcessingJobRepository({ evertick, queue: 'mail' })
  const { id } = await other.createJob(1)
  await other.acquireLease('w1', 60)
  clock.moveTo(start + 61 * second)
  expect(await jobs.getExpiredLeases()).toEqual([])
  expect(await jobs.resetExpiredLeases()).toBe(0)
  expect(await other.findById(id)).toMatchObject({ status: 'processing', queue: 'mail' })
  expect(await jobs.findById(id)).toBeNull()
  await other.close()
})

test('a job is listed by its status, newest first, a page at a time', async () => {
  const { jobs } = await open()
  const ids: string[] = []
  for (const payload of [1, 2, 3, 4, 5]) ids.push((await jobs.createJob(payload)).id)
  await jobs.acquireLease('w1')
  await jobs.releaseLease(ids[0] ?? '', 'w1', 'done')
  await jobs.acquireLease('w1')
  await jobs.releaseLease(ids[1] ?? '', 'w1', 'failed', 'x')
  await jobs.acquireLease('w1')
  const listed = async (query: Parameters<typeof jobs.list>[0]) =>
    (await jobs.list(query)).map(({ id }) => ids.indexOf(id))
  expect(await listed({})).toEqual([4, 3, 2, 1, 0])
  expect(await listed({ limit: 2 })).toEqual([4, 3])
  expect(await listed({ limit: 2, before: ids[3] ?? '' })).toEqual([2, 1])
  expect(await listed({ status: 'pending' })).toEqual([4, 3])
  expect(await listed({ status: 'processing' })).toEqual([2])
  expect(await listed({ status: 'failed' })).toEqual([1])
  expect(await listed({ status: 'done' })).toEqual([0])
  expect(await listed({ status: 'retry' })).toEqual([])
})

test('a cancelled job has failed, and says why', async () => {
  const { evertick, jobs } = await open()
  const { id } = await jobs.createJob(1)
  await evertick.executions.cancel(id)
  expect(await jobs.findById(id)).toMatchObject({ status: 'failed', last_error: 'cancelled: operator' })
  expect(await jobs.list({ status: 'failed' })).toHaveLength(1)
  expect(await jobs.acquireLease('w1')).toBeNull()
})

test('a retry of a failed job by an operator keeps its job_id', async () => {
  const { evertick, jobs } = await open()
  const { id } = await jobs.createJob({ job_id: 'order-1', payload: 1 })
  await jobs.acquireLease('w1')
  await jobs.releaseLease(id, 'w1', 'failed', 'x')
  const again = await evertick.executions.retry(id)
  expect(await jobs.findById(again.id)).toMatchObject({ job_id: 'order-1', status: 'pending', attempts: 0 })
})

test('a long lease of a silent worker is not taken for a clock that was ahead', async () => {
  // The node's own leases last 30 s; the worker by hand says nothing for an hour, and is not seen by anybody.
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  const jobs = new ProcessingJobRepository({ evertick: node.evertick })
  const { id } = await jobs.createJob(1)
  await jobs.acquireLease('by-hand', 7_200)
  await node.advance('1h')
  expect(await jobs.findById(id)).toMatchObject({ status: 'processing', locked_by: 'by-hand' })
  expect(await jobs.extendLease(id, 'by-hand', 36_000)).toBe(true)
  await node.advance('10h')
  expect(await jobs.findById(id)).toMatchObject({ status: 'processing', locked_by: 'by-hand' })
  await node.advance('2h')
  expect(await jobs.findById(id)).toMatchObject({ status: 'retry', locked_by: null })
})

test('a worker by hand is known while it holds something, and signs off at the close', async () => {
  const { evertick, jobs } = await open()
  const workers = async () => (await evertick.nodes.list()).map(({ id }) => id)
  const { id } = await jobs.createJob(1)
  await jobs.acquireLease('busy')
  await jobs.acquireLease('idle')
  expect(await workers()).toEqual(['busy', 'idle'])
  await jobs.close()
  expect(await workers()).toEqual(['busy'])
  expect(await jobs.releaseLease(id, 'busy', 'done')).toBe(true)
})

test('a node of the same name keeps its own entry', async () => {
  const node = await openTestNode({ nodeId: 'n1' })
  onTestFinished(() => node.stop())
  const jobs = new ProcessingJobRepository({ evertick: node.evertick })
  await jobs.acquireLease('n1')
  await jobs.close()
  expect(await node.evertick.nodes.list()).toMatchObject([{ id: 'n1', roles: ['scheduler', 'worker'] }])
})

test.each([
  ['an empty worker', (jobs: ProcessingJobRepository) => jobs.acquireLease(''), 'workerId'],
  ['no seconds', (jobs: ProcessingJobRepository) => jobs.acquireLease('w', 0), 'leaseDurationSeconds'],
  [
    'NaN seconds',
    (jobs: ProcessingJobRepository) => jobs.extendLease('x', 'w', Number.NaN),
    'additionalSeconds',
  ],
  [
    'another status',
    (jobs: ProcessingJobRepository) => jobs.releaseLease('x', 'w', 'pending' as 'done'),
    'status',
  ],
  [
    'an error of what is done',
    (jobs: ProcessingJobRepository) => jobs.releaseLease('x', 'w', 'done', 'no'),
    'error',
  ],
  ['an unknown option', (jobs: ProcessingJobRepository) => jobs.list({ state: 'x' } as object), 'state'],
])('%s is refused', async (_what, call, field) => {
  const { jobs } = await open()
  await expect(call(jobs)).rejects.toMatchObject({ code: 'invalid_option', field })
})

test('options that nobody would heed are refused', async () => {
  const { evertick } = await open()
  const refused = (options: object) => () => new ProcessingJobRepository(options)
  expect(refused({ evertick, database: 'sqlite::memory:' })).toThrow(
    'database cannot be combined with evertick',
  )
  expect(refused({ evertick: {} })).toThrow('evertick is not an Evertick')
  expect(refused({ databse: 'x' })).toThrow('no option "databse"')
  expect(refused({ queue: '' })).toThrow('queue must be a non-empty string')
})

test('a service does what its repository does', async () => {
  const { clock, jobs } = await open()
  const service = new ProcessingJobService(jobs)
  const job = await service.createJob({ job_id: 'a', payload: 1 })
  expect(await service.findById(job.id)).toEqual(job)
  expect(await service.list()).toEqual([job])
  expect(await service.acquireLease('w1', 60)).toMatchObject({ id: job.id })
  expect(await service.extendLease(job.id, 'w1', 60)).toBe(true)
  expect(await service.getActiveLeases()).toHaveLength(1)
  clock.moveTo(start + 120 * second)
  expect(await service.getExpiredLeases()).toHaveLength(1)
  expect(await service.resetExpiredLeases()).toBe(1)
  await service.acquireLease('w1', 60)
  expect(await service.releaseLease(job.id, 'w1', 'done')).toBe(true)
  await service.close()
})
