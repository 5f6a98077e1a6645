/** Phase 3, and the decisions behind it: intervals, locks, back-off, metrics, states. */

import { expect, test } from 'vitest'
import { contextOf } from '../../../../src/app/app-context.ts'
import { parseSchedulerOptions } from '../../../../src/compat/interval-scheduler/scheduler-options.ts'
import { isTransition } from '../../../../src/core/job/job-status.ts'
import { type Evertick, IntervalScheduler, type JobStatus, nextTicks } from '../../../../src/index.ts'
import { until } from '../../../process/until.ts'
import { broken, open } from './open.ts'

const minutesOf = (instants: readonly (Date | number)[]) =>
  instants.map((at) => new Date(at).toISOString().slice(11, 16))

/** A run of the job, held by a node that will never say another word. */
async function claimByDeadNode(evertick: Evertick, job: string): Promise<void> {
  const { store, clock } = contextOf(evertick)
  const now = clock.now()
  const dead = { id: 'dead', host: 'h', pid: 1, roles: ['worker'], queues: {}, version: '0', leaseMs: 10_000 }
  await store.cluster.registerNode({ ...dead, startedAt: now, seenAt: now }, ['interval-scheduler'])
  const { id } = await evertick.jobs.trigger(job)
  const claim = { nodeId: 'dead', queue: 'default', limit: 1, start: 1, now, readyBy: now, leaseMs: 10_000 }
  const { claimed } = await store.work.claimExecutions(claim)
  expect(claimed.map((execution) => execution.id)).toEqual([id])
}

export function phase3(): void {
  test('the database is checked every 10 s, stale leases every minute, metrics every 30 s; all are options', () => {
    const parsed = parseSchedulerOptions({ database: 'postgres://localhost/crawler' })
    expect(parsed).toMatchObject({ checkMs: 10_000, metricsMs: 30_000 })
    expect((parsed.node as () => object)()).toMatchObject({
      worker: { poll: 10_000 },
      leader: { sweep: 60_000 },
    })
  })

  test('the lease of a node that died is taken back by the next sweep, and its job runs elsewhere', async () => {
    const ran: number[] = []
    const { node, scheduler } = await open(
      { execute: (_job, { attempt }) => void ran.push(attempt), metricsInterval: '30s' },
      { worker: { lease: '10s' }, leader: { lease: '12h', heartbeat: '3h', sweep: '1m' } },
    )
    await scheduler.createJob({ name: 'crawl', interval_minutes: 60 })
    await scheduler.stop()
    await claimByDeadNode(node.evertick, 'crawl')
    await scheduler.start()
    await node.advance('59s')
    expect(ran).toEqual([])
    expect(await scheduler.getMetrics()).toMatchObject({ executions: { running: 1 }, staleLeases: 1 })
    await node.advance('5s')
    expect(ran).toEqual([2])
  })

  test('metrics are collected in the background', async () => {
    const { node, scheduler } = await open({ metricsInterval: '30s' })
    await node.settle()
    const before = await scheduler.getMetrics()
    await scheduler.createJob({ name: 'crawl', interval_minutes: 60 })
    expect(await scheduler.getMetrics()).toBe(before)
    await node.advance('30s')
    expect(await scheduler.getMetrics()).toMatchObject({ jobs: { total: 1 } })
  })

  test('a job that runs can be cancelled: its signal is aborted', async () => {
    const reasons: unknown[] = []
    const { node, scheduler } = await open({
      execute: async (_job, { signal }) => {
        await node.clock.sleep(3_600_000, signal)
        reasons.push(signal.aborted)
        signal.throwIfAborted()
      },
    })
    const { id } = await scheduler.createJob({ name: 'crawl' })
    await node.advance('1s')
    expect((await scheduler.jobs.get(id)).status).toBe('running')
    await scheduler.cancelJob(id)
    await node.advance('5s')
    expect(reasons).toEqual([true])
    expect((await scheduler.jobs.get(id)).status).toBe('cancelled')
  })
}

export function gracefulShutdown(): void {
  test('a stop waits for what runs; what falls due meanwhile waits for the next start', async () => {
    const entered = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const { node, scheduler, another } = await open({
      execute: () => (entered.resolve(), left.promise),
    })
    await scheduler.createJob({ name: 'crawl', interval_minutes: 10 })
    await scheduler.createJob({ name: 'now' })
    await entered.promise
    const stopping = scheduler.stop()
    const isBuiltIn = (handler: string) => handler.startsWith('@')
    await until('the handler to go', async () => (await node.evertick.nodes.handlers()).every(isBuiltIn))
    left.resolve()
    await stopping
    await node.settle()
    expect((await node.executions('now'))[0]?.state).toBe('completed')
    await node.advance('10m')
    expect((await node.executions('crawl'))[0]?.state).toBe('pending')
    await another()
    await until('the next process', async () => (await node.executions('crawl'))[0]?.state === 'completed')
  })
}

