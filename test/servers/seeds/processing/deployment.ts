/** Configuration and deployment. */

import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { root, runCommand } from '../../../../scripts/run-command.ts'
import {
  type ActiveProcessingJob,
  ProcessingJobService,
  ProcessingWorker,
  processingJobService,
  processingWorker,
} from '../../../../src/index.ts'
import { until } from '../../../process/until.ts'
import { createMysql } from '../../../services/databases.ts'
import { type Section } from '../describe-document.ts'
import { bench, mysqlEnvironment, mysqlUrl, newQueue, shared, stubMysqlEnvironment } from './bench.ts'

export const deploymentSections: Readonly<Record<string, Section>> = {
  'Recommended Settings': () => {
    test.skipIf(mysqlUrl === null)('are taken, and what they say holds', async () => {
      const worker = new ProcessingWorker({
        workerId: 'worker-1',
        leaseDurationSeconds: 300,
        pollIntervalMs: 5000,
        maxConcurrentJobs: 1,
        leaseExtensionThresholdPercent: 50,
        database: shared().url,
        queue: newQueue(),
        processJob: () => {},
      })
      onTestFinished(() => worker.stop())
      await worker.start()
      const [node] = await shared().query(`SELECT lease_ms, queues FROM evertick_nodes WHERE id = 'worker-1'`)
      const { queue } = worker.getStatus()
      expect(node).toEqual({ lease_ms: 300_000, queues: JSON.stringify({ [queue]: 1 }) })
      expect(worker.getStatus()).toMatchObject({ running: true, workerId: 'worker-1', maxConcurrentJobs: 1 })
    })
  },
  'Environment Variables': () => {
    test.skipIf(mysqlUrl === null)('MYSQL_DB_* names the database', async () => {
      stubMysqlEnvironment(shared().url)
      const service = new ProcessingJobService()
      onTestFinished(() => service.close())
      const { id } = await service.createJob({ job_id: 'by-environment', payload: {} })
      expect(await shared().query(`SELECT job_id FROM processing_jobs WHERE id = '${id}'`)).toEqual([
        { job_id: 'by-environment' },
      ])
    })
  },
  '1. Run Migration': () => {
    test.skipIf(mysqlUrl === null)('is evertick migrate up; without it a start says so', async () => {
      const database = await createMysql(mysqlUrl ?? '')
      onTestFinished(() => database.drop())
      const service = new ProcessingJobService({ database: database.url })
      const refused = service.createJob({})
      await expect(refused).rejects.toMatchObject({ code: 'schema_missing' })
      const args = [join(root, 'src/cli/evertick.ts'), 'migrate', 'up', '--database', database.url]
      expect(await runCommand(process.execPath, args)).toMatchObject({ ok: true })
      expect(await service.createJob({})).toMatchObject({ status: 'pending' })
      await service.close()
    })
  },
  '2. Start Worker': () => {
    describe.skipIf(mysqlUrl === null)('option B and C', () => {
      test('the standalone worker', async () => {
        stubMysqlEnvironment(shared().url)
        onTestFinished(() => processingWorker.stop())
        const completed = once(processingWorker, 'job:completed')
        await processingWorker.handle((job) => job.payload).start()
        await processingJobService.createJob({ job_id: 'standalone', payload: 'done by it' })
        onTestFinished(() => processingJobService.close())
        await until('its job', async () => processingWorker.getStatus().counts.completed > 0)
        expect(((await completed)[0] as { status: string }).status).toBe('done')
      })

      test('a custom worker', async () => {
        const queue = newQueue()
        class MyWorker extends ProcessingWorker {
          protected override async processJob(job: ActiveProcessingJob): Promise<string> {
            return `custom: ${job.job_id}`
          }
        }
        const myWorker = new MyWorker({ workerId: 'my-worker-1', database: shared().url, queue })
        onTestFinished(() => myWorker.stop())
        const completed = once(myWorker, 'job:completed')
        await myWorker.start()
        const { jobs } = await bench(shared().url, queue)
        await jobs.createJob({ job_id: 'a', payload: {} })
        expect((await completed)[0]).toMatchObject({ result: 'custom: a', status: 'done' })
      })
    })
  },
  '3. Verify Deployment': () => {
    test.skipIf(mysqlUrl === null)('the worker starts from CommonJS, and tells its status', async () => {
      const script = `
        const { processingWorker } = require('./src/index.ts');
        processingWorker.start().then(() => {
          console.log('Status:', JSON.stringify(processingWorker.getStatus()));
          return processingWorker.stop();
        });`
      const { ok, stdout, text } = await runCommand(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', '--input-type=commonjs', '-e', script],
        { env: mysqlEnvironment(shared().url) },
      )
      expect(ok ? 'ended well' : text).toBe('ended well')
      expect(JSON.parse(stdout.replace('Status:', ''))).toMatchObject({ running: true, activeJobs: 0 })
    })
  },
}
