/** The worker, and what it was accepted for. */

import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ActiveProcessingJob, ProcessingWorker } from '../../../../src/index.ts'
import { ManualClock } from '../../../../src/testing/index.ts'
import { until } from '../../../process/until.ts'
import { type Section } from '../describe-document.ts'
import { bench, mysqlUrl, newQueue, ownDatabase, repositoryOn, shared, startWorker } from './bench.ts'
import { onMariadb, onSqlite, type ProcessingDatabase } from './database.ts'

/** The worker is killed with its order inserted and not committed; the next one finds the lease ended, and does it all. */
async function expectOrderOnce(database: ProcessingDatabase): Promise<void> {
  const jobs = repositoryOn(database.url)
  const { id } = await jobs.createJob({ job_id: 'order-1', payload: {} })
  const crashed = startWorker(database.url, 'crashed', 'inside')
  await crashed.heard('inserted')
  expect(await jobs.findById(id)).toMatchObject({ status: 'processing', locked_by: 'crashed', attempts: 1 })
  crashed.send('SIGKILL')
  await crashed.exited
  expect(await database.query('SELECT * FROM orders')).toEqual([])
  await until('the lease to end', async () => (await jobs.getExpiredLeases()).length === 1)
  const restarted = startWorker(database.url, 'restarted', 'never')
  expect(await restarted.heard('started')).toMatchObject({ id, attempt: 2 })
  await restarted.heard('completed')
  expect(await database.query('SELECT * FROM orders')).toEqual([{ job_id: 'order-1', attempt: 2 }])
  expect(await jobs.findById(id)).toMatchObject({ status: 'done', attempts: 2, locked_by: null })
}

