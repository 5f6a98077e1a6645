/** What a worker is told, and what is refused: its options, its name, its node, and the instances that wait to be used. */
import { expect, onTestFinished, test } from 'vitest'
import {
  Evertick,
  ProcessingWorker,
  type ProcessingWorkerOptions,
  processingJobService,
  processingWorker,
} from '../../../src/index.ts'
import { ManualClock, openTestNode } from '../../../src/testing/index.ts'

test('start and stop may be called twice', async () => {
  const database = 'sqlite::memory:'
  const worker = new ProcessingWorker({ database, signals: false, processJob: () => {} })
  await worker.stop()
  await Promise.all([worker.start(), worker.start()])
  await worker.start()
  expect(worker.getStatus().running).toBe(true)
  await Promise.all([worker.stop(), worker.stop()])
  await worker.stop()
  expect(worker.getStatus().running).toBe(false)
})

test('a start that fails can be tried again', async () => {
  const worker = new ProcessingWorker({ database: 'sqlite:/nowhere/at/all.db', signals: false })
  await expect(worker.start()).rejects.toMatchObject({ kind: 'unavailable' })
  await expect(worker.start()).rejects.toMatchObject({ kind: 'unavailable' })
  expect(worker.getStatus().running).toBe(false)
  await worker.stop()
})

test('a node that does not serve the queue is refused', async () => {
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  const worker = new ProcessingWorker({ evertick: node.evertick, signals: false, processJob: () => {} })
  await expect(worker.start()).rejects.toMatchObject({ code: 'invalid_option', field: 'evertick' })
  expect(await node.evertick.nodes.handlers()).toEqual(['@check_in', '@http', '@source', '@webhook'])
})

test.each<[string, ProcessingWorkerOptions | object]>([
  ['workerId', { workerId: '' }],
  ['leaseDurationSeconds', { leaseDurationSeconds: 0 }],
  ['leaseDurationSeconds', { leaseDurationSeconds: 0.5 }],
  ['pollIntervalMs', { pollIntervalMs: 1 }],
  ['maxConcurrentJobs', { maxConcurrentJobs: 0 }],
  ['leaseExtensionThresholdPercent', { leaseExtensionThresholdPercent: 100 }],
  ['pollInterval', { pollInterval: 5 }],
])('a wrong %s is refused', (field, options) => {
  expect(() => new ProcessingWorker(options)).toThrow(
    expect.objectContaining({ code: 'invalid_option', field }),
  )
})

test('a worker is a node of its own name, with its own lease, queue and concurrency', async () => {
  const database = 'sqlite:file:/own-node?vfs=memdb'
  const worker = new ProcessingWorker({
    database,
    workerId: 'worker-1',
    leaseDurationSeconds: 120,
    maxConcurrentJobs: 3,
    queue: 'mail',
    signals: false,
    processJob: () => {},
  })
  const evertick = await Evertick.open({ database })
  onTestFinished(async () => {
    await worker.stop()
    await evertick.stop()
  })
  await worker.start()
  expect(await evertick.nodes.list()).toMatchObject([
    { id: 'worker-1', roles: ['scheduler', 'worker'], queues: { mail: 3 }, leaseMs: 120_000 },
  ])
  expect(await evertick.nodes.handlers()).toEqual([
    '@check_in',
    '@http',
    '@source',
    '@webhook',
    'processing:mail',
  ])
})

test('without a name of its own, host, process and time make one', () => {
  const clock = new ManualClock('2026-01-01T00:00:00Z')
  const worker = new ProcessingWorker({ database: 'sqlite::memory:', clock })
  expect(worker.workerId).toMatch(new RegExp(`^.+-${process.pid}-${clock.now()}$`))
  expect(worker.getStatus().workerId).toBe(worker.workerId)
})

test('the instances do nothing before their first use', async () => {
  expect(processingWorker).toBeInstanceOf(ProcessingWorker)
  expect(processingWorker.getStatus()).toMatchObject({ running: false, activeJobs: 0 })
  await processingJobService.close()
})
