/** Ticks that were missed: what becomes of them, and what they leave behind. */
import { describe, expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { ManualClock, type TestNode } from '../../src/testing/index.ts'
import {
  afterOutage,
  at,
  databaseFile,
  lasting,
  openNode,
  secondsOf,
  statesOf,
  t0,
  tally,
} from './support.ts'

const idle = () => {}
const kept = { retention: { executions: 10_000 } }

describe('a month of missed seconds', () => {
  it.each([
    ['none', { account: 'skipped', reason: 'catchup_off', count: 2_591_998 }, 0],
    ['latest', { account: 'coalesced', reason: 'latest', count: 2_591_998 }, 0],
    ['all', { account: 'skipped', reason: 'over_limit', count: 2_591_898 }, 100],
  ] as const)('leaves a handful of rows under `%s`', async (catchUp, range, caughtUp) => {
    const database = databaseFile()
    const overlap = 'allow'
    const job = defineJob({ name: 'job', ...kept, schedule: { every: '1s' }, catchUp, overlap, run: idle })
    const before = await openNode({ database: database.url, jobs: [job] })
    await before.advance('200ms')
    const node = await afterOutage(before, '30d', { database: database.url, jobs: [job] })
    expect(database.sql('SELECT * FROM evertick_tick_ranges')).toMatchObject([range])
    // Beside the catch-ups: the first second and the next one, made ahead, and the newest, which is on time.
    expect(tally(await ticksOf(node, at(0), at(2)))).toEqual({ fired: 1 })
    expect(tally(await ticksOf(node, at(2_592_000), at(2_592_002)))).toEqual({ fired: 2 })
    const audit = { ok: true, ticks: 2_592_001, executions: caughtUp + 3, ranges: 1 }
    expect(await node.evertick.audit()).toMatchObject(audit)
  })

  const ticksOf = async (node: TestNode, from: Date, to: Date) =>
    (await node.evertick.jobs.explain('job', { from, to })).ticks
})

it('`catchUp: all` with overlap `skip` runs its N one after another, while on-time ticks go first', async () => {
  const { url } = databaseFile()
  const clock = new ManualClock(t0)
  const started: { readonly cause: string; readonly at: number | null; readonly for: number | null }[] = []
  let [together, most] = [0, 0]
  const job = defineJob({
    name: 'job',
    ...kept,
    schedule: { every: '60s' },
    catchUp: { policy: 'all', maxMissedRuns: 12 },
    async run(ctx) {
      together += 1
      most = Math.max(most, together)
      started.push({
        cause: ctx.cause,
        at: secondsOf(new Date(clock.now())),
        for: secondsOf(ctx.scheduledFor),
      })
      if (ctx.cause === 'catch_up') expect(ctx.caughtUp?.of).toBe(12)
      await lasting(clock, 25_000)(ctx)
      together -= 1
    },
  })
  const before = await openNode({ database: url, clock, jobs: [job] })
  const node = await afterOutage(before, '1805s', { database: url, jobs: [job] })
  await node.advance('15m')
  expect(most).toBe(1)
  const chain = started.filter(({ cause }) => cause === 'catch_up').map((run) => run.for)
  expect(chain).toEqual(Array.from({ length: 12 }, (_, index) => 1_080 + index * 60))
  const onTime = started.filter(({ cause }) => cause === 'schedule')
  expect(onTime.map((run) => run.for)).toEqual(Array.from({ length: 16 }, (_, index) => 1_800 + index * 60))
  // A tick waits for no more than the one run that is under way.
  expect(onTime.slice(1).every((run) => Number(run.at) - Number(run.for) <= 25)).toBe(true)
  expect(tally(await node.ticks(job))).toEqual({ 'skipped: over_limit': 17, caught_up: 12, fired: 16 })
})

it('a per-second job with overlap `skip` and look-ahead loses no tick over an hour', {
  timeout: 120_000,
}, async () => {
  const clock = new ManualClock(t0)
  const job = defineJob({ name: 'job', ...kept, schedule: { every: '1s' }, run: lasting(clock, 300) })
  const node = await openNode({ clock, jobs: [job] })
  await node.advance('1h')
  expect(tally(await node.ticks(job))).toEqual({ fired: 3_600 })
  const late = (await node.executions(job)).filter(({ startedAt, scheduledFor }) => {
    const lateness = (startedAt?.getTime() ?? Infinity) - scheduledFor.getTime()
    return lateness > 0 || lateness < -100
  })
  expect(late).toEqual([])
  expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 3_600 })
})

