/** Small histories in which an operator, a deploy or another leader acts. */
import { describe, expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
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

const idle = () => {}

describe('every 10 s; tick 10.0 accounted ahead and claimed; pause just before it', () => {
  it('one account of 10.0; the leader is not stuck on its unique key', async () => {
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, run: idle })
    const other = defineJob({ name: 'other', schedule: { every: '10s' }, run: idle })
    const node = await openNode({ jobs: [job, other] })
    await node.advance('9950ms')
    expect(statesOf(await node.executions(job))).toEqual({ running: 1 })
    await node.evertick.jobs.pause('job')
    await node.advance('25s')
    expect(tally(await node.ticks(job))).toEqual({ fired: 1, undecided: 2 })
    await node.evertick.jobs.resume('job')
    await node.advance('10s')
    expect(tally(await node.ticks(job))).toEqual({ fired: 2, 'skipped: paused': 2 })
    expect(tally(await node.ticks(other))).toEqual({ fired: 4 })
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })

  it('one not yet claimed is taken back by the pause', async () => {
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, run: idle })
    const node = await openNode({ jobs: [job] })
    await node.advance('9600ms')
    expect(statesOf(await node.executions(job))).toEqual({ pending: 1 })
    await node.evertick.jobs.pause('job')
    await node.advance('1s')
    expect(await node.executions(job)).toEqual([])
    expect(tally(await node.ticks(job))).toEqual({ undecided: 1 })
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })
})

describe('leader down 0-100 s, operator pauses at 100', () => {
  it.each([
    ['all', { caught_up: 9, fired: 1, 'skipped: paused': 5 }],
    ['latest', { coalesced: 9, fired: 1, 'skipped: paused': 5 }],
    ['none', { 'skipped: catchup_off': 9, fired: 1, 'skipped: paused': 5 }],
  ] as const)(
    'the ten ticks follow the catch-up policy (%s); only later ones are `paused`',
    async (catchUp, expected) => {
      const { url } = databaseFile()
      const job = defineJob({ name: 'job', schedule: { every: '10s' }, catchUp, run: idle })
      const down = await openNode({ database: url, jobs: [job] })
      const operator = await afterOutage(down, '100s', { database: url, roles: ['worker'], jobs: [job] })
      await operator.evertick.jobs.pause('job')
      const leader = await openNode({ database: url, clock: operator.clock, roles: ['scheduler'] })
      await pass([operator, leader], operator.clock, '55s')
      await operator.evertick.jobs.resume('job')
      expect(tally(await operator.ticks(job))).toEqual(expected)
      expect(await operator.evertick.audit()).toMatchObject({ ok: true })
    },
  )
})

describe('pause until 65 s, all down 10-305 s', () => {
  it('6 ticks `paused`, the later ones by the catch-up policy', async () => {
    const { url } = databaseFile()
    const all = defineJob({ name: 'all', schedule: { every: '10s' }, catchUp: 'all', run: idle })
    const latest = defineJob({ name: 'latest', schedule: { every: '10s' }, run: idle })
    const none = defineJob({ name: 'none', schedule: { every: '10s' }, catchUp: 'none', run: idle })
    const jobs = [all, latest, none]
    const first = await openNode({ database: url, jobs })
    for (const { name } of jobs) await first.evertick.jobs.pause(name, { until: at(65) })
    await first.advance('10s')
    const node = await afterOutage(first, '295s', { database: url, jobs })
    expect(tally(await node.ticks(all))).toEqual({ 'skipped: paused': 6, caught_up: 23, fired: 1 })
    expect(tally(await node.ticks(latest))).toEqual({ 'skipped: paused': 6, coalesced: 23, fired: 1 })
    expect(tally(await node.ticks(none))).toEqual({
      'skipped: paused': 6,
      'skipped: catchup_off': 23,
      fired: 1,
    })
    expect((await node.evertick.jobs.get('all')).state).toBe('active')
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })
})

describe('paused; a deploy changes the description; resume with catch-up', () => {
  it('the missed ticks are still there to catch up', async () => {
    const { url } = databaseFile()
    const job = (description: string) =>
      defineJob({ name: 'job', schedule: { every: '10s' }, description, run: idle })
    const before = await openNode({ database: url, jobs: [job('before')] })
    await before.evertick.jobs.pause('job')
    await before.advance('45s')
    const after = await afterOutage(before, '10s', { database: url, jobs: [job('after')] })
    expect(await after.evertick.jobs.get('job')).toMatchObject({ state: 'paused', description: 'after' })
    expect(tally(await after.ticks('job'))).toEqual({ undecided: 5 })
    await after.evertick.jobs.resume('job', { catchUp: 'all' })
    await after.advance('3s')
    expect(tally(await after.ticks('job'))).toEqual({ caught_up: 4, fired: 1 })
    expect(statesOf(await after.executions('job'))).toEqual({ completed: 5 })
    expect(await after.evertick.audit()).toMatchObject({ ok: true })
  })
})

