/** The whole of the enhanced scheduler in one process, on a manual clock. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { EnhancedScheduler, type EnhancedSchedulerOptions } from '../../../src/index.ts'
import { ManualClock } from '../../../src/testing/index.ts'
import { until } from '../../process/until.ts'
import { keptLogger, silent } from './open-parts.ts'

function open(options: EnhancedSchedulerOptions = {}) {
  const clock = new ManualClock('2026-01-01T00:00:00Z')
  const scheduler = new EnhancedScheduler({
    database: 'sqlite::memory:',
    // Nobody is there to take over, so that time may pass in leaps.
    leader: { lease: '12h', heartbeat: '3h' },
    clock,
    logger: silent,
    ...options,
  })
  onTestFinished(() => scheduler.stop({ timeout: 0 }))
  return { clock, scheduler }
}

/** Lets time pass, five seconds at a time, until something holds. */
async function passUntil(
  clock: ManualClock,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  await until(what, async () => {
    if (await holds()) return true
    clock.moveTo(clock.now() + 5_000)
    return false
  })
}

test('a schedule runs as it is written, and its history tells', async () => {
  const ran: string[] = []
  const { clock, scheduler } = open({
    execute: (schedule, context) => {
      ran.push(`${schedule.domain} ${schedule.profile} ${context.scheduledFor.toISOString()}`)
      return { scanId: 'scan-1', pages: 3 }
    },
  })
  await scheduler.start()
  await scheduler.repository.create({
    scheduleId: 's',
    domain: 'a.example',
    cron: '* * * * *',
    profile: 'deep',
  })
  await passUntil(
    clock,
    'the run',
    async () => (await scheduler.history.find({ status: 'success' })).length === 1,
  )
  expect(ran).toEqual(['a.example deep 2026-01-01T00:01:00.000Z'])
  expect(await scheduler.history.find()).toMatchObject([
    { scheduleId: 's', status: 'success', scanId: 'scan-1' },
  ])
  expect(await scheduler.repository.get('s')).toMatchObject({ lastStatus: 'success' })
})

test('an execute that throws leaves a failed run, tried once, and the next tick comes', async () => {
  const { clock, scheduler } = open({
    execute: () => {
      throw new Error('no route')
    },
  })
  await scheduler.start()
  await scheduler.repository.create({ scheduleId: 's', domain: 'a.example', cron: '* * * * *' })
  await passUntil(
    clock,
    'two failures',
    async () => (await scheduler.history.find({ status: 'failed' })).length === 2,
  )
  expect((await scheduler.history.find())[0]).toMatchObject({ error: 'no route' })
  const evertick = await scheduler.evertick()
  expect((await evertick.executions.list({ job: 's' })).executions.map(({ attempt }) => attempt)).toEqual([
    1, 1,
  ])
})

test('it never runs more at once than maxWorkers, and knows what it runs', async () => {
  const gate = Promise.withResolvers<void>()
  let most = 0
  let running = 0
  const { clock, scheduler } = open({
    maxWorkers: 2,
    execute: async () => {
      running += 1
      most = Math.max(most, running)
      await gate.promise
      running -= 1
    },
  })
  await scheduler.start()
  for (const id of ['a', 'b', 'c', 'd']) {
    await scheduler.repository.create({ scheduleId: id, domain: id, cron: '* * * * *' })
  }
  await passUntil(clock, 'two runs', () => running === 2)
  expect(scheduler.activeExecutions).toHaveLength(2)
  const [first] = scheduler.activeExecutions
  expect(first).toMatchObject({ attempt: 1, scheduledFor: new Date('2026-01-01T00:01:00Z') })
  gate.resolve()
  await passUntil(
    clock,
    'all four',
    async () => (await scheduler.history.find({ status: 'success' })).length >= 4,
  )
  expect(most).toBe(2)
})

test('the API is asked at the start and then every apiSyncInterval, by one node, as a job', async () => {
  let asked = 0
  const { clock, scheduler } = open({
    apiSyncInterval: 300,
    fetchSchedules: () => {
      asked += 1
      return [{ id: 'a', domain: 'a.example', cron: '0 0 1 1 *' }]
    },
    execute: () => null,
  })
  await scheduler.start()
  await until('the first sync', async () => (await scheduler.repository.get('a')) !== null)
  const start = clock.now()
  await passUntil(clock, 'the next sync', () => asked === 2)
  expect(clock.now() - start).toBeGreaterThanOrEqual(295_000)
  const evertick = await scheduler.evertick()
  const { executions } = await evertick.executions.list({ job: 'sync-schedules' })
  await until(
    'its result',
    async () => (await evertick.executions.get(executions[0]?.id ?? '')).result !== null,
  )
  expect((await evertick.executions.get(executions[0]?.id ?? '')).result).toMatchObject({ unchanged: ['a'] })
})

