/** Backward compatibility, and the checklists of the page. */
import { expect, test } from 'vitest'
import { until } from '../../../process/until.ts'
import { broken, open } from './open.ts'

export function migrationStrategy(): void {
  test('common crons become intervals with the same ticks; others are reported for a person', async () => {
    const { node, scheduler } = await open()
    await scheduler.createJob({ name: 'often', schedule_time: '*/15 * * * *' })
    await scheduler.createJob({ name: 'daily', schedule_time: '30 6 * * *' })
    await scheduler.createJob({ name: 'office', schedule_time: '0 9,17 * * 1-5' })
    const before = await node.evertick.jobs.upcoming('daily')
    const dry = await node.evertick.jobs.convert({ dryRun: true })
    const report = await node.evertick.jobs.convert({ actor: 'migration' })
    expect(report).toEqual(dry)
    expect(report).toEqual({
      converted: 2,
      intervals: [
        { job: 'daily', cron: '30 6 * * *', every: '1d' },
        { job: 'often', cron: '*/15 * * * *', every: '15m' },
      ],
      manual: [{ job: 'office', cron: '0 9,17 * * 1-5', why: 'it runs only on some days: weekday "1-5"' }],
    })
    expect(await node.evertick.jobs.upcoming('daily')).toEqual(before)
  })

  test('the cron is kept, and comes back; a job that was changed since is left to a person', async () => {
    const { node, scheduler } = await open()
    await scheduler.createJob({ name: 'often', schedule_time: '*/15 * * * *' })
    await scheduler.createJob({ name: 'changed', schedule_time: '0 * * * *' })
    await scheduler.createJob({ name: 'moved', schedule_time: '0 * * * *' })
    await node.evertick.jobs.convert()
    expect(await scheduler.jobs.get('often')).toMatchObject({
      interval_minutes: 15,
      schedule_time: '*/15 * * * *',
    })
    await scheduler.jobs.update('changed', { interval_minutes: 45 })
    await node.evertick.jobs.update('moved', { schedule: { cron: '5 * * * *' } })
    const report = await node.evertick.jobs.convert({ back: true, actor: 'rollback' })
    expect(report).toEqual({
      converted: 2,
      intervals: [
        { job: 'changed', cron: '0 * * * *', every: '45m' },
        { job: 'often', cron: '*/15 * * * *', every: '15m' },
      ],
      manual: [
        {
          job: 'moved',
          cron: '0 * * * *',
          why: 'it is no longer an interval: its schedule has changed',
        },
      ],
    })
    expect(await scheduler.jobs.get('often')).toMatchObject({
      interval_minutes: null,
      schedule_time: '*/15 * * * *',
    })
    expect(await node.evertick.jobs.convert({ back: true })).toMatchObject({ converted: 0 })
    const { entries } = await node.evertick.auditLog.list({ subject: 'often' })
    expect(entries.map(({ action, actor }) => `${action} by ${actor}`)).toEqual([
      'job.edit by rollback',
      'job.edit by api',
      'job.create by api',
    ])
  })

  test('a job has either or both; the interval wins where both are given', async () => {
    const { node, scheduler } = await open()
    await scheduler.createJob({ name: 'cron', schedule_time: '0 * * * *' })
    await scheduler.createJob({ name: 'both', interval_minutes: 20, schedule_time: '0 * * * *' })
    await node.advance('65m')
    const ran = async (name: string) =>
      (await node.executions(name)).map(({ scheduledFor }) => scheduledFor.toISOString().slice(11, 16))
    expect(await ran('cron')).toEqual(['01:00'])
    expect(await ran('both')).toEqual(['00:20', '00:40', '01:00'])
  })
}

export function apiTests(): void {
  test('an interval job is created, and waits for its first interval', async () => {
    const { scheduler } = await open()
    expect(await scheduler.createJob({ name: 'crawl', interval_minutes: 30 })).toMatchObject({
      status: 'scheduled',
    })
  })

  test('an immediate job runs once, at once', async () => {
    const { node, scheduler } = await open({ execute: () => 'done' })
    await scheduler.createJob({ name: 'crawl' })
    await node.advance('1h')
    expect(await node.executions('crawl')).toMatchObject([{ state: 'completed', result: 'done' }])
    expect(await scheduler.jobs.get('crawl')).toMatchObject({ status: 'completed', next_run_at: null })
  })

  test('a failed job is retried, with the same instant and the same idempotency key', async () => {
    let works = false
    const { node, scheduler } = await open({ execute: () => (works ? 'done' : broken()) })
    await scheduler.createJob({ name: 'crawl', max_retries: 0 })
    await node.advance('1m')
    expect((await scheduler.jobs.get('crawl')).status).toBe('failed')
    works = true
    const retried = await scheduler.retryJob('crawl')
    await node.settle()
    const [failed, done] = await node.executions('crawl')
    expect(done).toMatchObject({ id: retried.id, state: 'completed', retryOf: failed?.id })
    expect(done?.idempotencyKey).toBe(failed?.idempotencyKey)
    expect((await scheduler.jobs.get('crawl')).status).toBe('completed')
  })
}