it('a released catch-up that nobody has claimed steps back for a tick that is due', async () => {
  const { url } = databaseFile()
  const ran: string[] = []
  const job = defineJob({
    name: 'job',
    schedule: { every: '60s' },
    catchUp: { policy: 'all', grace: '1s' },
    run: ({ cause, scheduledFor }) => void ran.push(`${cause} ${secondsOf(scheduledFor)}`),
  })
  const before = await openNode({ database: url, jobs: [job] })
  await before.evertick.queues.pause('default')
  const node = await afterOutage(before, '190s', { database: url, jobs: [job] })
  await node.advance('10s')
  const states = async () => (await node.executions(job)).map(({ cause, state }) => `${cause} ${state}`)
  expect(await states()).toEqual(['catch_up pending', 'catch_up blocked', 'catch_up blocked'])
  await node.advance('45s')
  expect(await states()).toEqual([
    'catch_up blocked',
    'catch_up blocked',
    'catch_up blocked',
    'schedule pending',
  ])
  await node.evertick.queues.resume('default')
  await node.advance('10s')
  expect(ran).toEqual(['schedule 240', 'catch_up 60', 'catch_up 120', 'catch_up 180'])
})

it('an edit during downtime: ticks before it follow the old schedule, later ones the new', async () => {
  const { url } = databaseFile()
  const job = defineJob({
    name: 'job',
    schedule: { every: '10s' },
    catchUp: 'all',
    overlap: 'allow',
    run: idle,
  })
  const before = await openNode({ database: url, jobs: [job] })
  const operator = await afterOutage(before, '35s', { database: url, roles: ['worker'], jobs: [job] })
  await operator.evertick.jobs.update('job', { schedule: { every: '7s', anchor: at(0) } })
  const node = await afterOutage(operator, '30s', { database: url, jobs: [job] })
  await node.advance('6s')
  expect((await node.ticks(job)).map(({ scheduledFor }) => secondsOf(scheduledFor))).toEqual([
    10, 20, 30, 42, 49, 56, 63, 70,
  ])
  expect(tally(await node.ticks(job))).toMatchObject({ caught_up: 5, fired: 3 })
  expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 8 })
})

it('`window` is applied first: what was missed longer ago does not run', async () => {
  const { url } = databaseFile()
  const jobs = (['all', 'latest'] as const).map((policy) =>
    defineJob({
      name: policy,
      schedule: { every: '60s' },
      catchUp: { policy, window: '5m', grace: '1s' },
      run: idle,
    }),
  )
  const node = await afterOutage(await openNode({ database: url, jobs }), '1230s', { database: url, jobs })
  expect(tally(await node.ticks('all'))).toEqual({ 'skipped: outside_window': 15, caught_up: 5 })
  expect(tally(await node.ticks('latest'))).toEqual({
    'skipped: outside_window': 15,
    coalesced: 4,
    caught_up: 1,
  })
})

describe('backfill of an accounted span', () => {
  it('makes executions and no second account', async () => {
    const told: unknown[] = []
    const job = defineJob({
      name: 'job',
      schedule: { every: '10s' },
      run: ({ cause, scheduledFor, caughtUp }) =>
        void (cause === 'backfill' && told.push([secondsOf(scheduledFor), caughtUp?.index, caughtUp?.of])),
    })
    const node = await openNode({ jobs: [job] })
    await node.advance('62s')
    const span = { from: at(10), to: at(40) }
    const dry = await node.evertick.jobs.backfill('job', { ...span, dryRun: true })
    expect(dry).toEqual({ ticks: 3, created: 0, first: at(10), last: at(30) })
    await expect(node.evertick.jobs.backfill('job', { ...span, limit: 2 })).rejects.toMatchObject({
      code: 'invalid_option',
    })
    expect(await node.executions(job)).toHaveLength(6)
    expect(await node.evertick.jobs.backfill('job', span)).toMatchObject({ ticks: 3, created: 3 })
    await node.advance('5s')
    expect(told).toEqual([
      [10, 1, 3],
      [20, 2, 3],
      [30, 3, 3],
    ])
    const made = (await node.executions(job)).filter(({ cause }) => cause === 'backfill')
    expect(made).toMatchObject([{ account: null }, { account: null }, { account: null }])
    expect(statesOf(made)).toEqual({ completed: 3 })
    expect(tally(await node.ticks(job))).toEqual({ fired: 6 })
    expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 6, executions: 6 })
  })

  it('newest first, if asked', async () => {
    const told: (number | null)[] = []
    const run = ({ cause, scheduledFor }: { cause: string; scheduledFor: Date }) =>
      void (cause === 'backfill' && told.push(secondsOf(scheduledFor)))
    const node = await openNode({ jobs: [defineJob({ name: 'job', schedule: { every: '10s' }, run })] })
    await node.advance('35s')
    await node.evertick.jobs.backfill('job', { from: at(0), to: at(30), order: 'newest_first' })
    await node.advance('2s')
    expect(told).toEqual([20, 10, 0])
  })
})