export function intervals(): void {
  test('every so many minutes, hours or days, counted from the creation, without drift', async () => {
    const { node, scheduler } = await open()
    const created = await Promise.all([
      scheduler.createJob({ name: 'minutes', interval_minutes: 30 }),
      scheduler.createJob({ name: 'hours', interval_minutes: 6, interval_type: 'hours' }),
      scheduler.createJob({ name: 'days', interval_minutes: 1, interval_type: 'days' }),
    ])
    expect(created.map(({ next_run_at }) => next_run_at)).toEqual([
      new Date('2026-01-01T00:30:00Z'),
      new Date('2026-01-01T06:00:00Z'),
      new Date('2026-01-02T00:00:00Z'),
    ])
    await node.advance('100m')
    const runs = await node.executions('minutes')
    expect(minutesOf(runs.map(({ scheduledFor }) => scheduledFor))).toEqual(['00:30', '01:00', '01:30'])
    const [next] = nextTicks(
      { every: '30m', anchor: '2026-01-01T00:00:00Z' },
      { from: new Date(node.clock.now()), count: 1 },
    )
    expect((await scheduler.jobs.get('minutes')).next_run_at).toEqual(next)
  })
}

export function history(): void {
  test('each run is kept beside the others, and by default 100 runs or 30 days of them', async () => {
    let run = 0
    const { node, scheduler } = await open({ execute: () => (run += 1) })
    const { name } = await scheduler.createJob({ name: 'crawl', interval_minutes: 10 })
    await node.advance('35m')
    expect((await node.executions(name)).map(({ result }) => result)).toEqual([1, 2, 3])
    const { retention } = await node.evertick.jobs.get(name)
    expect(retention).toMatchObject({ executions: 100, age: '30d' })
  })
}

export function retention(): void {
  test('old runs go by themselves: nobody has to archive them', async () => {
    const { node, scheduler } = await open()
    await scheduler.createJob({
      name: 'crawl',
      interval_minutes: 10,
      retention: { executions: 5, age: '1h' },
    })
    await node.advance('3h')
    const left = await node.executions('crawl')
    expect(left.length).toBeGreaterThan(0)
    expect(left.length).toBeLessThan(10)
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })
}

export function locking(): void {
  test('of many instances that want a lock at once, one gets it', async () => {
    const { scheduler, another } = await open()
    const { id } = await scheduler.createJob({ name: 'crawl', interval_minutes: 60 })
    const schedulers = [scheduler, (await another()).scheduler, (await another()).scheduler]
    for (let round = 1; round <= 5; round += 1) {
      const asked = [...schedulers, ...schedulers, ...schedulers].map(({ jobs }) => jobs.acquireLock(id))
      const locks = (await Promise.all(asked)).filter((lock) => lock !== null)
      expect(locks).toHaveLength(1)
      expect(locks[0]?.fence).toBe(round)
      expect(await locks[0]?.release()).toBe(true)
    }
  })

  test('a lock that is held by hand and a run keep each other out', async () => {
    const ran: string[] = []
    const { node, scheduler } = await open({
      execute: async ({ name }, { signal }) => {
        ran.push(name)
        await node.clock.sleep(60_000, signal)
      },
    })
    const { id } = await scheduler.createJob({ name: 'crawl', interval_minutes: 10 })
    const lock = await scheduler.jobs.acquireLock(id, undefined, { ttl: '1h' })
    await node.advance('15m')
    expect(ran).toEqual([])
    await lock?.release()
    await node.advance('10s')
    expect(ran).toEqual(['crawl'])
    expect(await scheduler.jobs.acquireLock(id)).toBeNull()
    await node.advance('1m')
    expect(await scheduler.jobs.acquireLock(id)).toMatchObject({ fence: 3 })
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })
}