describe('every 10 s, tick 10.0 claimed ahead; edit to 0.3 s just before it', () => {
  it('the new revision begins after 10.0; no tick of it is lost', async () => {
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, overlap: 'allow', run: idle })
    const node = await openNode({ jobs: [job] })
    await node.advance('9950ms')
    await node.evertick.jobs.update('job', { schedule: { every: '300ms', anchor: 'epoch' } })
    await node.advance('1550ms')
    const ticks = await node.ticks(job)
    expect(ticks.map(({ scheduledFor }) => secondsOf(scheduledFor))).toEqual([
      10, 10.2, 10.5, 10.8, 11.1, 11.4,
    ])
    expect(tally(ticks)).toEqual({ fired: 6 })
    const [, edited] = await node.evertick.jobs.revisions('job')
    expect(edited?.from).toEqual(at(10.001))
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })
})

describe('leader reads the job, operator pauses, leader’s transaction follows', () => {
  it('refused by the job’s version', async () => {
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, run: idle })
    const node = await openNode({ jobs: [job] })
    await node.advance('8400ms')
    // The leader's look-ahead begins at 8.5: its read comes in this turn, its transaction behind the pause in the queue.
    node.clock.moveTo(t0 + 8_500)
    await node.evertick.jobs.pause('job')
    await node.settle()
    expect(await node.executions(job)).toEqual([])
    await node.advance('10s')
    expect(await node.executions(job)).toEqual([])
    expect(tally(await node.ticks(job))).toEqual({ undecided: 1 })
  })
})

describe('cancel of a job with a blocked chain', () => {
  it('nothing of it runs any more', async () => {
    const { url } = databaseFile()
    const clock = new ManualClock(t0)
    const started: (number | null)[] = []
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      catchUp: 'all',
      async run(ctx) {
        started.push(secondsOf(ctx.scheduledFor))
        await lasting(clock, 10_000)(ctx)
      },
    })
    const first = await openNode({ database: url, clock, jobs: [job] })
    const node = await afterOutage(first, '605s', { database: url, jobs: [job] })
    await node.advance('15s')
    expect(started).toEqual([600, 60])
    await node.evertick.jobs.cancel('job')
    await node.advance('10m')
    expect(started).toEqual([600, 60])
    expect(statesOf(await node.executions(job))).toEqual({ completed: 1, 'cancelled: job_cancelled': 9 })
    await node.evertick.jobs.resume('job')
    await node.advance('60s')
    expect(started).toHaveLength(3)
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })
})

describe('skip edited to allow with a chain', () => {
  it('nothing stays blocked', async () => {
    const { url } = databaseFile()
    const clock = new ManualClock(t0)
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      catchUp: 'all',
      run: lasting(clock, 50_000),
    })
    const first = await openNode({ database: url, clock, jobs: [job] })
    const node = await afterOutage(first, '605s', { database: url, jobs: [job] })
    expect(statesOf(await node.executions(job))).toEqual({ running: 1, blocked: 9 })
    await node.evertick.jobs.update('job', { overlap: 'allow' })
    expect(statesOf(await node.executions(job))).not.toHaveProperty('blocked')
    await node.advance('115s')
    expect(statesOf(await node.executions(job))).toEqual({ completed: 11, running: 1 })
    expect(tally(await node.ticks(job))).toEqual({ caught_up: 9, fired: 3 })
  })
})

describe('a trigger', () => {
  it('0.5 s before a tick accounted ahead: runs', async () => {
    const clock = new ManualClock(t0)
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, run: lasting(clock, 2_000) })
    const node = await openNode({ clock, jobs: [job] })
    await node.advance('9500ms')
    expect(statesOf(await node.executions(job))).toEqual({ pending: 1 })
    const { id } = await node.evertick.jobs.trigger('job')
    await node.advance('10s')
    expect(await node.evertick.executions.get(id)).toMatchObject({ state: 'completed', startedAt: at(9.5) })
    expect(tally(await node.ticks(job))).toEqual({ fired: 1 })
    const [, tick] = await node.executions(job)
    expect(tick).toMatchObject({ cause: 'schedule', startedAt: at(11.5), state: 'completed' })
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })

  it('during a chain: runs (buffered where only a chain is in its way)', async () => {
    const { url } = databaseFile()
    const clock = new ManualClock(t0)
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      catchUp: 'all',
      run: lasting(clock, 10_000),
    })
    const first = await openNode({ database: url, clock, jobs: [job] })
    const node = await afterOutage(first, '605s', { database: url, jobs: [job] })
    await node.advance('15s')
    expect(await node.evertick.leases.active()).toMatchObject([{ cause: 'catch_up' }])
    const made = await node.evertick.jobs.trigger('job')
    expect(made.state).toBe('blocked')
    await node.advance('10s')
    expect(await node.evertick.leases.active()).toMatchObject([{ id: made.id }])
    await node.advance('10m')
    expect(tally(await node.ticks(job))).toEqual({ caught_up: 9, fired: 11 })
  })

  it('on a paused job: runs', async () => {
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, run: () => 'done' })
    const node = await openNode({ jobs: [job] })
    await node.evertick.jobs.pause('job')
    const { id } = await node.evertick.jobs.trigger('job')
    await node.advance('1s')
    expect(await node.evertick.result(id)).toBe('done')
    expect((await node.evertick.jobs.get('job')).state).toBe('paused')
  })
})

