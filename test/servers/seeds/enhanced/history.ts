/** 7.4: the history of every run, in PostgreSQL. */
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMysql } from '../../../services/databases.ts'
import { freshDatabase, passUntil, query, standOn } from './stand.ts'

export function walkHistory(): void {
  test('a run is recorded from start to completion, with its error, its scan and its metadata', async () => {
    const url = await freshDatabase()
    const { clock, open } = standOn(url)
    const { repository, history } = open()
    await repository.create({ scheduleId: 's', domain: 'a.example', every: '1d' })
    const id = await history.startExecution({ scheduleId: 's', jobId: 'job-1', metadata: { pages: 1 } })
    const columns =
      'SELECT id, state, started_at::float8 AS started_at, finished_at FROM evertick.job_executions'
    expect(await query(url, columns)).toEqual([
      { id, state: 'running', started_at: clock.now(), finished_at: null },
    ])
    expect(await history.find({ status: 'started' })).toMatchObject([{ executionId: id, completedAt: null }])
    clock.moveTo(clock.now() + 7_000)
    const error = Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' })
    await history.completeExecution(id, { status: 'failed', error, scanId: 'scan-9', metadata: { pages: 2 } })
    expect(await history.find()).toMatchObject([
      {
        executionId: id,
        scheduleId: 's',
        jobId: 'job-1',
        domain: 'a.example',
        status: 'failed',
        startedAt: new Date('2026-01-01T00:00:00Z'),
        completedAt: new Date('2026-01-01T00:00:07Z'),
        durationMs: 7_000,
        error: 'no route',
        errorDetails: { name: 'Error', code: 'EHOSTUNREACH' },
        scanId: 'scan-9',
        metadata: { pages: 2 },
      },
    ])
    await expect(history.completeExecution(id, { status: 'success' })).rejects.toMatchObject({
      code: 'invalid_transition',
    })
  })

  test('every status that the page names is there: started, success, failed, cancelled', async () => {
    const { open } = standOn(await freshDatabase())
    const { repository, history } = open()
    await repository.create({ scheduleId: 's', domain: 'a.example', every: '1d' })
    for (const status of ['success', 'failed', 'cancelled'] as const) {
      const id = await history.startExecution({ scheduleId: 's' })
      await history.completeExecution(id, { status })
    }
    await history.startExecution({ scheduleId: 's' })
    expect((await history.find()).map(({ status }) => status)).toEqual([
      'started',
      'cancelled',
      'failed',
      'success',
    ])
  })

  test('runs of the engine and runs by hand are in one list, by schedule, domain and time range', async () => {
    const { clock, open } = standOn(await freshDatabase())
    const scheduler = open({ execute: () => ({ scanId: 'from-the-engine' }) })
    const { repository, history } = scheduler
    await scheduler.start()
    await repository.create({ scheduleId: 'a', domain: 'a.example', cron: '* * * * *' })
    await repository.create({ scheduleId: 'b', domain: 'b.example', every: '1d' })
    const id = await history.startExecution({ scheduleId: 'b' })
    await history.completeExecution(id, { status: 'success' })
    const ended = () => history.find({ domain: 'a.example', status: 'success' })
    await passUntil(clock, 'two runs', async () => (await ended()).length >= 2)
    const [newest] = await history.find({ scheduleId: 'a', status: 'success', limit: 1 })
    expect(newest).toMatchObject({ domain: 'a.example', scanId: 'from-the-engine' })
    expect(await history.find({ domain: 'b.example' })).toMatchObject([{ executionId: id }])
    const early = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:01:00Z' }
    expect(await history.find(early)).toMatchObject([{ executionId: id }])
    const later = await history.find({ from: early.to })
    expect(new Set(later.map(({ scheduleId }) => scheduleId))).toEqual(new Set(['a']))
  })

  test('statistics: totals, success rate, average duration', async () => {
    const { clock, open } = standOn(await freshDatabase())
    const { repository, history } = open()
    await repository.create({ scheduleId: 's', domain: 'a.example', every: '1d' })
    for (const [index, status] of (['success', 'success', 'success', 'failed'] as const).entries()) {
      const id = await history.startExecution({ scheduleId: 's' })
      clock.moveTo(clock.now() + (index + 1) * 1_000)
      await history.completeExecution(id, { status })
    }
    expect(await history.getStatistics({ domain: 'a.example', days: 1 })).toMatchObject({
      total: 4,
      success: 3,
      failed: 1,
      successRate: 0.75,
      avgDurationMs: 2_500,
    })
    clock.moveTo(clock.now() + 2 * 86_400_000)
    expect(await history.getStatistics({ scheduleId: 's', days: 1 })).toMatchObject({
      total: 0,
      successRate: null,
    })
  })

  test('old records go when they are told to, and by the retention of their schedule', async () => {
    const { clock, open } = standOn(await freshDatabase())
    const { repository, history } = open()
    await repository.create({
      scheduleId: 's',
      domain: 'a.example',
      every: '100d',
      retention: { age: '365d' },
    })
    for (let count = 0; count < 3; count += 1) {
      const id = await history.startExecution({ scheduleId: 's' })
      await history.completeExecution(id, { status: 'failed', error: 'no' })
      clock.moveTo(clock.now() + 10 * 86_400_000)
    }
    expect(await history.cleanup({ days: 15 })).toBe(2)
    expect(await history.cleanup({ days: 15 })).toBe(0)
    expect(await history.find()).toHaveLength(1)
  })

  test('every change of a schedule is in the audit log, with who, what, before and after', async () => {
    const { open } = standOn(await freshDatabase())
    const scheduler = open()
    await scheduler.repository.create({ scheduleId: 's', domain: 'a.example', every: '1d' })
    await scheduler.repository.update('s', { every: '2d' })
    await scheduler.repository.update('s', { enabled: false })
    await scheduler.repository.delete('s')
    const { entries } = await (await scheduler.evertick()).auditLog.list({ subject: 's' })
    expect(entries.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'schedule-repository job.delete',
      'schedule-repository job.pause',
      'schedule-repository job.edit',
      'schedule-repository job.create',
    ])
    expect(entries[2]).toMatchObject({ before: { schedule: { everyMs: 86_400_000 } } })
  })

  test('on MariaDB it is the same, and reads an index, too', async () => {
    const database = await createMysql(inject('mysqlUrl') ?? '')
    onTestFinished(() => database.drop())
    const { clock, open } = standOn(database.url)
    const { repository, history } = open({ migrate: true })
    const [a] = (
      await repository.syncFromApi(['a', 'b'].map((id) => ({ id, domain: `${id}.example`, every: '1d' })))
    ).added
    expect(a).toBe('a')
    const id = await history.startExecution({ scheduleId: 'a', metadata: { pages: 1 } })
    clock.moveTo(clock.now() + 2_000)
    await history.completeExecution(id, { status: 'success', scanId: 'scan-1' })
    expect(await history.find({ domain: 'a.example' })).toMatchObject([
      { executionId: id, status: 'success', durationMs: 2_000, scanId: 'scan-1', metadata: { pages: 1 } },
    ])
    expect(await repository.get('a')).toMatchObject({ lastStatus: 'success' })
    const connection = await createConnection(database.url)
    onTestFinished(() => connection.end())
    await connection.query(
      `INSERT INTO evertick_job_executions (id, job_id, cause, scheduled_for, state, ready_at, queue, priority, handler,
         max_attempts, created_at, started_at, finished_at)
       SELECT UUID(), CONCAT('00000000-0000-7000-8000-', LPAD(seq % 50, 12, '0')), 'enqueue', seq, 'completed', seq, 'q', 0, 'h', 1, seq, seq, seq
       FROM seq_1_to_20000`,
    )
    await connection.query('ANALYZE TABLE evertick_job_executions')
    const [plan] = await connection.query<RowDataPacket[]>(
      `EXPLAIN SELECT e.* FROM evertick_job_executions e WHERE COALESCE(e.started_at, e.finished_at) IS NOT NULL
         AND e.job_id = ? ORDER BY e.seq DESC LIMIT 100`,
      [(await repository.get('a'))?.jobId],
    )
    // One of those that begin with the job: nobody else's rows are read.
    expect(plan[0]).toMatchObject({ type: 'ref', key: expect.stringMatching(/_(?:history|tick)$/) as string })
  })

  test('its query reads an index, however much others have run', async () => {
    const url = await freshDatabase()
    const { open } = standOn(url)
    const { repository, history } = open()
    const { jobId } = await repository.create({ scheduleId: 's', domain: 'a.example', every: '1d' })
    await history.startExecution({ scheduleId: 's' })
    await query(
      url,
      `INSERT INTO evertick.finished_executions (seq, id, job_id, cause, scheduled_for, state, ready_at, fence, queue, handler, priority,
         attempt, max_attempts, created_at, started_at, finished_at)
       SELECT 1000000 + n, gen_random_uuid(), ('00000000-0000-7000-8000-' || lpad((n % 50)::text, 12, '0'))::uuid, 'enqueue', n, 'completed', n, 1, 'q', 'h', 0, 1, 1, n, n, n
       FROM generate_series(1, 20000) AS n`,
    )
    await query(url, 'ANALYZE evertick.finished_executions')
    const plan = await query(
      url,
      `EXPLAIN SELECT e.* FROM evertick.job_executions e WHERE COALESCE(e.started_at, e.finished_at) IS NOT NULL
         AND e.job_id = $1 ORDER BY e.seq DESC LIMIT 100`.replace('$1', `'${jobId}'`),
    )
    const text = plan.map((row) => String(row['QUERY PLAN'])).join('\n')
    expect(text).toContain('finished_executions_job')
    expect(text).not.toContain('Seq Scan')
    expect(await history.find()).toHaveLength(1)
  })
}
