/** The demo of the lease-based workers, as its README says. The crash is walked with document 002. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { root, runCommand } from '../../scripts/run-command.ts'
import { Child, endChildren } from '../process/child.ts'
import { until } from '../process/until.ts'

const demo = 'examples/processing-worker/demo-lease-worker.ts'

afterEach(endChildren)

test('it packs what create-jobs has made, and ends at Ctrl-C', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-demo-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  vi.stubEnv('EVERTICK_DATA_DIR', folder)
  const created = await runCommand(process.execPath, [join(root, demo), 'create-jobs', '0'])
  expect(created.ok ? 'ended well' : created.text).toBe('ended well')
  expect(created.stdout.match(/created order-\d+-\d: (tea|bread|honey) \(pending\)/g)).toHaveLength(3)
  const worker = new Child(`../../${demo}`, {})
  const lines = () => worker.all('text').map(({ line }) => String(line))
  await until('three orders', () => lines().filter((line) => line.includes('booked 1 time(s)')).length === 3)
  expect(lines().filter((line) => /is done: (tea|bread|honey) is on its way/.test(line))).toHaveLength(3)
  expect(lines().some((line) => line.includes(`kill -9 ${worker.pid}`))).toBe(true)
  worker.send('SIGINT')
  expect(await worker.exited).toEqual({ code: null, signal: 'SIGINT' })
  expect(worker.stderr).toBe('')
  const db = new DatabaseSync(join(folder, 'processing-demo.db'))
  expect(db.prepare('SELECT DISTINCT status, attempts FROM processing_jobs').all()).toEqual([
    { status: 'done', attempts: 1 },
  ])
  db.close()
})