export function backoff(): void {
  test('base × 2^(attempt-1), at most one hour', async () => {
    const at: number[] = []
    const { node, scheduler } = await open({ execute: () => (at.push(node.clock.now()), broken()) })
    const retry = { base: '10m' } as const
    await scheduler.createJob({
      name: 'crawl',
      interval_minutes: 2,
      interval_type: 'days',
      max_retries: 5,
      retry,
    })
    await scheduler.jobs.update('crawl', { priority: 1 })
    await node.evertick.jobs.trigger('crawl')
    await node.advance('5h')
    const waits = at.slice(1).map((time, index) => (time - (at[index] ?? 0)) / 60_000)
    expect(waits).toEqual([10, 20, 40, 60, 60])
    const [execution] = await node.executions('crawl')
    expect(execution).toMatchObject({ state: 'failed', attempt: 6, error: { message: 'the source is down' } })
  })

  test('the count of retries shows while they last', async () => {
    const { node, scheduler } = await open({ execute: broken })
    await scheduler.createJob({ name: 'crawl', interval_minutes: 60, max_retries: 3, retry: { base: '1m' } })
    await node.advance('62m')
    expect(await scheduler.jobs.get('crawl')).toMatchObject({ current_retry_count: 1, max_retries: 3 })
  })
}

export function options(): void {
  test('configuration is by options; one that is not known is an error with a suggestion', () => {
    expect(() => new IntervalScheduler({ checkIntervl: '10s' } as object)).toThrow(
      expect.objectContaining({ code: 'invalid_option', next: 'Did you mean "checkInterval"?' }),
    )
  })
}

export function metrics(): void {
  test('many readers at once, while jobs run, all see one whole snapshot', async () => {
    const { node, scheduler } = await open({ metricsInterval: '30s' })
    for (let index = 0; index < 20; index += 1) await scheduler.createJob({ name: `job-${index}` })
    await node.advance('31s')
    const read = await Promise.all(Array.from({ length: 50 }, () => scheduler.getMetrics()))
    expect(new Set(read).size).toBe(1)
    expect(read[0]).toMatchObject({
      jobs: { total: 20, byStatus: { completed: 20 } },
      executions: { total: 20, completed: 20, running: 0, failed: 0 },
      successRate: 1,
    })
  })
}

export function stateMachine(): void {
  test('an action that makes no sense is refused, and the error names both statuses', async () => {
    const { node, scheduler } = await open()
    const { id } = await scheduler.createJob({ name: 'crawl', interval_minutes: 10 })
    await expect(scheduler.resumeJob(id)).rejects.toMatchObject({
      code: 'invalid_transition',
      message: expect.stringMatching(/it is scheduled, .* paused becomes scheduled/) as string,
    })
    await expect(scheduler.retryJob(id)).rejects.toMatchObject({ code: 'invalid_transition' })
    await scheduler.pauseJob(id)
    await expect(scheduler.pauseJob(id)).rejects.toMatchObject({ code: 'invalid_transition' })
    await scheduler.cancelJob(id)
    await expect(scheduler.cancelJob(id)).rejects.toMatchObject({ code: 'invalid_transition' })
    await expect(scheduler.resumeJob(id)).rejects.toMatchObject({ code: 'invalid_transition' })
    await node.settle()
  })

  test('whatever happens to a job, its status goes only where the table says', async () => {
    const { node, scheduler } = await open({
      execute: async (_job, { attempt, signal }) => {
        await node.clock.sleep(60_000, signal)
        if (attempt < 3) broken()
      },
    })
    const seen = new Map<string, JobStatus[]>()
    const look = async () => {
      for (const { name, status } of (await scheduler.jobs.list()).jobs) {
        const before = seen.get(name) ?? []
        if (before.at(-1) !== status) seen.set(name, [...before, status])
      }
    }
    await scheduler.createJob({ name: 'recurring', interval_minutes: 60, retry: { base: '2m' } })
    await scheduler.createJob({ name: 'once', max_retries: 1, retry: { base: '2m' } })
    await look()
    // How soon the one starts is the node's business: on a busy machine it may be made or run before anybody has looked.
    const [first] = seen.get('once') ?? []
    if (first === 'running') seen.set('once', ['scheduled', 'running'])
    if (first === 'pending') seen.set('once', ['scheduled'])
    for (let step = 0; step < 160; step += 1) {
      await node.advance('30s')
      await look()
    }
    await node.evertick.queues.pause('default')
    await scheduler.retryJob('once')
    await look()
    await scheduler.pauseJob('recurring')
    await look()
    await scheduler.resumeJob('recurring')
    await look()
    await scheduler.cancelJob('recurring')
    await look()
    expect(Object.fromEntries(seen)).toEqual({
      recurring: [
        'scheduled',
        'running',
        'scheduled',
        'running',
        'scheduled',
        'running',
        'scheduled',
        'paused',
        'scheduled',
        'cancelled',
      ],
      once: ['scheduled', 'running', 'pending', 'running', 'failed', 'pending'],
    })
    for (const statuses of seen.values()) {
      const illegal = statuses.slice(1).filter((to, index) => !isTransition(statuses[index] as JobStatus, to))
      expect(illegal).toEqual([])
    }
  })
}