export const workerSections: Readonly<Record<string, Section>> = {
  Overview: () => {
    test('a crash during a job, a restart, and the order is there once (SQLite)', async () => {
      const database = await ownDatabase(onSqlite())
      await expectOrderOnce(database)
    })

    test.skipIf(mysqlUrl === null)('the same on MariaDB', async () => {
      const database = await ownDatabase(onMariadb(mysqlUrl ?? ''))
      await expectOrderOnce(database)
    })
  },
  '4. Worker Implementation': () => {
    describe.skipIf(mysqlUrl === null)('a worker', () => {
      test('acquires by itself, tells of it, and releases', async () => {
        const queue = newQueue()
        const worker = new ProcessingWorker({
          database: shared().url,
          queue,
          processJob: (job) => job.payload,
        })
        onTestFinished(() => worker.stop())
        const told: string[] = []
        worker.on('job:started', () => told.push('started'))
        const completed = once(worker, 'job:completed')
        await worker.start()
        const jobs = repositoryOn(shared().url, queue)
        const { id } = await jobs.createJob({ n: 1 })
        expect((await completed)[0]).toMatchObject({ id, status: 'done', result: { n: 1 } })
        expect(told).toEqual(['started'])
        expect(await jobs.findById(id)).toMatchObject({ status: 'done', attempts: 1, locked_by: null })
      })

      test('two of them never work on the same job', async () => {
        const queue = newQueue()
        const ran: string[] = []
        const options = { database: shared().url, queue, maxConcurrentJobs: 5 }
        const processJob = (job: ActiveProcessingJob) => ran.push(job.id)
        const workers = ['a', 'b'].map(
          (name) => new ProcessingWorker({ ...options, workerId: `${queue}-${name}`, processJob }),
        )
        onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.stop()))))
        const { evertick, jobs } = await bench(shared().url, queue)
        const made = await Promise.all(Array.from({ length: 40 }, (_, n) => jobs.createJob({ n })))
        await Promise.all(workers.map((worker) => worker.start()))
        await until(
          'all to be done',
          async () => (await jobs.list({ status: 'done' })).length === made.length,
        )
        expect(ran.toSorted()).toEqual(made.map(({ id }) => id).toSorted())
        await evertick.ping()
      })

      test('retries what fails, three times, and tells of it', async () => {
        const queue = newQueue()
        let tries = 0
        const processJob = () => {
          tries += 1
          throw new Error(`no ${tries}`)
        }
        const worker = new ProcessingWorker({ database: shared().url, queue, pollIntervalMs: 10, processJob })
        onTestFinished(() => worker.stop())
        const heard: string[] = []
        const ended = new Promise<void>((resolve) => {
          worker.on('job:failed', (job, error) => {
            heard.push(`${job.status}: ${error.message}`)
            if (job.status === 'failed') resolve()
          })
        })
        const { jobs } = await bench(shared().url, queue)
        const { id } = await jobs.createJob({})
        await worker.start()
        await ended
        expect(heard).toEqual(['retry: no 1', 'retry: no 2', 'failed: no 3'])
        expect(await jobs.findById(id)).toMatchObject({ status: 'failed', attempts: 3, last_error: 'no 3' })
      })

      test('extends the lease of a long job, and takes none back that is kept', async () => {
        const queue = newQueue()
        const { promise: released, resolve: release } = Promise.withResolvers<void>()
        const worker = new ProcessingWorker({
          database: shared().url,
          queue,
          leaseDurationSeconds: 1,
          processJob: () => released,
        })
        onTestFinished(() => worker.stop())
        const started = once(worker, 'job:started')
        const jobs = repositoryOn(shared().url, queue)
        const { id } = await jobs.createJob({})
        await worker.start()
        await started
        const first = (await jobs.findById(id))?.locked_until?.getTime() ?? 0
        const lockedUntil = async () => (await jobs.findById(id))?.locked_until?.getTime() ?? 0
        await until('three leases to pass', async () => (await lockedUntil()) > first + 3_000)
        expect(await jobs.resetExpiredLeases()).toBe(0)
        const completed = once(worker, 'job:completed')
        release()
        await completed
        expect(await jobs.findById(id)).toMatchObject({ status: 'done', attempts: 1 })
      }, 60_000)

      test('resets leases that have ended when it starts', async () => {
        const { jobs, queue } = await bench()
        const { id } = await jobs.createJob({})
        await jobs.acquireLease('crashed', 60)
        const worker = new ProcessingWorker({ database: shared().url, queue, processJob: () => {} })
        onTestFinished(() => worker.stop())
        const completed = once(worker, 'job:completed')
        await worker.start()
        expect((await completed)[0]).toMatchObject({ id, attempts: 2, status: 'done' })
      })

      test.each(['SIGTERM', 'SIGINT'] as const)(
        'gives its leases back at %s, and ends by it',
        async (signal) => {
          const database = await ownDatabase(onMariadb(mysqlUrl ?? ''))
          const jobs = repositoryOn(database.url)
          const worker = startWorker(database.url, 'graceful', 'never', 300)
          await worker.heard('ready')
          const { id } = await jobs.createJob({})
          await worker.heard('completed')
          worker.send(signal)
          expect(await worker.exited).toEqual({ code: null, signal })
          expect(await jobs.findById(id)).toMatchObject({ status: 'done' })
          expect(await jobs.getActiveLeases()).toEqual([])
          expect(await database.query('SELECT id FROM evertick_nodes')).toEqual([])
        },
      )
    })

    test('is named by host, process and time', () => {
      const { workerId } = new ProcessingWorker({ clock: new ManualClock(1_000) })
      expect(workerId).toMatch(new RegExp(`^.+-${process.pid}-1000$`))
    })
  },
  'Acceptance Criteria Met': () => {
    test.skipIf(mysqlUrl === null)('a worker that was frozen past its lease books nothing', async () => {
      const database = await ownDatabase(onMariadb(mysqlUrl ?? ''))
      const jobs = repositoryOn(database.url)
      const frozen = startWorker(database.url, 'frozen', 'zombie')
      await frozen.heard('ready')
      const { id } = await jobs.createJob({ job_id: 'order-1', payload: {} })
      await frozen.heard('started')
      await frozen.freeze()
      await until('the lease to end', async () => (await jobs.getExpiredLeases()).length === 1)
      const successor = startWorker(database.url, 'successor', 'never')
      await successor.heard('completed')
      frozen.send('SIGCONT')
      expect(String((await frozen.heard('failed'))['message'])).toContain('has passed to another worker')
      expect(await database.query('SELECT * FROM orders')).toEqual([{ job_id: 'order-1', attempt: 2 }])
      expect(await jobs.findById(id)).toMatchObject({ status: 'done', attempts: 2 })
    })

    describe.skipIf(mysqlUrl === null)('graceful degradation', () => {
      test('a stop with a job under way leaves nothing in processing, and the job to another', async () => {
        const database = await ownDatabase(onMariadb(mysqlUrl ?? ''))
        const jobs = repositoryOn(database.url)
        const { id } = await jobs.createJob({ job_id: 'order-1', payload: {} })
        const worker = new ProcessingWorker({
          database: database.url,
          processJob: async ({ signal }) => {
            await once(signal, 'abort')
            signal.throwIfAborted()
          },
        })
        const started = once(worker, 'job:started')
        await worker.start()
        await started
        await worker.stop({ timeout: 0 })
        expect(await database.query(`SELECT id FROM processing_jobs WHERE status = 'processing'`)).toEqual([])
        expect(await jobs.findById(id)).toMatchObject({ status: 'retry', locked_by: null, attempts: 0 })
        const other = startWorker(database.url, 'other', 'never')
        await other.heard('completed')
        expect(await database.query('SELECT * FROM orders')).toEqual([{ job_id: 'order-1', attempt: 1 }])
      })

      test('a second Ctrl-C ends it at once, and its lease runs out', async () => {
        const database = await ownDatabase(onMariadb(mysqlUrl ?? ''))
        const jobs = repositoryOn(database.url)
        const worker = startWorker(database.url, 'impatient', 'before', 300)
        await worker.heard('ready')
        const { id } = await jobs.createJob({})
        await worker.heard('started')
        worker.send('SIGINT')
        // It has heard the first once it has signed off from leading.
        const led = `SELECT id FROM scheduler_leader_log WHERE stop_time IS NULL`
        await until('the stop to begin', async () => (await database.query(led)).length === 0)
        worker.send('SIGINT')
        expect(await worker.exited).toEqual({ code: null, signal: 'SIGINT' })
        expect(await jobs.findById(id)).toMatchObject({ status: 'processing', locked_by: 'impatient' })
      })
    })
  },
}
