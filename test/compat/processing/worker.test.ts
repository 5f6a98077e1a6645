/** A worker on a node of a test: what it tells, how often it tries, how it stops. Time is the test's own. */

import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { contextOf } from '../../../src/app/app-context.ts'
import {
  type ActiveProcessingJob,
  type Logger,
  ProcessingJobRepository,
  ProcessingWorker,
} from '../../../src/index.ts'
import { openTestNode, type TestNode } from '../../../src/testing/index.ts'
import { until } from '../../process/until.ts'

interface Scene {
  readonly node: TestNode
  readonly worker: ProcessingWorker
  readonly jobs: ProcessingJobRepository
  readonly told: string[]
}

async function open(
  processJob: (job: ActiveProcessingJob) => unknown,
  options: Parameters<typeof openTestNode>[0] = {},
): Promise<Scene> {
  const node = await openTestNode({
    queues: { processing: { concurrency: 2 } },
    worker: { lease: '300s' },
    ...options,
  })
  const { evertick } = node
  const worker = new ProcessingWorker({ evertick, processJob, signals: false })
  const jobs = new ProcessingJobRepository({ evertick })
  const told: string[] = []
  worker.on('job:started', (job) => told.push(`started ${job.job_id} ${job.attempts}`))
  worker.on('job:completed', (job) =>
    told.push(`completed ${job.job_id} ${job.status} ${JSON.stringify(job.result)}`),
  )
  worker.on('job:failed', (job, error) => told.push(`failed ${job.job_id} ${job.status} ${error.message}`))
  await worker.start()
  onTestFinished(() => node.stop())
  return { node, worker, jobs, told }
}

const nothing = () => {}
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** A promise that a test resolves when it pleases. */
function gate(): { readonly open: () => void; readonly passed: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { open: resolve, passed: promise }
}

test('a job is processed, and its result kept', async () => {
  const { node, worker, jobs, told } = await open((job) => ({ got: job.payload }))
  const { id } = await jobs.createJob({ job_id: 'a', payload: 42 })
  await node.settle()
  expect(await jobs.findById(id)).toMatchObject({ status: 'done', attempts: 1, result: { got: 42 } })
  expect(told).toEqual(['started a 1', 'completed a done {"got":42}'])
  expect(worker.getStatus()).toEqual({
    running: true,
    workerId: node.evertick.nodeId,
    queue: 'processing',
    activeJobs: 0,
    maxConcurrentJobs: 2,
    counts: { started: 1, completed: 1, failed: 0, retried: 0 },
    leases: [],
  })
})

test('what fails is tried again at the next poll, and has failed after three attempts', async () => {
  let tries = 0
  const { node, worker, jobs, told } = await open(() => {
    tries += 1
    throw new TypeError(`no ${tries}`)
  })
  const { id } = await jobs.createJob({ job_id: 'a', payload: 1 })
  await node.settle()
  expect(await jobs.findById(id)).toMatchObject({ status: 'retry', attempts: 1, last_error: 'no 1' })
  await node.advance('4999ms')
  expect(tries).toBe(1)
  await node.advance('1ms')
  expect(tries).toBe(2)
  await node.advance('1h')
  expect(tries).toBe(3)
  expect(await jobs.findById(id)).toMatchObject({ status: 'failed', attempts: 3, last_error: 'no 3' })
  expect(told).toEqual([
    'started a 1',
    'failed a retry no 1',
    'started a 2',
    'failed a retry no 2',
    'started a 3',
    'failed a failed no 3',
  ])
  expect(worker.getStatus().counts).toEqual({ started: 3, completed: 0, failed: 1, retried: 2 })
})

test('the error of job:failed is the one that was thrown', async () => {
  const thrown = new TypeError('mine')
  const { node, worker, jobs } = await open(() => {
    throw thrown
  })
  const heard = once(worker, 'job:failed')
  await jobs.createJob(1)
  await node.settle()
  expect((await heard)[1]).toBe(thrown)
})

test('a job that is under way is in the status, with its lease', async () => {
  const held = gate()
  const { node, worker, jobs } = await open(() => held.passed)
  const started = once(worker, 'job:started')
  const { id } = await jobs.createJob({ job_id: 'a', payload: 1 })
  await started
  expect(worker.getStatus()).toMatchObject({
    activeJobs: 1,
    leases: [{ id, job_id: 'a', attempts: 1 }],
  })
  expect((await jobs.getActiveLeases()).map(({ locked_by }) => locked_by)).toEqual([node.evertick.nodeId])
  held.open()
  await node.settle()
  expect(worker.getStatus()).toMatchObject({ activeJobs: 0, leases: [] })
})

