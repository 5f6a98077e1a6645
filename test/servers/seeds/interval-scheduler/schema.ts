/** Phase 1, and what the deployment does with the database. */
import { expect, test } from 'vitest'
import { runCli, testFolder } from '../../../cli/run-cli.ts'
import { migrations } from '../../../store/migrations-by-name.ts'
import { emptyDatabase, open, rowsOf } from './open.ts'

const jobWords = [
  'interval_minutes',
  'interval_type',
  'schedule_time',
  'next_run_at',
  'is_paused',
  'max_retries',
  'current_retry_count',
  'lock_token',
  'lock_acquired_at',
  'status',
]

export function phase1(): void {
  test('a job has the words of the page, and its next run is calculated', async () => {
    const { scheduler } = await open()
    const job = await scheduler.createJob({ name: 'crawl', interval_minutes: 30, max_retries: 5 })
    expect(Object.keys(job)).toEqual(expect.arrayContaining(jobWords))
    expect(job).toMatchObject({
      interval_minutes: 30,
      interval_type: 'minutes',
      next_run_at: new Date('2026-01-01T00:30:00Z'),
      is_paused: false,
      max_retries: 5,
      current_retry_count: 0,
      lock_token: null,
      lock_acquired_at: null,
    })
  })

  test('a job that runs shows who has it locked, and since when', async () => {
    const { node, scheduler } = await open({
      execute: (_job, { signal }) => node.clock.sleep(3_600_000, signal),
    })
    await scheduler.createJob({ name: 'crawl', interval_minutes: 30 })
    await node.advance('31m')
    const [execution] = await node.executions('crawl')
    expect(await scheduler.jobs.get('crawl')).toMatchObject({
      status: 'running',
      lock_token: `${execution?.id}:1`,
      lock_acquired_at: new Date('2026-01-01T00:30:00Z'),
    })
  })

  test('job_executions keeps each run, with its duration', async () => {
    const { url, node, scheduler } = await open({
      execute: (_job, { signal }) => node.clock.sleep(1_500, signal),
    })
    await scheduler.createJob({ name: 'crawl', interval_minutes: 30 })
    await node.advance('31m')
    const { executions } = await scheduler.executions.list({ job: 'crawl' })
    expect(executions).toMatchObject([{ state: 'completed', durationMs: 1_500 }])
    const [row] = await rowsOf(url, 'SELECT count(*)::int AS n FROM evertick.job_executions')
    expect(row).toEqual({ n: 1 })
  })

  test('both tables have their indexes', async () => {
    const { url } = await open()
    const found = await rowsOf(
      url,
      `SELECT DISTINCT tablename FROM pg_indexes
       WHERE schemaname = 'evertick' AND tablename IN ('jobs', 'live_executions', 'finished_executions')`,
    )
    // The executions are in two: those that have finished, and those that have not.
    expect(found).toHaveLength(3)
  })

  test('existing crons are converted to intervals', async () => {
    const { node, scheduler } = await open()
    await scheduler.createJob({ name: 'hourly', schedule_time: '0 * * * *' })
    expect(await node.evertick.jobs.convert()).toMatchObject({ converted: 1, manual: [] })
    expect(await scheduler.jobs.get('hourly')).toMatchObject({
      interval_minutes: 60,
      schedule_time: '0 * * * *',
    })
  })
}

async function cli(url: string, ...args: string[]) {
  return await runCli([...args, '--database', url, '--json'], { cwd: testFolder() })
}