describe('creation', () => {
  it('`every` created at 5 s: no tick at the creation itself', async () => {
    const node = await openNode({ jobs: [defineJob({ name: 'other', run: idle })] })
    await node.advance('5s')
    await node.evertick.jobs.create({
      name: 'job',
      handler: 'other',
      schedule: { every: '5s', anchor: 'epoch' },
    })
    await node.settle()
    expect(await node.executions('job')).toEqual([])
    await node.advance('6s')
    expect((await node.ticks('job')).map(({ scheduledFor }) => secondsOf(scheduledFor))).toEqual([10])
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })

  it('`runNow`: one run', async () => {
    const node = await openNode({ jobs: [defineJob({ name: 'other', run: idle })] })
    await node.evertick.jobs.create({
      name: 'job',
      handler: 'other',
      schedule: { every: '10s' },
      runNow: true,
    })
    await node.advance('5s')
    expect(await node.executions('job')).toMatchObject([{ cause: 'manual', state: 'completed' }])
  })

  it('`at` in the past: refused, or run if catch-up would', async () => {
    const node = await openNode({ jobs: [defineJob({ name: 'other', run: idle })] })
    await node.advance('1h')
    const past = { handler: 'other', schedule: { at: at(60) } }
    await expect(node.evertick.jobs.create({ name: 'late', ...past, catchUp: 'none' })).rejects.toMatchObject(
      { code: 'invalid_schedule', field: 'schedule.at' },
    )
    await node.evertick.jobs.create({ name: 'caught', ...past })
    await node.advance('1s')
    expect(await node.executions('caught')).toMatchObject([{ account: 'caught_up', state: 'completed' }])
    expect(await node.evertick.jobs.get('caught')).toMatchObject({ state: 'completed', status: 'completed' })
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })
})

describe('one job paused across a change of leader', () => {
  it('`handled_missed_tasks` still turns true', async () => {
    const { url } = databaseFile()
    const paused = defineJob({ name: 'paused', schedule: { every: '10s' }, run: idle })
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, run: idle })
    const first = await openNode({ database: url, jobs: [paused, job] })
    await first.evertick.jobs.pause('paused')
    await first.advance('15s')
    const second = await afterOutage(first, '100s', { database: url, jobs: [paused, job] })
    expect(await second.evertick.leader.terms()).toMatchObject([
      { id: 2, handledMissedTasks: true, gapMs: 100_000, missed: { found: 10, coalesced: 9, caughtUp: 1 } },
      { id: 1, handledMissedTasks: true },
    ])
  })
})

describe('resume', () => {
  it.each([
    ['with `policy` where the policy is `none`: nothing', 'policy', { 'skipped: catchup_off': 5 }],
    ['with `latest`: the newest', 'latest', { coalesced: 4, caught_up: 1 }],
  ] as const)('%s', async (_, catchUp, expected) => {
    const job = defineJob({
      name: 'job',
      schedule: { every: '2m' },
      catchUp: { policy: 'none', grace: '1s' },
      run: idle,
    })
    const node = await openNode({ jobs: [job] })
    await node.evertick.jobs.pause('job')
    await node.advance('11m')
    await node.evertick.jobs.resume('job', { catchUp })
    await node.advance('10s')
    expect(tally(await node.ticks(job))).toEqual(expected)
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })
})

describe('an hour of full outage, a scheduler-only node starts first', () => {
  it('jobs are not disabled, the gap is not skipped', async () => {
    const { url } = databaseFile()
    const clock = new SharedClock(t0)
    const job = defineJob({ name: 'job', schedule: { every: '60s' }, catchUp: 'all', run: idle })
    const first = await openNode({ database: url, clock, jobs: [job] })
    const scheduler = await afterOutage(first, '1h', { database: url, roles: ['scheduler'] })
    await pass([scheduler], clock, '9m')
    expect((await scheduler.evertick.jobs.get('job')).state).toBe('active')
    const worker = await openNode({ database: url, clock, roles: ['worker'], jobs: [job] })
    await pass([scheduler, worker], clock, '5m')
    expect((await worker.evertick.jobs.get('job')).state).toBe('active')
    expect(tally(await worker.ticks(job))).toMatchObject({ caught_up: 59 })
    expect(await worker.evertick.audit()).toMatchObject({ ok: true, unaccounted: 0 })
  })
})
