/** Phases 2 and 4: the repositories, and what the routes will answer with. */
import { expect, test } from 'vitest'
import { ExecutionRepository, JobRepository } from '../../../../src/index.ts'
import { broken, open } from './open.ts'

export function phase2(): void {
  test('getJobsReadyToRun gives what is due, and neither what is paused nor what is locked', async () => {
    const { node } = await open()
    // A database on which nobody runs: what is due stays due.
    await node.evertick.leader.stepDown()
    const jobs = new JobRepository(node.evertick)
    await node.evertick.queues.pause('default')
    for (const name of ['due', 'locked', 'paused'])
      await jobs.create({ name, interval_minutes: 5, handler: 'interval-scheduler' })
    await jobs.pauseJob('paused')
    await jobs.create({
      name: 'later',
      interval_minutes: 5,
      interval_type: 'hours',
      handler: 'interval-scheduler',
    })
    expect(await jobs.getJobsReadyToRun()).toEqual([])
    await node.advance('5m')
    await jobs.acquireLock('locked')
    const ready = await jobs.getJobsReadyToRun()
    expect(ready.map(({ name, next_run_at }) => [name, next_run_at])).toEqual([
      ['due', new Date('2026-01-01T00:05:00Z')],
    ])
  })

  test('acquireLock is given to one, releaseLock needs its token', async () => {
    const { node, scheduler, another } = await open()
    const { id } = await scheduler.createJob({ name: 'crawl', interval_minutes: 60 })
    const { scheduler: other } = await another()
    const lock = await scheduler.jobs.acquireLock(id, '0b7c1c0e-0000-4000-8000-000000000001')
    expect(lock).toMatchObject({ token: '0b7c1c0e-0000-4000-8000-000000000001', fence: 1 })
    expect(await other.jobs.acquireLock(id)).toBeNull()
    expect(await other.jobs.releaseLock(id, 'another token')).toBe(false)
    expect(await scheduler.jobs.releaseLock(id, lock?.token ?? '')).toBe(true)
    expect(await other.jobs.acquireLock(id)).toMatchObject({ fence: 2 })
    await expect(other.jobs.acquireLock('nobody')).rejects.toMatchObject({ code: 'job_not_found' })
    expect(await node.evertick.locks.list()).toContainEqual(
      expect.objectContaining({ name: `job:${id}`, fence: 2 }),
    )
  })

  test('clearStaleLocks takes back what was abandoned, and says how many', async () => {
    const { node, scheduler } = await open()
    await scheduler.createJob({ name: 'crawl', interval_minutes: 600 })
    await scheduler.jobs.acquireLock('crawl', undefined, { ttl: '1m' })
    expect(await scheduler.jobs.clearStaleLocks()).toBe(0)
    await node.advance('2m')
    expect(await scheduler.jobs.clearStaleLocks()).toBe(1)
    expect((await node.evertick.locks.list()).map(({ name }) => name)).toEqual(['leader'])
  })

  test('pauseJob, resumeJob and cancelJob', async () => {
    const { node, scheduler } = await open()
    const { id } = await scheduler.createJob({ name: 'crawl', interval_minutes: 10 })
    expect(await scheduler.jobs.pauseJob(id, { reason: 'maintenance' })).toMatchObject({
      status: 'paused',
      is_paused: true,
      next_run_at: null,
      pausedReason: 'maintenance',
    })
    await node.advance('35m')
    expect(await node.executions('crawl')).toEqual([])
    expect(await scheduler.jobs.resumeJob(id)).toMatchObject({
      status: 'scheduled',
      is_paused: false,
      next_run_at: new Date('2026-01-01T00:40:00Z'),
    })
    expect(await scheduler.jobs.cancelJob(id)).toMatchObject({ status: 'cancelled', next_run_at: null })
  })

  test('getJobStats and getAggregateStats', async () => {
    const { node, scheduler } = await open({
      execute: async ({ name }, { signal }) => {
        await node.clock.sleep(name === 'fast' ? 1_000 : 3_000, signal)
        if (name === 'bad') broken()
      },
    })
    await scheduler.createJob({ name: 'fast', interval_minutes: 10 })
    await scheduler.createJob({ name: 'bad', interval_minutes: 25, max_retries: 0 })
    await node.advance('35m')
    const runs = new ExecutionRepository(node.evertick)
    expect(await runs.getJobStats('fast')).toMatchObject({
      total: 3,
      completed: 3,
      failed: 0,
      successRate: 1,
      avgDurationMs: 1_000,
      lastExecution: { state: 'completed', scheduledFor: new Date('2026-01-01T00:30:00Z') },
    })
    expect(await runs.getJobStats('bad')).toMatchObject({ successRate: 0, avgDurationMs: 3_000 })
    expect(await runs.getAggregateStats()).toMatchObject({
      total: 4,
      completed: 3,
      failed: 1,
      successRate: 0.75,
      avgDurationMs: 1_500,
      jobs: { total: 2, byStatus: { scheduled: 2 } },
      executions: { total: 4, completed: 3, failed: 1, running: 0 },
      staleLeases: 0,
    })
  })
}

