/** Small histories of single executions, of fixed delays and of what is kept of them. */
import { describe, expect, it } from 'vitest'
import { defineJob, type JobOptions } from '../../src/index.ts'
import { ManualClock, type TestNode } from '../../src/testing/index.ts'
import {
  afterOutage,
  at,
  databaseFile,
  lasting,
  openNode,
  pass,
  SharedClock,
  secondsOf,
  statesOf,
  t0,
  tally,
} from './support.ts'

describe('fixedDelay of 10 s, runs of 3 s: it goes on, once per delay', () => {
  const delayed = (clock: ManualClock, options: JobOptions = {}) =>
    defineJob({ name: 'job', schedule: { fixedDelay: '10s' }, ...options, run: lasting(clock, 3_000) })
  const instants = async (node: TestNode) =>
    (await node.ticks('job')).map(({ scheduledFor }) => secondsOf(scheduledFor))

  it('left alone', async () => {
    const clock = new ManualClock(t0)
    const node = await openNode({ clock, jobs: [delayed(clock)] })
    await node.advance('50s')
    expect(await instants(node)).toEqual([10, 23, 36, 49])
  })

  it('a trigger at the due instant', async () => {
    const clock = new ManualClock(t0)
    const node = await openNode({ clock, jobs: [delayed(clock)] })
    await node.advance('9800ms')
    await node.evertick.jobs.trigger('job')
    await node.advance('50s')
    // The tick of 10 s waits for the trigger, which ends at 12.8.
    expect(await instants(node)).toEqual([10, 25.8, 38.8, 51.8])
    expect(tally(await node.ticks('job'))).toEqual({ fired: 4 })
    await node.evertick.jobs.trigger('job', { force: true })
    await node.advance('20s')
    expect(await instants(node)).toEqual([10, 25.8, 38.8, 51.8, 64.8, 77.8])
  })

  it('catchUp none + outage', async () => {
    const { url } = databaseFile()
    const clock = new ManualClock(t0)
    const jobs = [delayed(clock, { catchUp: { policy: 'none', grace: '5s' } })]
    const node = await afterOutage(await openNode({ database: url, clock, jobs }), '100s', {
      database: url,
      jobs,
    })
    await node.advance('30s')
    expect(await instants(node)).toEqual([10, 110, 123])
    expect(tally(await node.ticks('job'))).toEqual({ 'skipped: catchup_off': 1, fired: 2 })
  })

  it('pause + resume', async () => {
    const clock = new ManualClock(t0)
    const node = await openNode({ clock, jobs: [delayed(clock)] })
    await node.evertick.jobs.pause('job')
    await node.advance('50s')
    await node.evertick.jobs.resume('job')
    await node.advance('30s')
    expect(await instants(node)).toEqual([10, 60, 73])
    expect(tally(await node.ticks('job'))).toEqual({ 'skipped: paused': 1, fired: 2 })
  })

  it('pause while its tick runs, and resume', async () => {
    const clock = new ManualClock(t0)
    const node = await openNode({ clock, jobs: [delayed(clock)] })
    await node.advance('11s')
    await node.evertick.jobs.pause('job')
    await node.advance('1s')
    await node.evertick.jobs.resume('job')
    await node.advance('28s')
    expect(await instants(node)).toEqual([10, 23, 36])
  })

  it('`onCrash: fail`', async () => {
    const { url } = databaseFile()
    const [frozen, clock] = [new ManualClock(t0), new ManualClock(t0 + 60_000)]
    const leader = { lease: '10s', heartbeat: '3s' } as const
    const crashed = await openNode({
      database: url,
      clock: frozen,
      leader,
      jobs: [delayed(frozen, { onCrash: 'fail' })],
    })
    await crashed.advance('11s')
    const node = await openNode({ database: url, clock, leader, jobs: [delayed(clock, { onCrash: 'fail' })] })
    await node.advance('30s')
    expect(await instants(node)).toEqual([10, 70, 83])
    expect(statesOf(await node.executions('job'))).toEqual({ failed: 1, completed: 2 })
  })

  it('cancel of its execution', async () => {
    const clock = new ManualClock(t0)
    const node = await openNode({ clock, jobs: [delayed(clock)] })
    await node.advance('11s')
    const [running] = await node.executions('job')
    await node.evertick.executions.cancel(running?.id ?? '')
    await node.advance('2s')
    expect(statesOf(await node.executions('job'))).toEqual({ 'cancelled: operator': 1 })
    await node.evertick.queues.pause('default')
    await node.advance('20s')
    const [, pending] = await node.executions('job')
    expect(pending?.state).toBe('pending')
    await node.evertick.executions.cancel(pending?.id ?? '')
    await node.evertick.queues.resume('default')
    await node.advance('12s')
    // Cancelled at 11.9 s (its worker looks once a second) and at 33 s.
    expect(await instants(node)).toEqual([10, 21.9, 43])
    expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 3 })
  })
})

