/** Signals to a process with workers in it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { Evertick, ProcessingJobRepository } from '../../../src/index.ts'
import { Child, endChildren } from '../../process/child.ts'

afterEach(endChildren)

function newDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-processing-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return `sqlite:${join(folder, 'app.db')}`
}

test('of two workers in one process both stop before it ends', async () => {
  const database = newDatabase()
  const config = { database, workerId: 'one', beside: 'two', hang: 'never', leaseDurationSeconds: 60 }
  const child = new Child('processing-node.ts', config)
  await child.heard('ready')
  const evertick = await Evertick.open({ database })
  onTestFinished(() => evertick.stop())
  const nodes = async () => (await evertick.nodes.list()).map(({ id }) => id).toSorted()
  expect(await nodes()).toEqual(['one', 'two'])
  child.send('SIGTERM')
  expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' })
  expect(await nodes()).toEqual([])
  expect(child.stderr).toBe('')
})

test('a worker that is killed keeps its lease, and no more than that', async () => {
  const database = newDatabase()
  const child = new Child('processing-node.ts', {
    database,
    workerId: 'one',
    hang: 'before',
    leaseDurationSeconds: 60,
  })
  await child.heard('ready')
  const jobs = new ProcessingJobRepository({ database })
  onTestFinished(() => jobs.close())
  const { id } = await jobs.createJob({})
  await child.heard('started')
  child.send('SIGKILL')
  await child.exited
  expect(await jobs.findById(id)).toMatchObject({ status: 'processing', locked_by: 'one', attempts: 1 })
  expect(await jobs.resetExpiredLeases()).toBe(0)
  expect(await jobs.acquireLease('two', 60)).toBeNull()
})
