/** An IntervalScheduler on a manual clock: what its options mean, and its edges. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseSchedulerOptions } from '../../../src/compat/interval-scheduler/scheduler-options.ts'
import {
  Evertick,
  type IntervalJob,
  IntervalScheduler,
  type IntervalSchedulerOptions,
  type JobContext,
  JobRepository,
} from '../../../src/index.ts'
import { ManualClock, openTestNode, type TestNode } from '../../../src/testing/index.ts'
import { until } from '../../process/until.ts'

async function open(
  options: IntervalSchedulerOptions = {},
): Promise<{ node: TestNode; scheduler: IntervalScheduler }> {
  const node = await openTestNode()
  const scheduler = new IntervalScheduler({ evertick: node.evertick, ...options })
  await scheduler.start()
  onTestFinished(async () => {
    await scheduler.stop()
    await node.stop()
  })
  return { node, scheduler }
}

/** A job that runs until it is told to end. */
function gate() {
  const entered = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  return { entered: entered.promise, leave: left.resolve, work: () => (entered.resolve(), left.promise) }
}

describe('running jobs', () => {
  test('a job runs every interval, with itself and its context', async () => {
    const ran: [IntervalJob, JobContext][] = []
    const { node, scheduler } = await open({ execute: (job, context) => void ran.push([job, context]) })
    await scheduler.createJob({ name: 'site-a', interval_minutes: 30, input: { url: 'https://a' } })
    await node.advance('65m')
    expect(ran.map(([, { scheduledFor }]) => scheduledFor.toISOString())).toEqual([
      '2026-01-01T00:30:00.000Z',
      '2026-01-01T01:00:00.000Z',
    ])
    expect(ran[0]?.[0]).toMatchObject({ name: 'site-a', interval_minutes: 30, status: 'running' })
    expect(ran[0]?.[1].input).toEqual({ url: 'https://a' })
  })

  test('no job stands for the handlers themselves', async () => {
    const { scheduler } = await open({ handlers: { crawl: () => {}, index: () => {} } })
    expect((await scheduler.jobs.list()).jobs).toEqual([])
  })

  test('a job names its handler; a name that is a handler is enough, and so is the only one', async () => {
    const ran: string[] = []
    const { node, scheduler } = await open({
      handlers: {
        crawl: (job) => void ran.push(`crawl ${job.name}`),
        index: (job) => void ran.push(`index ${job.name}`),
      },
    })
    await scheduler.createJob({ name: 'site-a', handler: 'crawl' })
    await scheduler.createJob({ name: 'index' })
    await node.settle()
    expect(ran.toSorted()).toEqual(['crawl site-a', 'index index'])
    await expect(scheduler.createJob({ name: 'site-b' })).rejects.toMatchObject({
      code: 'invalid_option',
      field: 'handler',
      next: "Write handler: 'crawl' or 'index'.",
    })
    const only = new IntervalScheduler({ evertick: node.evertick, handlers: { crawl: () => {} } })
    expect((await only.createJob({ name: 'site-c', interval_minutes: 5 })).handler).toEqual({
      type: 'function',
      name: 'crawl',
    })
  })

  test('cancel aborts the signal of a run that goes on', async () => {
    let reason: unknown
    const { node, scheduler } = await open({
      execute: async (_job, { signal }) => {
        await node.clock.sleep(3_600_000, signal)
        reason = signal.reason
        signal.throwIfAborted()
      },
    })
    const { id } = await scheduler.createJob({ name: 'long', interval_minutes: 5 })
    await node.advance('6m')
    expect((await scheduler.jobs.get(id)).status).toBe('running')
    await scheduler.cancelJob(id)
    await node.advance('10s')
    expect(reason).toBeInstanceOf(Error)
    expect((await scheduler.jobs.get(id)).status).toBe('cancelled')
    expect((await node.executions('long'))[0]).toMatchObject({ state: 'cancelled' })
  })

  test('the back-off doubles from its base, and stops at one hour', async () => {
    const at: number[] = []
    const { node, scheduler } = await open({
      metricsInterval: '1d',
      execute: () => {
        at.push(node.clock.now())
        throw new Error('down')
      },
    })
    await scheduler.createJob({
      name: 'down',
      interval_minutes: 1,
      interval_type: 'days',
      max_retries: 6,
      retry: { base: '10m' },
    })
    await node.advance('29h')
    const minutes = at.slice(1).map((time, index) => (time - (at[index] ?? 0)) / 60_000)
    expect(minutes).toEqual([10, 20, 40, 60, 60, 60])
  })
})

