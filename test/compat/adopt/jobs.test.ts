/** Tables of schedules and of interval jobs: what becomes what, beside the old scheduler, and at the switch. */
import { expect, test, vi } from 'vitest'
import { adoptIntervalJobs } from '../../../src/compat/adopt/interval-jobs.ts'
import { adoptSchedules } from '../../../src/compat/adopt/schedules.ts'
import { defineJob, IntervalScheduler, JobHistory, ScheduleRepository } from '../../../src/index.ts'
import { became, oldSystem } from './old-system.ts'

const schedules = `
  CREATE TABLE schedules (id INTEGER PRIMARY KEY, schedule_id TEXT UNIQUE, domain TEXT, domain_config_id TEXT, profile TEXT,
    cron_expression TEXT, frequency TEXT, timezone TEXT, enabled BOOLEAN, last_run TIMESTAMP, next_run TIMESTAMP, owner TEXT);
  INSERT INTO schedules (schedule_id, domain, domain_config_id, profile, cron_expression, frequency, timezone, enabled, owner) VALUES
    ('shop', 'shop.example', 'cfg-1', 'deep', '0 3 * * *', NULL, 'Europe/Madrid', 1, 'ana'),
    ('blog', 'blog.example', NULL, NULL, NULL, 'hourly', NULL, 1, NULL),
    ('off', 'off.example', NULL, NULL, NULL, 'daily', NULL, 0, NULL);
  CREATE TABLE job_executions (execution_id TEXT PRIMARY KEY, schedule_id INTEGER, job_id TEXT, domain TEXT, status TEXT,
    started_at TIMESTAMP, completed_at TIMESTAMP, duration_ms INT, error_message TEXT, scan_id TEXT, metadata TEXT);
  INSERT INTO job_executions VALUES
    ('e1', 1, 'j1', 'shop.example', 'success', '2025-12-30 02:00:00', '2025-12-30 02:00:05', 5000, NULL, 'scan-1', '{"by":"cron"}'),
    ('e2', 1, 'j1', 'shop.example', 'failed', '2025-12-31 02:00:00', '2025-12-31 02:00:01', 1000, 'no route', NULL, NULL),
    ('e3', 1, 'j1', 'shop.example', 'started', '2025-12-31 23:59:00', NULL, NULL, NULL, NULL, NULL),
    ('e4', 99, 'j9', 'gone.example', 'success', '2025-12-31 02:00:00', '2025-12-31 02:00:01', 1000, NULL, NULL, NULL);`

const none = { startAt: null, history: null }

test('schedules keep domain, configuration, profile, time and zone; a disabled one stays disabled', async () => {
  const { node, options } = await oldSystem(schedules)
  const report = await adoptSchedules(node.evertick, { ...options('schedules'), ...none })
  expect(report.jobs).toMatchObject([
    { job: 'shop', result: 'created', held: true, says: '0 3 * * *' },
    { job: 'blog', result: 'created', held: true, says: 'hourly' },
    { job: 'off', result: 'created', held: false, says: 'daily, disabled' },
  ])
  const repository = new ScheduleRepository(node.evertick)
  expect(await repository.get('shop')).toMatchObject({
    domain: 'shop.example',
    domainConfigId: 'cfg-1',
    profile: 'deep',
    cron: '0 3 * * *',
    timezone: 'Europe/Madrid',
    enabled: false,
    metadata: { owner: 'ana' },
  })
  expect((await repository.findByDomain('blog.example')).map(({ cron }) => cron)).toEqual(['@hourly'])
  const reasons = []
  for (const name of ['shop', 'off']) reasons.push((await node.evertick.jobs.get(name)).pausedReason)
  expect(reasons).toEqual(['imported: held until the switch', 'paused in the old scheduler'])
})

