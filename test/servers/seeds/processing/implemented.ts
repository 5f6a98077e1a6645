/** What was implemented: migration, repository, service. */
import { describe, expect, test } from 'vitest'
import { ProcessingJobRepository, ProcessingJobService } from '../../../../src/index.ts'
import { type Section } from '../describe-document.ts'
import { bench, expectVerified, mysqlUrl, pass, shared } from './bench.ts'

export const implementedSections: Readonly<Record<string, Section>> = {
  '1. Database Migration': () => {
    describe.skipIf(mysqlUrl === null)('the view processing_jobs', () => {
      test('has the columns of the page, with its types', async () => {
        const columns = await shared().query(
          `SELECT column_name AS name, data_type AS type FROM information_schema.columns
           WHERE table_schema = DATABASE() AND table_name = 'processing_jobs'`,
        )
        expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toMatchObject({
          locked_by: 'varchar',
          locked_until: 'datetime',
          attempts: 'int',
          last_error: 'longtext',
        })
      })

      test('begins at no attempts, and at no lock', async () => {
        const { jobs, queue } = await bench()
        await jobs.createJob({ job_id: 'new', payload: {} })
        expect(await shared().query(`SELECT * FROM processing_jobs WHERE queue = '${queue}'`)).toMatchObject([
          {
            job_id: 'new',
            status: 'pending',
            locked_by: null,
            locked_until: null,
            attempts: 0,
            last_error: null,
          },
        ])
      })

      test('rests on an index for what can be leased, and on one for the ends of leases', async () => {
        const indexes = await shared().query(
          `SELECT index_name AS name, GROUP_CONCAT(column_name ORDER BY seq_in_index) AS columns
           FROM information_schema.statistics
           WHERE table_schema = DATABASE() AND table_name = 'evertick_job_executions' GROUP BY index_name`,
        )
        expect(Object.fromEntries(indexes.map((index) => [index['name'], index['columns']]))).toMatchObject({
          evertick_job_executions_claim: 'queue,claim_priority,ready_at,seq',
          evertick_job_executions_lease: 'leased_until',
        })
      })

      test('says what a job of the repository says, in every state', async () => {
        const { clock, jobs, queue, evertick } = await bench()
        const create = async (name: string) => (await jobs.createJob({ job_id: name, payload: {} })).id
        const [crashed, failed, done] = [
          await create('crashed'),
          await create('failed'),
          await create('done'),
        ]
        for (let taken = 0; taken < 3; taken += 1) await jobs.acquireLease('w1', taken === 0 ? 60 : 600)
        await jobs.releaseLease(failed, 'w1', 'failed', new Error('"quoted" and \\ slashed'))
        await jobs.releaseLease(done, 'w1', 'done')
        pass(clock, 61)
        await jobs.resetExpiredLeases()
        const cancelled = await create('cancelled')
        await evertick.executions.cancel(cancelled)
        await create('waiting')
        await jobs.createJob('unnamed')
        expect(await jobs.findById(crashed)).toMatchObject({ status: 'retry' })
        const told = (await jobs.list()).map(({ payload: _payload, result: _result, ...row }) => row)
        const read = await shared().query(
          `SELECT * FROM processing_jobs WHERE queue = '${queue}' ORDER BY id DESC`,
        )
        expect(read).toEqual(told)
      })
    })
  },
  '2. Repository Layer Updates': () => {
    describe.skipIf(mysqlUrl === null)('the lease methods', () => {
      test('acquireLease gives one job to one worker', async () => {
        const { jobs, clock } = await bench()
        const { id } = await jobs.createJob({ job_id: 'a', payload: { n: 1 } })
        expect(await jobs.acquireLease('w1', 300)).toMatchObject({
          id,
          job_id: 'a',
          status: 'processing',
          locked_by: 'w1',
          locked_until: new Date(clock.now() + 300_000),
          attempts: 1,
          payload: { n: 1 },
        })
        expect(await jobs.acquireLease('w2', 300)).toBeNull()
      })

      test.each(['done', 'failed', 'retry'] as const)('releaseLease ends it as %s', async (status) => {
        const { jobs } = await bench()
        const { id } = await jobs.createJob({})
        await jobs.acquireLease('w1', 300)
        const error = status === 'done' ? null : 'broken'
        expect(await jobs.releaseLease(id, 'w1', status, error)).toBe(true)
        expect(await jobs.findById(id)).toMatchObject({
          status,
          locked_by: null,
          locked_until: null,
          last_error: error,
        })
      })

      test('extendLease gives a long job more time', async () => {
        const { jobs, clock } = await bench()
        const { id } = await jobs.createJob({})
        await jobs.acquireLease('w1', 300)
        expect(await jobs.extendLease(id, 'w1', 300)).toBe(true)
        pass(clock, 599)
        expect(await jobs.resetExpiredLeases()).toBe(0)
        pass(clock, 1)
        expect(await jobs.resetExpiredLeases()).toBe(1)
      })

      test('getActiveLeases and getExpiredLeases tell who works and who is stuck', async () => {
        const { jobs, clock } = await bench()
        const [stuck, active] = [await jobs.createJob({}), await jobs.createJob({})]
        await jobs.acquireLease('w1', 60)
        pass(clock, 61)
        await jobs.acquireLease('w2', 60)
        expect((await jobs.getActiveLeases()).map(({ id }) => id)).toEqual([active.id])
        expect((await jobs.getExpiredLeases()).map(({ id }) => id)).toEqual([stuck.id])
      })
    })
  },
  '3. Service Layer Updates': () => {
    test('the service has every method of the repository', () => {
      const methods = (prototype: object) => Object.getOwnPropertyNames(prototype).toSorted()
      expect(methods(ProcessingJobService.prototype)).toEqual(methods(ProcessingJobRepository.prototype))
    })

    test.skipIf(mysqlUrl === null)('and does through it what the repository does', async () => {
      const own = await bench()
      await expectVerified({
        ...own,
        jobs: new ProcessingJobService(own.jobs) as unknown as ProcessingJobRepository,
      })
    })
  },
}