describe('locks', () => {
  test('what is held by hand is not run, and costs no attempt; once it is free, it runs', async () => {
    const attempts: number[] = []
    const { node, scheduler } = await open({ execute: (_job, { attempt }) => void attempts.push(attempt) })
    const { id } = await scheduler.createJob({ name: 'a', interval_minutes: 10 })
    const lock = await scheduler.jobs.acquireLock(id)
    expect(await scheduler.jobs.acquireLock(id)).toBeNull()
    await lock?.extend('20m')
    await node.advance('15m')
    expect(attempts).toEqual([])
    expect(await scheduler.jobs.releaseLock(id, 'wrong')).toBe(false)
    expect(await scheduler.jobs.releaseLock(id, lock?.token ?? '')).toBe(true)
    await node.advance('11s')
    expect(attempts).toEqual([1])
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })

  test('a run holds the lock of its job, and keeps it however long it takes', async () => {
    const { node, scheduler } = await open({
      execute: (_job, { signal }) => node.clock.sleep(3_600_000, signal),
    })
    const { id } = await scheduler.createJob({ name: 'a', interval_minutes: 90 })
    await node.advance('91m')
    for (let minute = 0; minute < 50; minute += 10) {
      await node.advance('10m')
      expect(await scheduler.jobs.acquireLock(id)).toBeNull()
    }
    await node.advance('15m')
    const lock = await scheduler.jobs.acquireLock('a', 'my-token')
    expect(lock).toMatchObject({ token: 'my-token', fence: 2 })
  })

  test('a run whose lock was taken from it is aborted', async () => {
    let reason: unknown
    const { node, scheduler } = await open({
      execute: async (_job, { signal }) => {
        await node.clock.sleep(3_600_000, signal)
        reason = signal.reason
      },
    })
    const { id } = await scheduler.createJob({ name: 'a', interval_minutes: 90 })
    await node.advance('91m')
    await node.evertick.locks.release(`job:${id}`)
    await node.advance('11s')
    expect(reason).toMatchObject({ code: 'lock_lost' })
  })

  test('stale locks and leases are counted and taken back, once their time is over', async () => {
    const { node, scheduler } = await open({ execute: () => {} })
    await scheduler.createJob({ name: 'a', interval_minutes: 10 })
    await scheduler.createJob({ name: 'b', interval_minutes: 10 })
    await scheduler.jobs.acquireLock('a', 'one', { ttl: '1m' })
    await scheduler.jobs.acquireLock('b', 'two', { ttl: '5m' })
    expect(await scheduler.jobs.clearStaleLocks()).toBe(0)
    await node.advance('2m')
    expect(await scheduler.jobs.clearStaleLocks('10m')).toBe(0)
    expect(await scheduler.jobs.clearStaleLocks()).toBe(1)
    expect(await scheduler.jobs.clearStaleLocks()).toBe(0)
    expect(await scheduler.jobs.releaseLock('b', { token: 'two' })).toBe(true)
  })

  test('jobs ready to run are those due, not paused, not locked; longest waiting first', async () => {
    const clock = new ManualClock('2026-01-01T00:00:00Z')
    const jobs = new JobRepository({ database: 'sqlite::memory:', clock })
    onTestFinished(() => jobs.close())
    await jobs.create({ name: 'late', interval_minutes: 10 })
    await jobs.create({ name: 'early', interval_minutes: 5 })
    await jobs.create({ name: 'at-once' })
    await jobs.create({ name: 'not-yet', interval_minutes: 60 })
    await jobs.create({ name: 'paused', interval_minutes: 5, is_paused: true })
    await jobs.create({ name: 'locked', interval_minutes: 5 })
    const ready = async () =>
      (await jobs.getJobsReadyToRun()).map(
        ({ name, next_run_at }) => `${name} ${next_run_at?.toISOString().slice(11, 16)}`,
      )
    expect(await ready()).toEqual(['at-once 00:00'])
    clock.moveTo(clock.now() + 10 * 60_000)
    await jobs.acquireLock('locked')
    expect(await ready()).toEqual(['at-once 00:00', 'early 00:05', 'late 00:10'])
    expect((await jobs.getJobsReadyToRun({ limit: 2 })).map(({ name }) => name)).toEqual(['at-once', 'early'])
  })
})