test('a job that is cancelled under way is told to stop, and has failed', async () => {
  const { node, jobs, told } = await open(async ({ signal }) => {
    await once(signal, 'abort')
    signal.throwIfAborted()
  })
  const { id } = await jobs.createJob({ job_id: 'a', payload: 1 })
  await until('its start', () => told.length === 1)
  await node.evertick.executions.cancel(id)
  node.clock.moveTo(node.clock.now() + 1_000)
  await until('its end', () => told.length === 2)
  expect(told[1]).toMatch(/^failed a failed /)
  expect(await jobs.findById(id)).toMatchObject({ status: 'failed', last_error: 'cancelled: operator' })
})

test('a worker that was superseded writes nothing, and hears of it', async () => {
  const held = gate()
  const { node, worker, jobs, told } = await open(() => held.passed)
  const started = once(worker, 'job:started')
  const { id } = await jobs.createJob({ job_id: 'a', payload: 1 })
  await started
  const { store, clock } = contextOf(node.evertick)
  const [lease] = await store.executions.listLeases('active', clock.now())
  const silent = [{ id, fence: lease?.fence ?? 0, leasedUntil: lease?.leasedUntil ?? 0 }]
  await store.work.expireLeases({ now: clock.now(), limit: 0, silent, random: () => 0 })
  expect(await jobs.acquireLease('successor', 60)).toMatchObject({ id, attempts: 2 })
  held.open()
  await node.settle()
  expect(told[1]).toMatch(/^failed a retry Another worker has taken this job over/)
  expect(await jobs.findById(id)).toMatchObject({ status: 'processing', locked_by: 'successor' })
})

test('a listener that throws disturbs no job', async () => {
  const errors: string[] = []
  const logger: Logger = { ...silent, error: (message) => errors.push(message) }
  const database = 'sqlite:file:/rude-listener?vfs=memdb'
  const worker = new ProcessingWorker({ database, logger, signals: false, processJob: () => 'fine' })
  const jobs = new ProcessingJobRepository({ database })
  onTestFinished(async () => {
    await jobs.close()
    await worker.stop()
  })
  worker.on('job:started', () => {
    throw new Error('rude')
  })
  const completed = once(worker, 'job:completed')
  await jobs.createJob(1)
  await worker.start()
  expect((await completed)[0]).toMatchObject({ status: 'done', result: 'fine' })
  expect(errors).toEqual(['A listener of job:started threw'])
})

test('a subclass says what is done', async () => {
  class Shouting extends ProcessingWorker<string> {
    protected override async processJob(job: ActiveProcessingJob<string>): Promise<string> {
      return job.payload.toUpperCase()
    }
  }
  const node = await openTestNode({ queues: { processing: { concurrency: 1 } } })
  onTestFinished(() => node.stop())
  const { evertick } = node
  await new Shouting({ evertick, signals: false }).start()
  const jobs = new ProcessingJobRepository({ evertick })
  const { id } = await jobs.createJob('tea')
  await node.settle()
  expect(await jobs.findById(id)).toMatchObject({ result: 'TEA' })
})

test('handle() says it where neither a subclass nor an option does', async () => {
  const node = await openTestNode({ queues: { processing: { concurrency: 1 } } })
  onTestFinished(() => node.stop())
  const { evertick } = node
  await new ProcessingWorker({ evertick, signals: false }).handle((job) => job.attempts).start()
  const jobs = new ProcessingJobRepository({ evertick })
  const { id } = await jobs.createJob('tea')
  await node.settle()
  expect(await jobs.findById(id)).toMatchObject({ result: 1 })
})

test('a worker that does not know what to do takes no job, and says so', async () => {
  const warnings: string[] = []
  const quiet = () => {}
  const logger: Logger = {
    debug: quiet,
    info: quiet,
    warn: (message) => warnings.push(message),
    error: quiet,
  }
  const database = 'sqlite:file:/idle-worker?vfs=memdb'
  const worker = new ProcessingWorker({ database, logger, signals: false })
  const jobs = new ProcessingJobRepository({ database })
  onTestFinished(async () => {
    await jobs.close()
    await worker.stop()
  })
  const { id } = await jobs.createJob(1)
  await worker.start()
  expect(worker.getStatus().running).toBe(true)
  expect(warnings).toEqual(['A ProcessingWorker without processJob only takes back expired leases'])
  expect(await jobs.findById(id)).toMatchObject({ status: 'pending', attempts: 0 })
})