export function crud(): void {
  test('jobs are created, read, listed by pages, changed and deleted', async () => {
    const { url, node, scheduler } = await open()
    const jobs = new JobRepository({ database: url, clock: node.clock })
    for (const name of ['a', 'b', 'c']) await jobs.create({ name, interval_minutes: 30, metadata: { name } })
    const { jobs: page, nextCursor } = await jobs.list({ limit: 2 })
    expect(page.map(({ name }) => name)).toEqual(['a', 'b'])
    expect((await jobs.list({ cursor: nextCursor ?? '' })).jobs).toMatchObject([
      { name: 'c', metadata: { name: 'c' } },
    ])
    expect(
      await jobs.update('a', { interval_minutes: 2, interval_type: 'hours', max_retries: 1 }),
    ).toMatchObject({
      interval_minutes: 2,
      interval_type: 'hours',
      max_retries: 1,
      revision: 2,
    })
    await jobs.delete('b')
    await expect(jobs.get('b')).rejects.toMatchObject({ code: 'job_not_found' })
    await expect(jobs.create({ name: 'a', interval_minutes: 1 })).rejects.toMatchObject({
      code: 'job_exists',
    })
    expect(await jobs.countByStatus()).toEqual({ scheduled: 2 })
    expect((await scheduler.jobs.get('a')).id).toBe(page[0]?.id)
    await jobs.close()
  })

  test('runs are listed and read; the engine alone writes them', async () => {
    const { url, node, scheduler } = await open({ execute: () => ({ pages: 3 }) })
    await scheduler.createJob({ name: 'crawl', interval_minutes: 10 })
    await node.advance('35m')
    const runs = new ExecutionRepository({ database: url, clock: node.clock })
    const { executions, nextCursor } = await runs.list({ job: 'crawl', limit: 2 })
    expect(executions.map(({ scheduledFor }) => scheduledFor.toISOString().slice(11, 16))).toEqual([
      '00:30',
      '00:20',
    ])
    const rest = await runs.list({ job: 'crawl', limit: 2, cursor: nextCursor ?? '' })
    expect(rest).toMatchObject({
      executions: [{ scheduledFor: new Date('2026-01-01T00:10:00Z') }],
      nextCursor: null,
    })
    expect(await runs.get(executions[0]?.id ?? '')).toMatchObject({
      job: 'crawl',
      state: 'completed',
      result: { pages: 3 },
      attempts: [{ attempt: 1, outcome: 'completed' }],
    })
    await runs.close()
  })
}

/** The routes themselves come with the server; these are the use cases behind them. */
export function phase4(): void {
  test('pause, resume, cancel and retry, by id or by name', async () => {
    const { node, scheduler } = await open({ execute: broken })
    const { id } = await scheduler.createJob({ name: 'crawl', interval_minutes: 10, max_retries: 0 })
    expect((await scheduler.pauseJob(id)).status).toBe('paused')
    expect((await scheduler.resumeJob('crawl')).status).toBe('scheduled')
    await node.advance('11m')
    const retried = await scheduler.retryJob(id)
    expect(retried).toMatchObject({ state: 'pending', scheduledFor: new Date('2026-01-01T00:10:00Z') })
    await node.settle()
    expect((await scheduler.cancelJob(id)).status).toBe('cancelled')
  })

  test('the answers have the success rate, the durations and the last run; the counts; and pages of the history', async () => {
    const { node, scheduler } = await open()
    await scheduler.createJob({ name: 'crawl', interval_minutes: 10 })
    await node.advance('35m')
    expect(Object.keys(await scheduler.executions.getJobStats('crawl'))).toEqual([
      'total',
      'completed',
      'failed',
      'cancelled',
      'successRate',
      'avgDurationMs',
      'p50Ms',
      'p95Ms',
      'p99Ms',
      'lastExecution',
    ])
    expect(Object.keys(await scheduler.getMetrics())).toEqual([
      'jobs',
      'executions',
      'successRate',
      'avgDurationMs',
      'staleLeases',
      'collectedAt',
    ])
    const { executions, nextCursor } = await scheduler.executions.list({ job: 'crawl', limit: 1 })
    expect(executions).toHaveLength(1)
    expect(nextCursor).toBe(executions[0]?.id)
  })
}