describe('cancel_running with a handler that ignores its signal', () => {
  it.each([
    ['its lease has run out', 3_600_000, 'cancelled'],
    ['that attempt has ended', 80_000, 'completed'],
  ] as const)('the next starts only when %s', async (_, runMs, state) => {
    const clock = new ManualClock(t0)
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      overlap: 'cancel_running',
      run: async ({ scheduledFor }) => {
        if (scheduledFor <= at(60)) await clock.sleep(runMs)
      },
    })
    const node = await openNode({ clock, jobs: [job] })
    await node.advance('119s')
    const [held] = await node.evertick.leases.active()
    const heldUntil = Math.max(held?.leasedUntil?.getTime() ?? 0, t0 + 120_000)
    await node.advance('60s')
    const [first, second] = await node.executions(job)
    expect(first).toMatchObject({ state, cancelReason: 'replaced' })
    const free = Math.min(heldUntil, t0 + 60_000 + runMs)
    expect(second?.startedAt?.getTime()).toBeGreaterThanOrEqual(free)
    expect(second?.startedAt?.getTime()).toBeLessThanOrEqual(free + 36_000)
    expect(second?.startedAt?.getTime()).toBeGreaterThanOrEqual(first?.finishedAt?.getTime() ?? Infinity)
    expect(tally(await node.ticks(job))).toEqual({ fired: 2 })
  })
})

describe('a range that straddles retention’s line; a dead letter below it; the last execution', () => {
  it('totals + ledger = all ticks; retention is not stopped', async () => {
    const database = databaseFile()
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      retention: { executions: 10, age: '1m', failed: '6h', ledger: '1h' },
      retry: { attempts: 1 },
      run({ scheduledFor }) {
        if (scheduledFor <= at(60)) throw new Error('dead')
      },
    })
    const node = await openNode({ database: database.url, jobs: [job] })
    const all = () => {
      const [sums] = database.sql(`
        SELECT (SELECT coalesce(sum(count), 0) FROM evertick_ledger_totals) AS totals,
          (SELECT count(*) FROM evertick_job_executions, evertick_jobs j WHERE tick_at >= j.ledger_from) AS runs,
          (SELECT coalesce(sum(count), 0) FROM evertick_tick_ranges, evertick_jobs j WHERE from_at >= j.ledger_from) AS ranges,
          (SELECT ledger_from FROM evertick_jobs) AS ledger_from`)
      return sums as { totals: number; runs: number; ranges: number; ledger_from: number }
    }
    await node.advance('30m')
    const early = all()
    expect(early.totals).toBe(0)
    expect(early.ranges).toBeGreaterThan(10)
    await node.evertick.jobs.pause('job')
    await node.advance('4h')
    await node.evertick.jobs.resume('job')
    await node.advance('5m')
    const straddled = all()
    expect(straddled.totals + straddled.runs + straddled.ranges).toBe(275)
    expect(straddled.ranges).toBe(240)
    await node.advance('1h')
    const later = all()
    expect(later.totals + later.runs + later.ranges).toBe(335)
    expect(later.totals).toBe(270)
    const [letter] = await node.executions(job)
    expect(letter).toMatchObject({ state: 'failed', scheduledFor: at(60) })
    const [oldest] = await node.ticks(job)
    expect(oldest).toMatchObject({ account: 'fired', state: 'failed' })
    expect((await node.ticks(job))[1]).toMatchObject({ account: 'purged' })
    await node.evertick.jobs.pause('job')
    await node.advance('2d')
    const left = await node.executions(job)
    expect(left.map(({ state }) => state)).toEqual(Array(10).fill('completed'))
    expect(left.at(-1)).toMatchObject({ scheduledFor: at(335 * 60) })
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })
})

describe('a 1 s job with one failing tick and long back-off', () => {
  it('ticks are not lost to a waiting retry', async () => {
    const job = defineJob({
      name: 'job',
      schedule: { every: '1s' },
      retry: { attempts: 4, base: '10m' },
      run({ scheduledFor }) {
        if (scheduledFor.getTime() === t0 + 5_000) throw new Error('the fifth')
      },
    })
    const node = await openNode({ jobs: [job] })
    await node.advance('20s')
    expect(tally(await node.ticks(job))).toEqual({ fired: 20 })
    expect(statesOf(await node.executions(job))).toMatchObject({ completed: 19, failed: 1 })
  })
})

describe('all workers dead for an hour, catchUp none, `startDeadline` 5 min', () => {
  it('the late ones are cancelled, with the reason', async () => {
    const { url } = databaseFile()
    const clock = new SharedClock(t0)
    const started: Date[] = []
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      catchUp: 'none',
      overlap: 'buffer_all',
      startDeadline: '5m',
      run: ({ scheduledFor }) => void started.push(scheduledFor),
    })
    const first = await openNode({ database: url, clock, jobs: [job] })
    await first.stop()
    const scheduler = await openNode({ database: url, clock, roles: ['scheduler'] })
    // Registers the handler, so that the job is not disabled; it serves another queue.
    const elsewhere = await openNode({
      database: url,
      clock,
      queues: { other: { concurrency: 1 } },
      jobs: [job],
    })
    await pass([scheduler, elsewhere], clock, '1h')
    const worker = await openNode({ database: url, clock, roles: ['worker'], jobs: [job] })
    await pass([scheduler, elsewhere, worker], clock, '30s')
    const executions = await worker.executions(job)
    expect(statesOf(executions)).toEqual({ 'cancelled: start_deadline': 54, completed: 6 })
    expect(started.every((scheduledFor) => scheduledFor >= at(3_300))).toBe(true)
    expect(await worker.evertick.audit()).toMatchObject({ ok: true })
  })
})