test('effects and completion are one transaction', async () => {
  const { node, jobs } = await open((job) =>
    job.transaction(async (tx) => {
      await tx.sql`CREATE TABLE IF NOT EXISTS orders (job TEXT)`
      await tx.sql`INSERT INTO orders (job) VALUES (${job.job_id})`
      if (job.attempts === 1) throw new Error('before the commit')
      return await tx.sql`SELECT job FROM orders`
    }),
  )
  const { id } = await jobs.createJob({ job_id: 'a', payload: 1 })
  await node.settle()
  expect(await jobs.findById(id)).toMatchObject({ status: 'retry', last_error: 'before the commit' })
  await node.advance('5s')
  expect(await jobs.findById(id)).toMatchObject({ status: 'done', result: [{ job: 'a' }] })
})

test('a job that its transaction has completed is done, whatever comes after', async () => {
  const { node, jobs, told } = await open(async (job) => {
    await job.transaction(async () => 'written')
    throw new Error('too late to matter')
  })
  const { id } = await jobs.createJob({ job_id: 'a', payload: 1 })
  await node.settle()
  expect(await jobs.findById(id)).toMatchObject({ status: 'done', result: 'written' })
  expect(told).toEqual(['started a 1', 'completed a done "written"'])
})

test('the lease of a long job is extended for as long as it takes', async () => {
  const { node, jobs } = await open((job) => node.clock.sleep(3 * 3_600_000, job.signal))
  const { id } = await jobs.createJob(1)
  await node.advance('2h')
  const job = await jobs.findById(id)
  expect(job).toMatchObject({ status: 'processing', attempts: 1 })
  expect(job?.locked_until?.getTime()).toBeGreaterThan(node.clock.now() + 149_000)
  expect(await jobs.getExpiredLeases()).toEqual([])
  await node.advance('1h')
  expect(await jobs.findById(id)).toMatchObject({ status: 'done', attempts: 1 })
})

test('a start takes back the leases that have ended', async () => {
  const node = await openTestNode({ queues: { processing: { concurrency: 1 } }, roles: ['worker'] })
  onTestFinished(() => node.stop())
  const { evertick, clock } = node
  const jobs = new ProcessingJobRepository({ evertick })
  const { id } = await jobs.createJob(1)
  await jobs.acquireLease('crashed', 60)
  clock.moveTo(clock.now() + 60_000)
  // A worker alone: no rescuer is there that could have been first.
  const worker = new ProcessingWorker({ evertick, signals: false, processJob: (job) => job.attempts })
  await worker.start()
  await node.settle()
  expect(await jobs.findById(id)).toMatchObject({ status: 'done', attempts: 2, result: 2 })
})

test('a stop lets what is under way finish, and takes nothing more', async () => {
  const held = gate()
  const { node, worker, jobs } = await open(() => held.passed)
  const started = once(worker, 'job:started')
  const first = await jobs.createJob(1)
  await started
  const stopped = worker.stop()
  await node.settle()
  const second = await jobs.createJob(2)
  await node.settle()
  held.open()
  await stopped
  expect(worker.getStatus()).toMatchObject({ running: false, activeJobs: 0 })
  expect(await jobs.findById(first.id)).toMatchObject({ status: 'done' })
  expect(await jobs.findById(second.id)).toMatchObject({ status: 'pending', attempts: 0 })
  await worker.start()
  await node.settle()
  expect(await jobs.findById(second.id)).toMatchObject({ status: 'done' })
})

test('a stop gives back what does not finish in time, and it costs no attempt', async () => {
  const database = 'sqlite:file:/given-back?vfs=memdb'
  const worker = new ProcessingWorker({
    database,
    signals: false,
    processJob: async ({ signal }) => {
      await once(signal, 'abort')
      signal.throwIfAborted()
    },
  })
  const failed: unknown[] = []
  worker.on('job:failed', (job) => failed.push(job))
  const jobs = new ProcessingJobRepository({ database })
  onTestFinished(() => jobs.close())
  const started = once(worker, 'job:started')
  const { id } = await jobs.createJob(1)
  await worker.start()
  await started
  await worker.stop({ timeout: 0 })
  expect(await jobs.findById(id)).toMatchObject({ status: 'retry', attempts: 0, locked_by: null })
  expect(await jobs.getActiveLeases()).toEqual([])
  expect(failed).toEqual([])
})
