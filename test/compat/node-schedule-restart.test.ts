/** What node-schedule lacks: a job with a name is known again after a restart. */
import { expect, onTestFinished, test, vi } from 'vitest'
import * as ours from '../../src/compat/node-schedule/index.ts'
import { keeper } from '../../src/compat/node-schedule/keeper.ts'
import { Stage } from './persistent-scheduler/stage.ts'

interface Life {
  readonly stage: Stage
  readonly said: string[]
}

/** The adapter on a database file of its own. Called again with the same stage, it is the next process. */
function begin(stage = new Stage(), more: ours.NodeScheduleOptions = {}): Life {
  const said: string[] = []
  const log = (message: string) => void said.push(message)
  const logger = { debug: log, info: () => {}, warn: log, error: log }
  ours.configure({ database: `sqlite:${stage.folder}/jobs.db`, clock: stage.clock, logger, ...more })
  onTestFinished(() => end(stage))
  return { stage, said }
}

async function end(stage: Stage): Promise<void> {
  await stage.driven(ours.gracefulShutdown())
}

const hourly = { rule: '0 * * * *', tz: 'UTC' }
const noting = (ran: string[]) => (at: Date) => void ran.push(at.toISOString().slice(8, 16))

test.each([
  ['latest, by default', {}, ['01T05:00']],
  ['all', { catchUp: { policy: 'all', maxMissedRuns: 2 } } as const, ['01T04:00', '01T05:00']],
  ['none', { catchUp: 'none' } as const, []],
])('a job with a name catches up after a restart: %s', async (_, options, expected) => {
  const { stage } = begin()
  const ran: string[] = []
  ours.scheduleJob('report', hourly, options, noting(ran))
  await ours.ready()
  await stage.advance('1h1s')
  expect(ran).toEqual(['01T01:00'])
  await end(stage)
  expect(Object.keys(ours.scheduledJobs)).toEqual([])
  await stage.away('4h30m')
  begin(stage)
  ours.scheduleJob('report', hourly, options, noting(ran))
  await ours.ready()
  await stage.advance('10s')
  expect(ran.slice(1)).toEqual(expected)
  const evertick = await keeper.evertick()
  expect(await evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
})

test('a job without a name runs, leaves nothing behind, and cannot ask to be caught up', async () => {
  const { stage } = begin()
  const ran: string[] = []
  const job = ours.scheduleJob(hourly, noting(ran))
  expect(job?.name).toMatch(/^<Anonymous Job \d+ 2026-01-01T00:00:00.000Z>$/)
  await ours.ready()
  await stage.advance('1h')
  expect(ran).toEqual(['01T01:00'])
  await end(stage)
  await stage.away('5h')
  begin(stage)
  ours.scheduleJob(hourly, noting(ran))
  const evertick = await keeper.evertick()
  expect((await evertick.jobs.list()).jobs).toEqual([])
  await ours.ready()
  await stage.advance('1s')
  expect(ran).toHaveLength(1)
  const asking = () =>
    (ours.scheduleJob as (...given: unknown[]) => unknown)(hourly, { catchUp: 'all' }, () => {})
  expect(asking).toThrow(expect.objectContaining({ code: 'invalid_option', field: 'catchUp' }))
})

test('a date that passed while no process ran is caught up, once; one that nobody knows is not', async () => {
  const { stage } = begin()
  const ran: string[] = []
  const date = new Date('2026-01-01T01:00:00Z')
  ours.scheduleJob('once', date, noting(ran))
  await ours.ready()
  await end(stage)
  await stage.away('5h')
  for (const _ of [1, 2]) {
    begin(stage)
    ours.scheduleJob('once', date, noting(ran))
    ours.scheduleJob('unknown', date, noting(ran))
    await ours.ready()
    await stage.advance('1s')
    expect(Object.keys(ours.scheduledJobs)).not.toContain('unknown')
    await end(stage)
  }
  expect(ran).toEqual(['01T01:00'])
})

test('a cancelled job is gone for good', async () => {
  const { stage } = begin()
  const ran: string[] = []
  ours.scheduleJob('report', hourly, noting(ran))
  ours.scheduleJob('other', hourly, () => {})
  expect(ours.cancelJob('report')).toBe(true)
  await ours.ready()
  const evertick = await keeper.evertick()
  expect((await evertick.jobs.list()).jobs.map(({ name }) => name)).toEqual(['other'])
  await stage.advance('2h')
  expect(ran).toEqual([])
})

test('the zone of the first scheduling is stored', async () => {
  vi.stubEnv('TZ', 'Asia/Tokyo')
  const { stage } = begin()
  const ran: string[] = []
  ours.scheduleJob('report', '0 8 * * *', noting(ran))
  await ours.ready()
  await end(stage)
  vi.stubEnv('TZ', 'America/New_York')
  begin(stage)
  const job = ours.scheduleJob('report', '0 8 * * *', noting(ran))
  await ours.ready()
  expect(job?.nextInvocation()).toEqual(new Date('2026-01-01T23:00:00Z'))
})

test('a failure that nobody listens for is logged, and the job goes on', async () => {
  const { stage, said } = begin()
  ours.scheduleJob('fails', hourly, () => Promise.reject(new Error('no')))
  await ours.ready()
  await stage.advance('2h')
  expect(said.filter((line) => line === 'fails failed')).toHaveLength(2)
})

test('runs may overlap, and a shutdown waits for them', async () => {
  const { stage } = begin()
  let [going, most] = [0, 0]
  const job = ours.scheduleJob('slow', { rule: '* * * * *', tz: 'UTC' }, async () => {
    going += 1
    most = Math.max(most, going)
    await stage.clock.sleep(150_000)
    going -= 1
  })
  await ours.ready()
  await stage.advance('3m')
  expect(job?.running).toBe(3)
  await end(stage)
  expect([most, going]).toEqual([3, 0])
})

test('configure comes before the first job, and knows its options', () => {
  expect(() => ours.configure({ datbase: 'x' } as ours.NodeScheduleOptions)).toThrow(
    expect.objectContaining({ next: 'Did you mean "database"?' }),
  )
  begin()
  ours.scheduleJob('a', hourly, () => {})
  expect(() => ours.configure({})).toThrow(expect.objectContaining({ code: 'invalid_config' }))
})

test('what no call of it can mean is refused', () => {
  begin()
  const call = ours.scheduleJob as (...given: unknown[]) => unknown
  expect(() => call(hourly)).toThrow('Invalid number of arguments')
  expect(() => call('a', hourly, 'no function')).toThrow('The job method must be a function.')
  expect(() => call('a', hourly, { retries: 1 }, () => {})).toThrow(
    expect.objectContaining({ field: 'retries' }),
  )
  expect(() => ours.rescheduleJob('nobody', hourly)).toThrow(
    expect.objectContaining({ code: 'job_not_found' }),
  )
  expect(ours.cancelJob('nobody')).toBe(false)
})