test('a fetch that fails changes nothing, and is tried again before the next interval', async () => {
  let asked = 0
  const { clock, scheduler } = open({
    fetchSchedules: () => {
      asked += 1
      if (asked <= 2) throw new Error('down')
      return [{ id: 'a', domain: 'a.example', every: '1h' }]
    },
    execute: () => null,
  })
  await scheduler.start()
  await passUntil(clock, 'the third try', async () => (await scheduler.repository.get('a')) !== null)
  expect(asked).toBe(3)
  expect(clock.now()).toBeLessThan(Date.UTC(2026, 0, 1, 0, 5))
})

test('what a sync passes over or holds back is logged', async () => {
  const logger = keptLogger()
  let answer: unknown[] = ['a', 'b', 'c'].map((id) => ({ id, domain: id, every: '1h' }))
  const { scheduler } = open({ logger, fetchSchedules: () => answer, execute: () => null })
  await scheduler.syncFromApi()
  answer = [
    { id: 'a', domain: 'a', every: '1h' },
    { id: 'odd', domain: 'x', cron: 'never' },
  ]
  expect(await scheduler.syncFromApi({ dryRun: true })).toMatchObject({ held: ['b', 'c'] })
  await scheduler.syncFromApi()
  const warnings = logger.lines.filter((line) => line.startsWith('warn'))
  expect(warnings.at(-2)).toMatch(/^warn Entry 1 of the API \(odd\) was skipped: /)
  expect(warnings.at(-1)).toMatch(/^warn No schedule was disabled: 2 schedules are missing at once/)
})

test('callbacks hear of changes without a restart', async () => {
  const told: string[] = []
  const { scheduler } = open({
    execute: () => null,
    onAdded: ({ scheduleId }) => void told.push(`+${scheduleId}`),
    onModified: ({ scheduleId }) => void told.push(`~${scheduleId}`),
    onDeleted: ({ scheduleId }) => void told.push(`-${scheduleId}`),
  })
  await scheduler.start()
  await scheduler.repository.create({ scheduleId: 's', domain: 'a', every: '1h' })
  await until('the first', () => told.length === 1)
  await scheduler.repository.update('s', { every: '2h' })
  await until('the second', () => told.length === 2)
  await scheduler.repository.delete('s')
  await until('the third', () => told.length === 3)
  expect(told).toEqual(['+s', '~s', '-s'])
})

test('without anything to execute it only schedules', async () => {
  const { scheduler } = open()
  await scheduler.start()
  const evertick = await scheduler.evertick()
  expect((await evertick.nodes.list()).map(({ roles }) => roles)).toEqual([['scheduler']])
  await scheduler.stop()
  await scheduler.stop()
})

test('its numbers are seconds, and durations as text work too', async () => {
  const { scheduler } = open({ apiSyncInterval: '90s', fetchSchedules: () => [], execute: () => null })
  await scheduler.start()
  const evertick = await scheduler.evertick()
  expect((await evertick.jobs.get('sync-schedules')).schedule).toMatchObject({ every: '1m30s' })
})

test.each([
  [{ enableApiSync: true }, 'enableApiSync'],
  [{ fetchSchedules: () => [], apiUrl: 'https://api.example' }, 'apiUrl'],
  [{ maxWorkers: 0 }, 'maxWorkers'],
  [{ maxWorkers: 2.5 }, 'maxWorkers'],
  [{ apiSyncInterval: -1 }, 'apiSyncInterval'],
  [{ scheduleCheckInterval: 0 }, 'scheduleCheckInterval'],
  [{ max_workers: 5 }, 'max_workers'],
  [{ apiSync: { sauce: 'x' } }, 'sauce'],
])('%j is refused', (options, field) => {
  expect(() => new EnhancedScheduler(options as EnhancedSchedulerOptions)).toThrow(
    expect.objectContaining({ code: 'invalid_option', field }),
  )
})

test('the environment fills in what is not given, and only at the first use', async () => {
  vi.stubEnv('MAX_WORKERS', 'many')
  const { scheduler } = open({ execute: () => null })
  await expect(scheduler.start()).rejects.toMatchObject({ code: 'invalid_config', field: 'MAX_WORKERS' })
  vi.stubEnv('MAX_WORKERS', '7')
  await scheduler.start()
  const [node] = await (await scheduler.evertick()).nodes.list()
  expect(node?.queues).toMatchObject({ schedules: 7 })
})