test('side by side: nothing runs here before the switch, nothing is missed or doubled at it', async () => {
  const runs: string[] = []
  const run = defineJob({
    name: 'run-schedule',
    run: ({ job, scheduledFor }) => void runs.push(`${job} ${scheduledFor.toISOString().slice(11, 16)}`),
  })
  const { node, options } = await oldSystem(schedules, {
    jobs: [run],
    queues: { schedules: { concurrency: 5 } },
  })
  await adoptSchedules(node.evertick, { ...options('schedules'), ...none })
  await node.advance('90m')
  expect(runs).toEqual([])
  // At 01:30 the old scheduler is told to stop at 02:30.
  const startAt = new Date('2026-01-01T02:30:00Z')
  const report = await adoptSchedules(node.evertick, { ...options('schedules'), ...none, startAt })
  expect(report.jobs.map(({ job, result }) => `${job} ${result}`).toSorted()).toEqual([
    'blog updated',
    'off unchanged',
    'shop updated',
  ])
  await node.advance('3h')
  // 02:00 was the old one's: blog by the hour, shop at 03:00 in Madrid.
  expect(runs).toEqual(['blog 03:00', 'blog 04:00'])
  await node.advance('24h')
  expect(runs.filter((line) => line.startsWith('shop'))).toEqual(['shop 02:00'])
  const { ticks, ranges } = await node.evertick.jobs.explain('blog', {
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-01T04:30:00Z',
  })
  expect(
    ticks.map(({ scheduledFor, account }) => `${scheduledFor.toISOString().slice(11, 16)} ${account}`),
  ).toEqual(expect.arrayContaining(['03:00 fired', '04:00 fired']))
  expect(ranges.every(({ reason }) => reason === 'paused')).toBe(true)
  expect(await node.evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
})

test('importing again brings what has changed there, and leaves alone what a person does here', async () => {
  const { node, owner, options } = await oldSystem(schedules)
  const adopt = async (startAt: Date | null = null) => {
    const { jobs, left } = await adoptSchedules(node.evertick, { ...options('schedules'), ...none, startAt })
    expect(left).toEqual([])
    return Object.fromEntries(jobs.map(({ job, result }) => [job, result]))
  }
  await adopt()
  expect(await adopt()).toEqual({ shop: 'unchanged', blog: 'unchanged', off: 'unchanged' })
  owner.exec(`UPDATE schedules SET cron_expression = '0 4 * * *' WHERE schedule_id = 'shop'`)
  owner.exec(`UPDATE schedules SET enabled = 1 WHERE schedule_id = 'off'`)
  expect(await adopt()).toEqual({ shop: 'updated', blog: 'unchanged', off: 'updated' })
  const shop = await node.evertick.jobs.get('shop')
  expect([shop.schedule, shop.isPaused]).toEqual([{ cron: '0 4 * * *', timezone: 'Europe/Madrid' }, true])

  await adopt(new Date('2026-01-01T01:00:00Z'))
  await node.evertick.jobs.pause('blog', { reason: 'by ana' })
  const later = await adopt(new Date('2026-01-01T02:00:00Z'))
  expect(later).toEqual({ shop: 'unchanged', blog: 'unchanged', off: 'unchanged' })
  const states = []
  for (const name of ['shop', 'blog', 'off']) states.push((await node.evertick.jobs.get(name)).state)
  expect(states).toEqual(['active', 'paused', 'active'])
})

test('an import that was killed between a job and the reason of its pause is finished by the next one', async () => {
  const { node, options } = await oldSystem(schedules)
  const given = { ...options('schedules'), ...none }
  const killed = vi.spyOn(node.evertick.jobs, 'pause').mockRejectedValue(new Error('killed'))
  await expect(adoptSchedules(node.evertick, given)).rejects.toThrow('killed')
  killed.mockRestore()
  expect(await node.evertick.jobs.get('shop')).toMatchObject({ isPaused: true, pausedReason: null })
  const { jobs } = await adoptSchedules(node.evertick, given)
  expect(jobs.map(({ result }) => result)).toEqual(['updated', 'updated', 'updated'])
  expect((await node.evertick.jobs.get('shop')).pausedReason).toBe('imported: held until the switch')
})

test('a name that is somebody else’s, and a row that makes no job, are left; a dry run says so, too', async () => {
  const { node, owner, options } = await oldSystem(schedules)
  await node.evertick.jobs.create({ name: 'shop', schedule: { every: '1h' } })
  owner.exec(`UPDATE schedules SET frequency = NULL, cron_expression = 'nonsense' WHERE schedule_id = 'blog'`)
  const dry = await adoptSchedules(node.evertick, { ...options('schedules', { dryRun: true }), ...none })
  const real = await adoptSchedules(node.evertick, { ...options('schedules'), ...none })
  expect(real.left).toEqual(dry.left)
  expect(real.left.map(({ row }) => row).toSorted()).toEqual(['blog', 'shop'])
  expect(real.left.map(({ why }) => why).join()).toMatch(
    /there is a job named shop already.*|cron has 1 field/,
  )
  expect((await node.evertick.jobs.get('shop')).schedule).toMatchObject({ every: '1h' })
})

test('history: runs that have ended, of jobs that were imported, once; with their figures', async () => {
  const { node, options } = await oldSystem(schedules)
  const given = { ...options('schedules'), startAt: null, history: 'job_executions' }
  const report = await adoptSchedules(node.evertick, given)
  expect(became(report)).toEqual([
    'run: failed > history: failed: 1',
    'run: success > history: completed: 1',
    'run: success > nothing: its job was not imported: 1',
  ])
  expect(report.left).toMatchObject([{ row: 'e3', why: 'its status is "started": it has not ended there' }])
  const again = await adoptSchedules(node.evertick, given)
  expect(became(again).filter((line) => line.includes('imported before'))).toHaveLength(2)
  const history = new JobHistory(node.evertick)
  expect(await history.find({ scheduleId: 'shop' })).toMatchObject([
    { status: 'failed', error: 'no route', startedAt: new Date('2025-12-31T02:00:00Z'), durationMs: 1_000 },
    { status: 'success', scanId: 'scan-1', durationMs: 5_000, metadata: { by: 'cron' } },
  ])
  expect(await history.getStatistics({ scheduleId: 'shop', days: 7 })).toMatchObject({
    total: 2,
    successRate: 0.5,
  })
  await history.close()
})

const jobs = `
  CREATE TABLE jobs (id TEXT PRIMARY KEY, name TEXT, url TEXT, interval_minutes INT, interval_type TEXT, schedule_time TEXT,
    next_run_at TIMESTAMP, status TEXT, is_paused BOOLEAN, max_retries INT, current_retry_count INT, lock_token TEXT);
  INSERT INTO jobs VALUES
    ('u1', 'every', 'https://a.example', 6, 'hours', NULL, '2026-01-01 04:07:00', 'scheduled', 0, 3, 1, NULL),
    ('u2', 'cron', 'https://b.example', NULL, NULL, '0 9,17 * * 1-5', NULL, 'running', 0, 3, 0, 'x'),
    ('u3', 'both', 'https://c.example', 30, NULL, '*/30 * * * *', NULL, 'paused', 1, 0, 0, NULL),
    ('u4', 'once', 'https://d.example', NULL, NULL, NULL, NULL, 'pending', 0, 1, 0, NULL),
    ('u5', 'done', 'https://e.example', NULL, NULL, NULL, NULL, 'completed', 0, 1, 0, NULL),
    ('u6', 'stopped', 'https://f.example', 5, 'minutes', NULL, NULL, 'cancelled', 0, 1, 0, NULL),
    ('u7', 'every', 'https://g.example', 5, 'minutes', NULL, NULL, 'scheduled', 0, 1, 0, NULL);`

test('interval jobs keep interval, phase, cron, pause and retries; the rest of a row is the input', async () => {
  const { node, options } = await oldSystem(jobs)
  const given = { ...options('jobs'), ...none, handler: 'crawl' }
  const report = await adoptIntervalJobs(node.evertick, given)
  expect(report.jobs.map(({ job, says }) => `${job}: ${says}`)).toEqual([
    'every: every 6 hours, a retry so far: not counted here',
    'cron: 0 9,17 * * 1-5, runs there now',
    'both: every 30 minutes, its cron */30 * * * * is kept, paused there',
    'once: once',
  ])
  expect(became(report)).toEqual(['cancelled > nothing: it is over: 1', 'completed > nothing: it is over: 1'])
  expect(report.left).toMatchObject([{ row: 'u7', why: 'another row is named every, too' }])
  expect(await node.evertick.jobs.get('every')).toMatchObject({
    schedule: { every: '6h', anchor: '2026-01-01T04:07:00.000Z' },
    input: { url: 'https://a.example' },
    handler: { type: 'function', name: 'crawl' },
    retry: { attempts: 4 },
  })
  const scheduler = new IntervalScheduler({ evertick: node.evertick })
  expect(await scheduler.jobs.get('both')).toMatchObject({
    interval_minutes: 30,
    schedule_time: '*/30 * * * *',
    is_paused: true,
    max_retries: 0,
  })
  const converted = await node.evertick.jobs.convert({ dryRun: true })
  expect(converted.manual).toMatchObject([{ job: 'cron' }])
})

test('at the switch intervals go on in phase, what runs once runs once, and what was paused stays so', async () => {
  const runs: string[] = []
  const crawl = defineJob({
    name: 'crawl',
    run: ({ job, scheduledFor }) => void runs.push(`${job} ${scheduledFor.toISOString().slice(11, 16)}`),
  })
  const { node, options } = await oldSystem(jobs, { jobs: [crawl] })
  const given = { ...options('jobs'), history: null, handler: 'crawl' }
  await adoptIntervalJobs(node.evertick, { ...given, startAt: null })
  await node.advance('3h')
  const switched = { ...given, startAt: new Date('2026-01-01T03:30:00Z') }
  await adoptIntervalJobs(node.evertick, switched)
  await node.advance('8h')
  const expected = ['once 03:30', 'every 04:07', 'cron 09:00', 'every 10:07']
  expect(runs).toEqual(expected)
  // Made again, it does not run twice what runs once.
  await adoptIntervalJobs(node.evertick, { ...switched, startAt: new Date('2026-01-01T12:00:00Z') })
  await node.advance('2h')
  expect(runs).toEqual(expected)
})

test('imported with the switch at once, it is the same', async () => {
  const runs: string[] = []
  const crawl = defineJob({ name: 'crawl', run: ({ job }) => void runs.push(job) })
  const { node, options } = await oldSystem(jobs, { jobs: [crawl] })
  const startAt = new Date('2026-01-01T01:00:00Z')
  await adoptIntervalJobs(node.evertick, { ...options('jobs'), history: null, handler: 'crawl', startAt })
  await node.advance('5h')
  expect(runs).toEqual(['once', 'every'])
})

test('a switch lies ahead, and a job that it has passed is left', async () => {
  const { node, options } = await oldSystem(jobs)
  const past = { ...options('jobs'), history: null, startAt: new Date('2025-12-31T00:00:00Z') }
  await expect(adoptIntervalJobs(node.evertick, past)).rejects.toMatchObject({ code: 'invalid_option' })
  const [first] = (await adoptIntervalJobs(node.evertick, { ...past, startAt: null })).jobs
  expect(first?.held).toBe(true)
})
