/** Small histories of chains, the catch-ups that run one after another behind the ticks. */
import { describe, expect, it } from 'vitest'
import { defineJob, type ExecutionView, type JobOptions, outcome } from '../../src/index.ts'
import { ManualClock, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'
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

const kept = { retention: { executions: 10_000 } }

/** A job whose runs take this long, back after an outage. */
async function afterDown(
  seconds: number,
  options: JobOptions & { readonly runMs: number },
  nodeOptions: TestNodeOptions = {},
): Promise<TestNode> {
  const { url } = databaseFile()
  const clock = new ManualClock(t0)
  const { runMs, ...policies } = options
  const job = defineJob({ name: 'job', ...kept, ...policies, run: lasting(clock, runMs) })
  const first = await openNode({ database: url, clock, jobs: [job] })
  return await afterOutage(first, `${seconds}s`, { ...nodeOptions, database: url, jobs: [job] })
}

const caughtUp = (executions: readonly ExecutionView[]) =>
  executions.filter(({ cause }) => cause === 'catch_up')

describe('skip + all, every 60 s, run 30 s, chain of 99', () => {
  it('about one on-time tick skipped in two hours, not 51', async () => {
    const schedule = { every: '60s' } as const
    const node = await afterDown(6_005, { schedule, catchUp: 'all', runMs: 30_000 })
    expect(caughtUp(await node.executions('job'))).toHaveLength(99)
    await node.advance('2h')
    const counted = tally(await node.ticks('job'))
    expect(counted['skipped: overlap'] ?? 0).toBeLessThanOrEqual(1)
    expect(statesOf(caughtUp(await node.executions('job')))).toEqual({ completed: 99 })
    expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 220 })
  })
})

describe('catch-up released with a `ready_at` 5 min ahead', () => {
  it('costs no on-time tick', async () => {
    const schedule = { every: '10s' } as const
    const node = await afterDown(45, { schedule, catchUp: 'all', runMs: 2_000 }, { catchUpRate: 1 / 300 })
    await node.advance('20m')
    const [first, second, third] = caughtUp(await node.executions('job'))
    expect(first?.state).toBe('completed')
    expect(secondsOf(second?.startedAt ?? null)).toBeGreaterThanOrEqual(345)
    expect(secondsOf(third?.startedAt ?? null)).toBeGreaterThanOrEqual(645)
    expect(tally(await node.ticks('job'))).toEqual({ caught_up: 3, fired: 121 })
  })
})

describe('maxConcurrent 2, run 15 s every 10 s, a chain', () => {
  it('the chain moves on', async () => {
    const schedule = { every: '10s' } as const
    const node = await afterDown(105, { schedule, catchUp: 'all', maxConcurrent: 2, runMs: 15_000 })
    await node.advance('15m')
    expect(statesOf(caughtUp(await node.executions('job')))).toEqual({ completed: 9 })
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })
})

describe('a failing catch-up in back-off', () => {
  it('costs no on-time tick', async () => {
    const { url } = databaseFile()
    const job = defineJob({
      name: 'job',
      ...kept,
      schedule: { every: '10s' },
      catchUp: 'all',
      retry: { attempts: 4 },
      run({ cause }) {
        if (cause === 'catch_up') throw outcome.retry('25s')
      },
    })
    const first = await openNode({ database: url, jobs: [job] })
    const node = await afterOutage(first, '35s', { database: url, jobs: [job] })
    await node.advance('10m')
    expect(tally(await node.ticks('job'))).toEqual({ caught_up: 2, fired: 61 })
    // Nor is a tick late for it: the first was due before the outage's end.
    const onTime = (await node.executions('job')).filter(({ cause }) => cause === 'schedule').slice(1)
    expect(onTime.filter(({ startedAt, scheduledFor }) => Number(startedAt) > Number(scheduledFor))).toEqual(
      [],
    )
    expect(caughtUp(await node.executions('job'))).toMatchObject([
      { state: 'failed', attempt: 4 },
      { state: 'failed', attempt: 4 },
    ])
  })
})

describe('run 12 s every 10 s, a chain', () => {
  it.each(['skip', 'buffer_one', 'buffer_all'] as const)(
    'the chain is not starved for ever (%s)',
    async (overlap) => {
      const schedule = { every: '10s' } as const
      const node = await afterDown(55, { schedule, overlap, catchUp: 'all', runMs: 12_000 })
      await node.advance('15m')
      expect(statesOf(caughtUp(await node.executions('job')))).toEqual({ completed: 4 })
      expect(await node.evertick.audit()).toMatchObject({ ok: true })
    },
  )
})

describe('trigger at :55 that runs 10 s; tick at :60', () => {
  it('the tick waits, and runs', async () => {
    const clock = new ManualClock(t0)
    const job = defineJob({ name: 'job', schedule: { every: '60s' }, run: lasting(clock, 10_000) })
    const node = await openNode({ clock, jobs: [job] })
    await node.advance('55s')
    await node.evertick.jobs.trigger('job')
    await node.advance('6s')
    expect((await node.executions(job)).map(({ state }) => state)).toEqual(['running', 'blocked'])
    await node.advance('20s')
    const [, tick] = await node.executions(job)
    expect(tick).toMatchObject({ state: 'completed', startedAt: at(65), scheduledFor: at(60) })
    expect(tally(await node.ticks(job))).toEqual({ fired: 1 })
  })
})

