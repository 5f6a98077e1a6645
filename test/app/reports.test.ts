/** What pictures of the whole say, on a real node with a manual clock. */
import { expect, onTestFinished, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'

const hour = 3_600_000

async function open(options: TestNodeOptions): Promise<TestNode> {
  const node = await openTestNode(options)
  onTestFinished(() => node.stop())
  return node
}

const hourly = defineJob({
  name: 'hourly',
  schedule: { cron: '0 * * * *', timezone: 'Europe/Madrid' },
  run: () => 'done',
})
const broken = defineJob({
  name: 'broken',
  retry: { attempts: 1 },
  run: () => {
    throw new Error('no')
  },
})

/** How many hours each day has, and how many of its ticks ran. */
function daysOf({ days }: Awaited<ReturnType<TestNode['evertick']['reports']['heatmap']>>) {
  return days.map(({ day, hours }) => [day, hours.length, hours.reduce((sum, { ran }) => sum + ran, 0)])
}

test('a day that loses an hour has 23 of them, one that repeats one 25, and no tick is lost', async () => {
  const spring = await open({ jobs: [hourly], start: '2027-03-26T23:00:00Z' })
  await spring.advance('3d')
  const span = { from: '2027-03-26T23:00:00Z', to: '2027-03-29T22:00:00Z' }
  // The instant of creation is no tick.
  expect(daysOf(await spring.evertick.reports.heatmap('hourly', span))).toEqual([
    ['2027-03-27', 24, 23],
    ['2027-03-28', 23, 23],
    ['2027-03-29', 24, 24],
  ])
  const inUtc = await spring.evertick.reports.heatmap('hourly', { ...span, timezone: 'UTC' })
  expect(inUtc.days.map(({ hours }) => hours.length)).toEqual([1, 24, 24, 22])
  const autumn = await open({ jobs: [hourly], start: '2027-10-29T22:00:00Z' })
  await autumn.advance('3d')
  const longer = await autumn.evertick.reports.heatmap('hourly', {
    from: '2027-10-29T22:00:00Z',
    to: '2027-11-01T00:00:00Z',
  })
  expect(longer.days.map(({ day, hours }) => [day, hours.length])).toEqual([
    ['2027-10-30', 24],
    ['2027-10-31', 25],
    ['2027-11-01', 1],
  ])
})

test('ticks without an execution lie in the hours in which they were due', async () => {
  const node = await open({
    jobs: [defineJob({ name: 'm', schedule: { cron: '*/10 * * * *' }, run: () => 1 })],
  })
  const start = node.clock.now()
  await node.evertick.jobs.pause('m')
  await node.advance('2h')
  await node.evertick.jobs.resume('m')
  const heatmap = await node.evertick.reports.heatmap('m', {
    from: new Date(start),
    to: new Date(start + 3 * hour),
  })
  expect(heatmap.days[0]?.hours.map(({ skipped }) => skipped).slice(0, 2)).toEqual([5, 6])
  const { buckets } = await node.evertick.reports.activity({
    from: new Date(start),
    to: new Date(start + 2 * hour + 1),
    buckets: 1,
  })
  expect(buckets[0]?.skipped).toBe(12)
})

test('the forecast counts what is due, and names where jobs fall together', async () => {
  const every = (name: string, cron: string) => defineJob({ name, schedule: { cron }, run: () => 1 })
  const jobs = [every('a', '0 * * * *'), every('b', '0 */2 * * *'), every('s', '* * * * * *'), broken]
  const node = await open({ jobs, start: '2027-01-04T00:30:00Z' })
  const forecast = await node.evertick.reports.forecast({
    from: '2027-01-04T00:00:00Z',
    to: '2027-01-04T06:00:00Z',
    buckets: 6,
  })
  expect(forecast).toMatchObject({ total: 5 + 2 + 19_799, truncated: false })
  expect(forecast.jobs.map(({ job, count }) => [job, count])).toEqual([
    ['s', 19_799],
    ['a', 5],
    ['b', 2],
  ])
  // The first half hour lies behind; each bucket has its own seconds.
  expect(forecast.buckets.map(({ count }) => count)).toEqual([1_799, 3_601, 3_602, 3_601, 3_602, 3_601])
  // A job of every second is due with everybody: it is counted, and piles up with nobody.
  expect(forecast.pileUps.map(({ at, jobs: due }) => [at.toISOString(), due])).toEqual([
    ['2027-01-04T02:00:00.000Z', ['a', 'b']],
    ['2027-01-04T04:00:00.000Z', ['a', 'b']],
  ])
})

test('the overview says what is wrong, and why', async () => {
  const node = await open({ jobs: [hourly, broken] })
  const { reports, jobs } = node.evertick
  expect((await reports.overview()).health.level).toBe('good')
  const made = await jobs.trigger('broken')
  await node.settle()
  expect(await reports.overview()).toMatchObject({
    health: { level: 'failing', failing: 1 },
    counts: { failedLastDay: 1, completedLastDay: 0, running: 0, waiting: 0 },
    problems: [{ job: 'broken', why: 'failed', executionId: made.id }],
  })
  await jobs.pause('hourly')
  await node.advance('8d')
  // A job fails until it runs well again, however long that is; a pause of a week may be forgotten.
  expect(await reports.overview()).toMatchObject({
    health: { level: 'failing', failing: 1, sentence: '1 failing.' },
    problems: [
      { job: 'broken', why: 'failed', sentence: 'Its last run failed.' },
      { job: 'hourly', why: 'paused' },
    ],
  })
  await node.evertick.leader.stepDown()
  expect((await reports.overview()).health.level).toBe('down')
})

test('each figure of the overview is the length of the list that it links to', async () => {
  const node = await open({ jobs: [hourly, broken] })
  const { reports, jobs, executions } = node.evertick
  await jobs.trigger('broken')
  await node.advance('30h')
  await jobs.trigger('broken')
  await node.settle()
  const { counts } = await reports.overview()
  const listed = async (filter: string) => (await executions.list({ filter, limit: 200 })).executions.length
  const since = `ended:${counts.countedFrom.toISOString()}`
  // Those of hour 6 to hour 30, and not what failed at hour 0.
  expect(counts).toMatchObject({ failedLastDay: 1, completedLastDay: 25 })
  expect(await listed(`state:failed ${since}`)).toBe(counts.failedLastDay)
  expect(await listed(`state:completed ${since}`)).toBe(counts.completedLastDay)
  expect(await listed('state:running')).toBe(counts.running)
  expect(await listed('state:pending,blocked,retrying')).toBe(counts.waiting)
})

test('what sleeps or waits is counted apart from what is tried again, and is the length of its list', async () => {
  const sleeper = defineJob({ name: 'sleeper', run: async (ctx) => await ctx.sleep('a while', '1d') })
  const waiter = defineJob({ name: 'waiter', run: async (ctx) => await ctx.waitFor('approval') })
  const node = await open({ jobs: [sleeper, waiter] })
  const { evertick } = node
  for (const name of ['sleeper', 'waiter', 'waiter']) await evertick.enqueue(name)
  await node.advance('1s')
  const listed = async (state: string) =>
    (await evertick.executions.list({ filter: `state:${state}`, limit: 200 })).executions.length
  const { executions } = await evertick.metrics()
  expect(executions).toEqual({
    total: 3,
    running: 0,
    completed: 0,
    failed: 0,
    retrying: await listed('retrying'),
    sleeping: await listed('sleeping'),
    waiting: await listed('waiting'),
  })
  expect(executions).toMatchObject({ retrying: 0, sleeping: 1, waiting: 2 })
  expect(await evertick.queues.list()).toMatchObject([{ pending: 0, sleeping: 1, waiting: 2 }])
  expect((await evertick.reports.overview()).counts.waiting).toBe(3)
})

test('jobs are counted by the status that the list gives them', async () => {
  const onceBroken = defineJob({ name: 'once-broken', run: () => Promise.reject(new Error('no')) })
  const node = await open({ jobs: [hourly, broken, onceBroken] })
  const { jobs } = node.evertick
  const at = new Date(node.clock.now() + 1_000)
  await jobs.create({ name: 'one-shot', schedule: { at }, handler: 'once-broken', retry: { attempts: 1 } })
  await jobs.create({ name: 'resting', schedule: { every: '1h' }, handler: 'hourly' })
  await jobs.pause('resting')
  await node.advance('2s')
  const listed = (await jobs.list({ limit: 200 })).jobs
  const byStatus: Record<string, number> = {}
  for (const { status } of listed) byStatus[status] = (byStatus[status] ?? 0) + 1
  expect(listed.find(({ name }) => name === 'one-shot')?.status).toBe('failed')
  expect((await node.evertick.metrics()).jobs).toEqual({ total: 5, byStatus })
})

test('a span that is too long, empty or turned round is refused', async () => {
  const { evertick } = await open({ jobs: [hourly] })
  const from = '2027-01-04T00:00:00Z'
  const refused = expect.objectContaining({ code: 'invalid_option', field: 'to' }) as Error
  await expect(evertick.reports.activity({ from, to: from })).rejects.toThrow(refused)
  await expect(evertick.reports.timeline({ from, to: '2027-03-04T00:00:00Z' })).rejects.toThrow(refused)
  await expect(evertick.reports.heatmap('nobody', { from, to: '2027-01-05T00:00:00Z' })).rejects.toThrow(
    expect.objectContaining({ code: 'job_not_found' }),
  )
  await expect(evertick.reports.timeline({ from, to: '2027-01-05T00:00:00Z', cursor: 'x' })).rejects.toThrow(
    expect.objectContaining({ field: 'cursor' }),
  )
})