describe('starting and stopping', () => {
  test('nothing is opened by the constructor; stop without a start is nothing', async () => {
    const scheduler = new IntervalScheduler({ database: 'sqlite:/no/such/folder/x.db' })
    await scheduler.stop()
    await expect(scheduler.start()).rejects.toMatchObject({ name: 'EvertickError' })
  })

  test('stop waits for what runs, then gives the node back without the handlers', async () => {
    const run = gate()
    const { node, scheduler } = await open({ execute: run.work })
    await scheduler.createJob({ name: 'a' })
    await run.entered
    let stopped = false
    const stopping = scheduler.stop().then(() => (stopped = true))
    await until('no function', async () =>
      (await node.evertick.nodes.handlers()).every((name) => name.startsWith('@')),
    )
    expect(stopped).toBe(false)
    run.leave()
    await stopping
    await node.settle()
    expect((await node.executions('a'))[0]?.state).toBe('completed')
    await node.evertick.ping()
  })

  test('a run that does not end in time is aborted', async () => {
    let reason: unknown
    const { node, scheduler } = await open({
      execute: async (_job, { signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        reason = signal.reason
      },
    })
    await scheduler.createJob({ name: 'a' })
    await until('running', async () => node.evertick.running === 1)
    const stopping = scheduler.stop({ timeout: '1s' })
    await until('a timer', () => node.clock.sleeping > 0)
    node.clock.moveTo(node.clock.now() + 1_000)
    await stopping
    expect(reason).toMatchObject({ code: 'not_running' })
  })

  test('it may be started again, with its handlers and its listeners', async () => {
    const { node, scheduler } = await open({ execute: () => 'done' })
    const done: string[] = []
    const off = scheduler.on('execution:completed', ({ job }) => done.push(job))
    await scheduler.createJob({ name: 'first' })
    await node.settle()
    await scheduler.stop()
    await scheduler.createJob({ name: 'second' })
    await scheduler.start()
    await node.settle()
    expect(done).toEqual(['first', 'second'])
    off()
    await scheduler.createJob({ name: 'third' })
    await node.settle()
    expect(done).toEqual(['first', 'second'])
  })
})

describe('intervals', () => {
  test('metrics are a snapshot, as old as their interval allows', async () => {
    const { node, scheduler } = await open({ execute: () => {}, metricsInterval: '30s' })
    await node.settle()
    await scheduler.createJob({ name: 'a', interval_minutes: 60 })
    expect(await scheduler.getMetrics()).toMatchObject({ jobs: { total: 0 } })
    await node.advance('30s')
    expect(await scheduler.getMetrics()).toMatchObject({
      jobs: { total: 1, byStatus: { scheduled: 1 } },
      collectedAt: new Date('2026-01-01T00:00:30Z'),
    })
  })

  test('checkInterval is the poll of the worker, staleLockInterval the sweep of the leader', () => {
    const optionsOf = (options: IntervalSchedulerOptions) => {
      const { node } = parseSchedulerOptions(options)
      return typeof node === 'function' ? node() : null
    }
    expect(optionsOf({ database: 'sqlite::memory:' })).toEqual({
      database: 'sqlite::memory:',
      worker: { poll: 10_000 },
      leader: { sweep: 60_000 },
      queues: { default: { concurrency: 10 } },
    })
    expect(optionsOf({ checkInterval: '1s', staleLockInterval: '5s', concurrency: 3 })).toEqual({
      worker: { poll: 1_000 },
      leader: { sweep: 5_000 },
      queues: { default: { concurrency: 3 } },
    })
  })

  test('work of which nothing has told the node is found by the next check', async () => {
    const database = 'sqlite:file:/checked?vfs=memdb'
    const clock = new ManualClock('2026-01-01T00:00:00Z')
    const foundAt = Promise.withResolvers<number>()
    const scheduler = new IntervalScheduler({ database, clock, execute: () => foundAt.resolve(clock.now()) })
    onTestFinished(() => scheduler.stop())
    await scheduler.createJob({ name: 'a', runNow: false })
    const ran = new Promise<void>((resolve) => scheduler.on('leader:elected', () => resolve()))
    await scheduler.start()
    await ran
    const other = await Evertick.open({ database, clock: new ManualClock('2026-01-01T00:00:00Z') })
    onTestFinished(() => other.stop())
    await other.enqueue('a')
    clock.moveTo(clock.now() + 10_000)
    // The watcher of this clock would have looked at 1:30 only.
    expect(new Date(await foundAt.promise)).toEqual(new Date('2026-01-01T00:00:10Z'))
  })

  test.each([
    [{ checkInterval: '1ms' }, 'checkInterval'],
    [{ staleLockInterval: '1ms' }, 'staleLockInterval'],
    [{ metricsInterval: 0 }, 'metricsInterval'],
    [{ handlers: { crawl: 'crawl' } }, 'handlers'],
    [{ checkIntervall: '10s' }, 'checkIntervall'],
  ])('%j is refused: %s', (options, field) => {
    expect(() => new IntervalScheduler(options as IntervalSchedulerOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_option', field }),
    )
  })

  test('what a given node has been opened with is refused beside it', async () => {
    const node = await openTestNode()
    onTestFinished(() => node.stop())
    expect(() => new IntervalScheduler({ evertick: node.evertick, checkInterval: '1s' })).toThrow(
      expect.objectContaining({ code: 'invalid_option', field: 'checkInterval' }),
    )
  })
})