export function endToEnd(): void {
  test('create → execute → complete → reschedule', async () => {
    const { node, scheduler } = await open()
    const events: string[] = []
    for (const name of ['execution:started', 'execution:completed'] as const) {
      scheduler.on(name, ({ job }) => events.push(`${name} ${job}`))
    }
    await scheduler.createJob({ name: 'crawl', interval_minutes: 10 })
    await node.advance('10m')
    expect(events).toEqual(['execution:started crawl', 'execution:completed crawl'])
    expect(await scheduler.jobs.get('crawl')).toMatchObject({
      status: 'scheduled',
      lastRunAt: new Date('2026-01-01T00:10:00Z'),
      next_run_at: new Date('2026-01-01T00:20:00Z'),
    })
  })

  test('failure and retry', async () => {
    const { node, scheduler } = await open({
      execute: (_job, { attempt }) => (attempt === 3 ? 'done' : broken()),
    })
    await scheduler.createJob({ name: 'crawl', interval_minutes: 60, max_retries: 2, retry: { base: '1m' } })
    await node.advance('65m')
    expect(await node.executions('crawl')).toMatchObject([{ state: 'completed', attempt: 3, result: 'done' }])
    expect(await scheduler.executions.getJobStats('crawl')).toMatchObject({ completed: 1, failed: 0 })
  })

  test('pause and resume', async () => {
    const { node, scheduler } = await open()
    await scheduler.createJob({ name: 'crawl', interval_minutes: 10 })
    await node.advance('10m')
    await scheduler.pauseJob('crawl')
    await node.advance('30m')
    await scheduler.resumeJob('crawl')
    await node.advance('10m')
    const ticks = (await node.ticks('crawl')).map(({ scheduledFor, account, reason }) =>
      [scheduledFor.toISOString().slice(14, 16), account, reason]
        .filter((word) => word !== undefined)
        .join(' '),
    )
    expect(ticks).toEqual([
      '10 fired',
      '20 skipped paused',
      '30 skipped paused',
      '40 skipped paused',
      '50 fired',
    ])
  })

  test('many instances: each run happens once, wherever it happens', async () => {
    const ran: string[] = []
    const instance = (name: string) => ({
      execute: (job: { name: string }, { scheduledFor }: { scheduledFor: Date }) =>
        void ran.push(`${job.name} ${scheduledFor.toISOString()} by ${name}`),
    })
    const { node, scheduler, another } = await open(instance('a'))
    for (const name of ['b', 'c', 'd', 'e']) await another(instance(name))
    for (let index = 0; index < 10; index += 1) {
      // All: on a slow machine the one that leads may be behind the clock, and what it missed must run, too.
      await scheduler.createJob({ name: `crawl-${index}`, interval_minutes: 1, catchUp: 'all' })
    }
    const { executions } = node.evertick
    const runs = async () => (await executions.list({ state: 'running' })).executions
    // In small steps: the clock of the one has settled, the other four may still be at it, and must not lose their leases.
    for (let step = 0; step < 60 || (ran.length < 50 && step < 71); step += 1) {
      await node.advance('5s')
      await until('every run to end', async () => (await runs()).length === 0)
    }
    const done = ran.map((line) => line.replace(/ by .$/, ''))
    expect(done).toHaveLength(50)
    expect(new Set(done).size).toBe(50)
    expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 50 })
  })
}

export function enhancements(): void {
  test('jobs of a higher priority go first', async () => {
    const ran: string[] = []
    const { node, scheduler } = await open(
      { execute: ({ name }) => void ran.push(name) },
      { queues: { default: { concurrency: 1 } } },
    )
    await node.evertick.queues.pause('default')
    await scheduler.createJob({ name: 'low' })
    await scheduler.createJob({ name: 'high', priority: 10 })
    await node.settle()
    await node.evertick.queues.resume('default')
    await node.advance('11s')
    expect(ran).toEqual(['high', 'low'])
  })

  test('many jobs are paused, resumed and cancelled at once', async () => {
    const { node, scheduler } = await open()
    for (const name of ['a', 'b', 'c'])
      await scheduler.createJob({ name, interval_minutes: 5, tags: ['crawler'] })
    const statuses = async () =>
      (await scheduler.jobs.list({ tag: 'crawler' })).jobs.map(({ status }) => status)
    for (const [action, status] of [
      ['pause', 'paused'],
      ['resume', 'scheduled'],
      ['cancel', 'cancelled'],
    ] as const) {
      expect(await node.evertick.jobs.bulk(action, { tag: 'crawler' })).toMatchObject({ changed: 3 })
      expect(await statuses()).toEqual([status, status, status])
    }
  })
}