export function step1(): void {
  test('the migration makes the tables, with no execution, and the jobs with a cron have an interval after it', async () => {
    const url = await emptyDatabase()
    expect(await cli(url, 'migrate', 'up')).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ applied: migrations })}\n`,
    })
    expect(await rowsOf(url, 'SELECT count(*)::int AS n FROM evertick.job_executions')).toEqual([{ n: 0 }])
    for (const [name, cron] of [
      ['hourly', '0 * * * *'],
      ['often', '*/15 * * * *'],
    ] as const) {
      expect(await cli(url, 'jobs', 'create', name, '--cron', cron)).toMatchObject({ code: 0 })
    }
    const { stdout } = await cli(url, 'jobs', 'convert')
    expect(JSON.parse(stdout)).toEqual({
      converted: 2,
      intervals: [
        { job: 'hourly', cron: '0 * * * *', every: '1h' },
        { job: 'often', cron: '*/15 * * * *', every: '15m' },
      ],
      manual: [],
    })
    const kinds = await rowsOf(
      url,
      `SELECT DISTINCT spec::json->'schedule'->>'kind' AS kind FROM evertick.jobs`,
    )
    expect(kinds).toEqual([{ kind: 'every' }])
  })
}

/** "Should equal jobs with schedule_time": of the tables that are there, and not of new ones. */
export function existingCronJobs(): void {
  test('existing cron jobs come along: each becomes an interval with the same ticks, or is named for a person', async () => {
    const url = await emptyDatabase()
    await rowsOf(
      url,
      `CREATE TABLE jobs (id UUID PRIMARY KEY DEFAULT gen_random_uuid(), name TEXT, url TEXT, status VARCHAR(20),
         schedule_time TEXT, created_at TIMESTAMP WITH TIME ZONE DEFAULT now());
       INSERT INTO jobs (name, url, status, schedule_time) VALUES ('hourly', 'https://a.example', 'scheduled', '0 * * * *'),
         ('often', 'https://b.example', 'running', '*/15 * * * *'), ('office', 'https://c.example', 'scheduled', '0 9,17 * * 1-5')`,
    )
    await cli(url, 'migrate', 'up')
    const before = await rowsOf(url, 'SELECT * FROM public.jobs ORDER BY name')
    const startAt = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 3_600_000).toISOString()
    const given = ['interval-jobs', '--from', url, '--handler', 'crawl']
    expect(await cli(url, 'import', ...given)).toMatchObject({ code: 0 })
    expect(await cli(url, 'import', ...given, '--start-at', startAt)).toMatchObject({ code: 0 })
    const ticks = async (job: string) => {
      const { stdout } = await cli(url, 'jobs', 'upcoming', job)
      return (JSON.parse(stdout) as { upcoming: string[] }).upcoming
    }
    const crons = [await ticks('hourly'), await ticks('often')]
    expect(crons[0]?.[0]).toBe(startAt)
    const { stdout } = await cli(url, 'jobs', 'convert')
    expect(JSON.parse(stdout)).toMatchObject({
      converted: 2,
      manual: [{ job: 'office', cron: '0 9,17 * * 1-5' }],
    })
    expect([await ticks('hourly'), await ticks('often')]).toEqual(crons)
    // The way back: nothing there has changed.
    expect(await rowsOf(url, 'SELECT * FROM public.jobs ORDER BY name')).toEqual(before)
  })
}

export function rollback(): void {
  test('the crons come back, and then the schema goes', async () => {
    const url = await emptyDatabase()
    await cli(url, 'migrate', 'up')
    await cli(url, 'jobs', 'create', 'hourly', '--cron', '0 * * * *', '--tz', 'Asia/Kolkata')
    await cli(url, 'jobs', 'convert')
    const dry = await cli(url, 'jobs', 'convert', '--back', '--dry-run')
    const back = await cli(url, 'jobs', 'convert', '--back')
    expect(back).toEqual(dry)
    expect(JSON.parse(back.stdout)).toEqual({
      converted: 1,
      intervals: [{ job: 'hourly', cron: '0 * * * *', every: '1h' }],
      manual: [],
    })
    const shown = await cli(url, 'jobs', 'show', 'hourly')
    expect(JSON.parse(shown.stdout)).toMatchObject({
      schedule: { cron: '0 * * * *', timezone: 'Asia/Kolkata' },
    })
    const log = await cli(url, 'audit-log')
    const { entries } = JSON.parse(log.stdout) as { entries: { action: string; subject: string }[] }
    expect(entries.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
      'job.edit hourly',
      'job.edit hourly',
      'job.create hourly',
    ])
    expect(await cli(url, 'migrate', 'down', '--yes')).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ undone: migrations.toReversed() })}\n`,
    })
    expect(await rowsOf(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'evertick'`)).toEqual([])
  })
}
