/** Monitoring and troubleshooting, by SQL and by the service. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ProcessingJobService, ProcessingWorker, processingWorker } from '../../../../src/index.ts'
import { type Section } from '../describe-document.ts'
import { bench, hour, mysqlUrl, ownDatabase, pass, postgresUrl, shared } from './bench.ts'
import { onMariadb, onPostgres, onSqlite, type Row } from './database.ts'

const document = readFileSync(join(import.meta.dirname, '../documents/002.md'), 'utf8')

/** The SQL of a section, as it stands there. */
function sqlOf(heading: string): string[] {
  const section = document.slice(document.indexOf(`### ${heading}\n`))
  const end = section.slice(4).search(/^##/m)
  return [...section.slice(0, end + 4).matchAll(/```sql\n([\s\S]*?);?\n *```/g)].map(([, text = '']) => text)
}

/** One job of each kind: waiting, being worked on, stuck, done, and failed for good. */
async function oneOfEach(url: string): Promise<void> {
  const { clock, jobs } = await bench(url, 'processing')
  const create = async (name: string) => (await jobs.createJob({ job_id: name, payload: {} })).id
  const failed = await create('failed')
  for (const error of ['one', 'two', 'three']) {
    await jobs.acquireLease('w1', 60)
    await jobs.releaseLease(failed, 'w1', 'retry', error)
  }
  const done = await create('done')
  await jobs.acquireLease('w1', 60)
  await jobs.releaseLease(done, 'w1', 'done')
  await create('stuck')
  await jobs.acquireLease('w1', 60)
  clock.moveTo(Date.now())
  await create('active')
  await jobs.acquireLease('w2', hour)
  await create('waiting')
}

const names = (rows: readonly Row[]) => rows.map(({ job_id }) => String(job_id)).toSorted()

async function expectQueries(query: (text: string) => Promise<Row[]>): Promise<void> {
  const [active = '', expired = '', failed = ''] = sqlOf('Database Queries')
  expect(names(await query(active))).toEqual(['active', 'stuck'])
  expect(await query(expired)).toMatchObject([
    { job_id: 'stuck', locked_by: 'w1', attempts: 1, status: 'processing', last_error: null },
  ])
  expect(await query(failed)).toMatchObject([{ job_id: 'failed', attempts: 3, last_error: 'three' }])
  const [newestFailures = ''] = sqlOf('Jobs Failing After 3 Attempts')
  expect(await query(newestFailures)).toMatchObject([{ job_id: 'failed', attempts: 3, last_error: 'three' }])
}

export const monitoringSections: Readonly<Record<string, Section>> = {
  'Database Queries': () => {
    test.skipIf(mysqlUrl === null)(
      'run as they stand on MariaDB, in any time zone of the session',
      async () => {
        const database = await ownDatabase(onMariadb(mysqlUrl ?? ''))
        await oneOfEach(database.url)
        for (const zone of ['+00:00', '+05:30', '-08:00']) {
          await database.query(`SET time_zone = '${zone}'`)
          await expectQueries((text) => database.query(text))
        }
      },
    )

    test.skipIf(postgresUrl === null)(
      'run as they stand on PostgreSQL, with evertick in the search path',
      async () => {
        const database = await ownDatabase(onPostgres(postgresUrl ?? ''))
        await oneOfEach(database.url)
        await expectQueries((text) => database.query(text))
      },
    )

    test('run on SQLite, whose word for NOW() is another', async () => {
      const database = await ownDatabase(onSqlite())
      await oneOfEach(database.url)
      await expectQueries((text) => database.query(text.replace('NOW()', `datetime('now')`)))
    })

    test.skipIf(postgresUrl === null)(
      'an error that PostgreSQL cannot read as JSON spoils no other row',
      async () => {
        const database = await ownDatabase(onPostgres(postgresUrl ?? ''))
        const { jobs } = await bench(database.url)
        for (const error of ['nul \0 in it', 'half a character \ud800', 'plain']) {
          const { id } = await jobs.createJob({})
          await jobs.acquireLease('w1', 60)
          await jobs.releaseLease(id, 'w1', 'failed', error)
        }
        const rows = await database.query('SELECT last_error FROM processing_jobs ORDER BY id')
        expect(rows.map(({ last_error }) => last_error)).toEqual([
          expect.stringContaining('nul \\u0000 in it'),
          expect.stringContaining('half a character \\ud800'),
          'plain',
        ])
      },
    )
  },
  'Application Monitoring': () => {
    test.skipIf(mysqlUrl === null)('status, active leases and expired leases', async () => {
      const { jobs, clock } = await bench()
      const service = new ProcessingJobService(jobs)
      expect(processingWorker.getStatus()).toMatchObject({ running: false, activeJobs: 0 })
      await service.createJob({})
      await service.acquireLease('w1', 60)
      expect(await service.getActiveLeases()).toHaveLength(1)
      expect(await service.getExpiredLeases()).toHaveLength(0)
      pass(clock, 60)
      expect(await service.getActiveLeases()).toHaveLength(0)
      expect(await service.getExpiredLeases()).toHaveLength(1)
    })
  },
  'Jobs Stuck in Processing': () => {
    test.skipIf(mysqlUrl === null)('are reset by hand', async () => {
      const { jobs, clock } = await bench()
      const service = new ProcessingJobService(jobs)
      const { id } = await service.createJob({})
      await service.acquireLease('w1', 60)
      pass(clock, 60)
      expect(await service.findById(id)).toMatchObject({ status: 'processing' })
      expect(await service.resetExpiredLeases()).toBe(1)
      expect(await service.findById(id)).toMatchObject({ status: 'retry' })
    })
  },
  'Worker Not Picking Up Jobs': () => {
    test.skipIf(mysqlUrl === null)(
      'its checks: running, and a status, attempts and lease that allow it',
      async () => {
        const { jobs } = await bench()
        expect(new ProcessingWorker({ database: shared().url }).getStatus().running).toBe(false)
        const { id } = await jobs.createJob({})
        expect(await jobs.list({ status: 'pending' })).toMatchObject([{ id, attempts: 0, locked_by: null }])
        await jobs.acquireLease('w1', 300)
        expect(await jobs.acquireLease('w2', 300)).toBeNull()
        expect((await jobs.getActiveLeases()).map(({ locked_by }) => locked_by)).toEqual(['w1'])
      },
    )

    test('a database that cannot be reached is told at the start', async () => {
      const worker = new ProcessingWorker({ database: 'mysql://root@127.0.0.1:1/app', processJob: () => {} })
      await expect(worker.start()).rejects.toMatchObject({ code: 'database_unavailable' })
    })
  },
  'Jobs Failing After 3 Attempts': () => {
    test.skipIf(mysqlUrl === null)('have their reason in last_error, newest first', async () => {
      const database = await ownDatabase(onMariadb(mysqlUrl ?? ''))
      const { jobs, clock } = await bench(database.url, 'processing')
      for (const name of ['older', 'newer']) {
        const { id } = await jobs.createJob({ job_id: name, payload: {} })
        for (let times = 0; times < 3; times += 1) {
          await jobs.acquireLease('w1', 60)
          await jobs.releaseLease(id, 'w1', 'retry', new Error(`${name} broke`))
        }
        pass(clock, 1)
      }
      const [text = ''] = sqlOf('Jobs Failing After 3 Attempts')
      expect(await database.query(text)).toMatchObject([
        { job_id: 'newer', attempts: 3, last_error: 'newer broke' },
        { job_id: 'older', attempts: 3, last_error: 'older broke' },
      ])
    })
  },
  'Future Enhancements': () => {
    test.skipIf(mysqlUrl === null)('priorities, delays and dead letters are here already', async () => {
      const { jobs, clock, evertick } = await bench()
      await jobs.createJob('later', { runAt: new Date(clock.now() + 60_000) })
      await jobs.createJob('plain')
      await jobs.createJob('urgent', { priority: 1 })
      const got = async () => (await jobs.acquireLease('w1', 600))?.payload
      expect([await got(), await got(), await got()]).toEqual(['urgent', 'plain', undefined])
      pass(clock, 60)
      const last = await jobs.acquireLease('w1', 600)
      expect(last).toMatchObject({ payload: 'later' })
      await jobs.releaseLease(last?.id ?? '', 'w1', 'failed', 'x')
      expect(await evertick.executions.retry(last?.id ?? '')).toMatchObject({ state: 'pending' })
    })
  },
  'Security Summary': () => {
    test.skipIf(mysqlUrl === null)('workers only reach their own leases', async () => {
      const { jobs } = await bench()
      const { id } = await jobs.createJob({})
      await jobs.acquireLease('w1', 60)
      expect(await jobs.extendLease(id, 'w2', 60)).toBe(false)
      expect(await jobs.releaseLease(id, 'w2', 'failed', 'mine now')).toBe(false)
      expect(await jobs.findById(id)).toMatchObject({
        status: 'processing',
        locked_by: 'w1',
        last_error: null,
      })
    })
  },
}