describe('buffer_one + all after a long outage', () => {
  it('the chain does not fill the buffer', async () => {
    const schedule = { every: '60s' } as const
    const node = await afterDown(3_605, { schedule, overlap: 'buffer_one', catchUp: 'all', runMs: 35_000 })
    expect(caughtUp(await node.executions('job'))).toHaveLength(59)
    await node.advance('2h')
    expect(tally(await node.ticks('job'))).toEqual({ caught_up: 59, fired: 121 })
  })
})

describe('`latest`, per minute, down an hour, back at :30', () => {
  it('one run, 59 coalesced', async () => {
    const node = await afterDown(3_630, { schedule: { cron: '* * * * *' }, runMs: 0 })
    await node.advance('10s')
    expect(tally(await node.ticks('job'))).toEqual({ coalesced: 59, fired: 1 })
    const [run] = await node.executions('job')
    expect(run).toMatchObject({ scheduledFor: at(3_600), state: 'completed' })
    const { ranges } = await node.evertick.jobs.explain('job', { from: at(0), to: at(3_700) })
    expect(ranges).toMatchObject([{ from: at(60), to: at(3_540), count: 59, executionId: run?.id }])
  })
})

/** One worker that stays, while the scheduler beside it comes and goes. */
async function longRunBeside(policies: JobOptions, runMs: number) {
  const { url } = databaseFile()
  const clock = new SharedClock(t0)
  const job = defineJob({
    name: 'job',
    ...kept,
    schedule: { every: '60s' },
    ...policies,
    run: async (ctx) => (ctx.scheduledFor <= at(60) ? await lasting(clock, runMs)(ctx) : undefined),
  })
  const options = { database: url, clock, roles: ['scheduler'] } as const
  const worker = await openNode({ database: url, clock, roles: ['worker'], jobs: [job] })
  const scheduler = await openNode(options)
  await pass([worker, scheduler], clock, '90s')
  expect(statesOf(await worker.executions(job))).toEqual({ running: 1 })
  return { worker, scheduler, clock, again: () => openNode(options) }
}

describe('`latest` + skip while the old execution still runs elsewhere', () => {
  it('the newest runs once after it', async () => {
    const { worker, scheduler, clock, again } = await longRunBeside({}, 9 * 60_000 + 30_000)
    await scheduler.stop()
    await pass([worker], clock, '5m')
    const next = await again()
    await pass([worker, next], clock, '5m')
    const executions = await worker.executions('job')
    const [old, newest] = executions
    expect(old?.state).toBe('completed')
    expect(newest).toMatchObject({ account: 'caught_up', scheduledFor: at(360), state: 'completed' })
    expect(newest?.startedAt?.getTime()).toBeGreaterThanOrEqual(old?.finishedAt?.getTime() ?? Infinity)
    expect(caughtUp(executions)).toHaveLength(1)
    expect(tally(await worker.ticks('job'))).toMatchObject({ coalesced: 4, caught_up: 1 })
  })
})

describe('maxMissedRuns 3, five leader flaps during one long run', () => {
  it('three catch-ups, the rest `superseded`', async () => {
    const catchUp = { policy: 'all', maxMissedRuns: 3 } as const
    const { worker, scheduler, clock, again } = await longRunBeside({ catchUp }, 3_600_000)
    let leader = scheduler
    for (let flap = 0; flap < 5; flap += 1) {
      await leader.stop()
      await pass([worker], clock, '5m')
      leader = await again()
      await pass([worker, leader], clock, '2m')
    }
    await pass([worker, leader], clock, '30m')
    const made = caughtUp(await worker.executions('job'))
    expect(statesOf(made)).toEqual({ 'cancelled: superseded': 12, completed: 3 })
    expect(made.slice(-3).map(({ state }) => state)).toEqual(['completed', 'completed', 'completed'])
    expect(await worker.evertick.audit()).toMatchObject({ ok: true })
  })
})

describe('2,500 missed ticks', () => {
  it.each([
    ['latest', 'one run', { coalesced: 2_499, caught_up: 1 }],
    ['all', '100 runs', { 'skipped: over_limit': 2_400, caught_up: 100 }],
  ] as const)('`%s` (max 100): %s, whatever the batch size', async (policy, _, expected) => {
    const down = 2_500 * 600 + 300
    const schedule = { every: '10m' } as const
    const node = await afterDown(down, { schedule, catchUp: policy, overlap: 'allow', runMs: 0 })
    expect(tally(await node.ticks('job'))).toEqual(expected)
    await node.advance('60s')
    expect(statesOf(await node.executions('job'))).toEqual({ completed: expected.caught_up })
    const terms = await node.evertick.leader.terms()
    expect(terms[0]).toMatchObject({ handledMissedTasks: true, missed: { found: 2_500 } })
  })
})
