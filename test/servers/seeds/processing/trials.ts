/** How the page tests itself, and what its review asked for. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { root, runCommand } from '../../../../scripts/run-command.ts'
import { ProcessingWorker } from '../../../../src/index.ts'
import { ManualClock } from '../../../../src/testing/index.ts'
import { Child } from '../../../process/child.ts'
import { until } from '../../../process/until.ts'
import { type Section } from '../describe-document.ts'
import { bench, expectVerified, mysqlUrl, ownDatabase, postgresUrl, shared } from './bench.ts'
import { onPostgres, onSqlite } from './database.ts'

/** Where the guide keeps each of the page's promises. */
const sectionOf: Readonly<Record<string, string>> = {
  'Installation instructions': 'Install',
  'Usage examples': 'A worker',
  'Custom worker implementation guide': 'A worker',
  'Manual lease management': 'Leases by hand',
  'Testing procedures': 'Testing',
  'Troubleshooting guide': 'When something is wrong',
  'Best practices': 'Best practices',
  'Performance considerations': 'Performance',
  'Security considerations': 'Security',
}

export const trialSections: Readonly<Record<string, Section>> = {
  '5. Testing Infrastructure': () => {
    test.skipIf(mysqlUrl === null)('all that the script verifies (MariaDB)', async () => {
      await expectVerified(await bench())
    })

    test.skipIf(postgresUrl === null)('all that the script verifies (PostgreSQL)', async () => {
      const database = await ownDatabase(onPostgres(postgresUrl ?? ''))
      await expectVerified(await bench(database.url))
    })
  },
  '6. Documentation': () => {
    const page = readFileSync(join(import.meta.dirname, '../documents/002.md'), 'utf8')
    const list = /^Documentation includes:\n((?:- .+\n)+)/m.exec(page)?.[1] ?? ''
    const promised = [...list.matchAll(/^- (.+)$/gm)].map(([, item = '']) => item)
    const guide = readFileSync(join(root, 'docs/guide/processing-worker.md'), 'utf8')

    test('the page promises nine things of the guide', () => expect(promised).toHaveLength(9))

    test.each(promised)('the guide has what the page promises of it: %s', (item) => {
      const heading = sectionOf[item]
      const section = guide.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
      // A heading alone keeps no promise.
      expect(section.split(/\s+/).length).toBeGreaterThan(40)
    })
  },
  'Unit Tests': () => {
    test('all that the script verifies (SQLite)', async () => {
      const database = await ownDatabase(onSqlite())
      await expectVerified(await bench(database.url))
    })
  },
  'Integration Tests': () => {
    test('the demo has a worker, events, a status, and a command to create jobs', () => {
      const demo = readFileSync(join(root, 'examples/processing-worker/demo-lease-worker.ts'), 'utf8')
      for (const word of ['extends ProcessingWorker', 'job:started', 'getStatus()', 'create-jobs']) {
        expect(demo).toContain(word)
      }
    })
  },
  'Manual Testing': () => {
    test('worker, create-jobs, kill -9, worker: the order is packed again and booked once', async () => {
      const database = await ownDatabase(onSqlite())
      const folder = join(database.url.slice('sqlite:'.length), '..')
      vi.stubEnv('EVERTICK_DATA_DIR', folder)
      const demo = '../../examples/processing-worker/demo-lease-worker.ts'
      const lines = (child: Child) => child.all('text').map(({ line }) => String(line))
      const says = (child: Child, words: RegExp) =>
        until(`${words}`, () => lines(child).some((line) => words.test(line)))
      const crashed = new Child(demo, {})
      await says(crashed, /works, with leases/)
      const created = await runCommand(process.execPath, [join(root, demo.slice(6)), 'create-jobs', '1'])
      expect(created.stdout.match(/created order-/g)).toHaveLength(3)
      await says(crashed, /starts, attempt 1 of 3/)
      crashed.send('SIGKILL')
      await crashed.exited
      const restarted = new Child(demo, {})
      // The last of its lines about an order.
      await until(
        'all to be done',
        () => lines(restarted).filter((line) => /booked \d+ time/.test(line)).length === 3,
      )
      expect(lines(restarted).some((line) => /starts, attempt 2 of 3/.test(line))).toBe(true)
      expect(lines(restarted).filter((line) => /booked 1 time/.test(line))).toHaveLength(3)
      restarted.send('SIGINT')
      expect(await restarted.exited).toEqual({ code: null, signal: 'SIGINT' })
    }, 90_000)
  },
  'Code Review': () => {
    test.skipIf(mysqlUrl === null)('the statuses are pending and retry, never queued', async () => {
      const { jobs } = await bench()
      const refused = jobs.createJob({ payload: {}, status: 'queued' })
      await expect(refused).rejects.toMatchObject({ code: 'invalid_option', field: 'status' })
      expect(await jobs.createJob({ payload: {}, status: 'pending' })).toMatchObject({ status: 'pending' })
    })

    test('two workers of one process have names of their own', () => {
      const clock = new ManualClock(1_000)
      const first = new ProcessingWorker({ clock }).workerId
      clock.moveTo(1_001)
      expect(new ProcessingWorker({ clock }).workerId).not.toBe(first)
    })
  },
  'Security Scan': () => {
    test.skipIf(mysqlUrl === null)('what is given is data, never SQL', async () => {
      const { jobs } = await bench()
      const evil = `'; DROP TABLE orders; -- "\\`
      const { id } = await jobs.createJob({ job_id: evil, payload: evil })
      expect(await jobs.acquireLease(evil, 60)).toMatchObject({
        job_id: evil,
        payload: evil,
        locked_by: evil,
      })
      expect(await jobs.releaseLease(id, evil, 'failed', evil)).toBe(true)
      expect(
        await shared().query(`SELECT job_id, last_error FROM processing_jobs WHERE id = '${id}'`),
      ).toEqual([{ job_id: evil, last_error: evil }])
    })
  },
}
