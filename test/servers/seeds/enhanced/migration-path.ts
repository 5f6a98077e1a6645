/** "Migration Path": its six steps for an existing deployment, one after the other, on one database. */
import { expect, onTestFinished, test } from 'vitest'
import { adoptSchedules } from '../../../../src/compat/adopt/schedules.ts'
import { openForeign } from '../../../../src/store/open-store.ts'
import { inProcess } from '../../../cli/in-process.ts'
import { testFolder } from '../../../cli/run-cli.ts'
import { emptyDatabase, passUntil, query, standOn } from './stand.ts'

/** The tables of the old scheduler, as the page tells of them. */
const oldTables = `
  CREATE TABLE schedules (id SERIAL PRIMARY KEY, schedule_id VARCHAR(100) UNIQUE NOT NULL, domain VARCHAR(255) NOT NULL,
    domain_config_id VARCHAR(100), profile VARCHAR(100), cron_expression VARCHAR(100), frequency VARCHAR(20),
    enabled BOOLEAN DEFAULT TRUE, last_run TIMESTAMP, next_run TIMESTAMP, metadata JSONB);
  INSERT INTO schedules (schedule_id, domain, cron_expression, enabled, metadata) VALUES
    ('every-minute', 'a.example', '* * * * *', TRUE, '{"depth": 2}'), ('switched-off', 'b.example', '0 3 * * *', FALSE, NULL);
  CREATE TABLE job_executions (execution_id UUID PRIMARY KEY DEFAULT gen_random_uuid(), schedule_id VARCHAR(100), job_id VARCHAR(100),
    domain VARCHAR(255), status VARCHAR(20), started_at TIMESTAMP, completed_at TIMESTAMP, duration_ms INTEGER,
    error_message TEXT, scan_id VARCHAR(100), metadata JSONB);
  INSERT INTO job_executions (schedule_id, domain, status, started_at, completed_at, duration_ms, scan_id) VALUES
    ('every-minute', 'a.example', 'success', '2025-12-31 23:59:00', '2025-12-31 23:59:05', 5000, 'scan-1');`

export function walkMigrationSteps(): void {
  test('its six steps, one by one: no tick before the switch, none lost at it, and the old tables go last', async () => {
    const url = await emptyDatabase()
    await query(url, oldTables)

    // 1. Run database migrations to create new tables: beside the old ones, which are not touched.
    const { code } = await inProcess(['migrate', 'up', '--database', url], { cwd: testFolder() })
    expect(code).toBe(0)

    // 2. Sync existing schedules, with what has run.
    const ran: string[] = []
    const { clock, open } = standOn(url)
    const scheduler = open({
      execute: (_schedule, { scheduledFor }) => void ran.push(scheduledFor.toISOString()),
    })
    const evertick = await scheduler.evertick()
    const from = await openForeign(url)
    onTestFinished(() => from.close())
    const source = { from, table: 'schedules', actor: 'test', dryRun: false, onProgress: () => {} }
    const held = await adoptSchedules(evertick, { ...source, startAt: null, history: 'job_executions' })
    expect(held.left).toEqual([])
    expect(held.jobs.map(({ job, result }) => `${job} ${result}`).toSorted()).toEqual([
      'every-minute created',
      'switched-off created',
    ])

    // 3. Deploy enhanced scheduler alongside old scheduler: its schedules are held, and nothing runs here.
    await scheduler.start()
    const tenPast = clock.now() + 600_000
    await passUntil(clock, 'ten minutes', () => clock.now() >= tenPast)
    expect(ran).toEqual([])

    // 4. Verify job executions are tracked correctly: those of the old one, and one that is triggered here.
    await evertick.jobs.trigger('every-minute')
    const runs = async () => await scheduler.history.find({ scheduleId: 'every-minute', status: 'success' })
    await passUntil(clock, 'the run', async () => (await runs()).length === 2)
    expect((await runs()).map(({ scanId }) => scanId)).toEqual([null, 'scan-1'])

    // 5. Switch traffic to enhanced scheduler: at an instant, which both are told.
    const startAt = new Date(Math.ceil((clock.now() + 60_000) / 60_000) * 60_000)
    ran.length = 0
    const switched = await adoptSchedules(evertick, { ...source, startAt, history: null })
    expect(switched.jobs.find(({ job }) => job === 'every-minute')).toMatchObject({
      result: 'updated',
      held: false,
    })
    await passUntil(clock, 'three ticks', () => ran.length >= 3)
    expect(ran.slice(0, 3)).toEqual(
      [0, 1, 2].map((minute) => new Date(startAt.getTime() + minute * 60_000).toISOString()),
    )

    // 6. Decommission old scheduler: its tables go, and nothing here knows of them.
    await from.close()
    await query(url, 'DROP TABLE public.job_executions, public.schedules')
    await passUntil(clock, 'another tick', () => ran.length >= 4)
    expect((await scheduler.repository.get('switched-off'))?.enabled).toBe(false)
    expect(await evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
  })
}
