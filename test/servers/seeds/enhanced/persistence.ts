/** 7.2 and 7.3: schedules in PostgreSQL, and who hears of their changes. */
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { ScheduleWatcher } from '../../../../src/index.ts'
import { ManualClock } from '../../../../src/testing/index.ts'
import { until } from '../../../process/until.ts'
import { freshDatabase, keptLogger, query, repositoryOn, silent, standOn, start } from './stand.ts'

const nightly = { scheduleId: 'nightly', domain: 'a.example', cron: '0 3 * * *' }
const entry = (id: string, more: object = {}) => ({
  schedule_id: id,
  domain: `${id}.example`,
  cron: '0 3 * * *',
  ...more,
})

export function walkPersistence(): void {
  test('the pool has its bounds: many callers share a few connections', async () => {
    const url = await freshDatabase()
    const repository = repositoryOn(url, { max: 3 })
    const door = new pg.Client({ connectionString: url })
    await door.connect()
    onTestFinished(() => door.end())
    const counted = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
    let most = 0
    const created = Array.from({ length: 60 }, (_, index) =>
      repository.create({ ...nightly, scheduleId: `s${index}` }),
    )
    const all = { created: false }
    const creating = Promise.all(created).finally(() => {
      all.created = true
    })
    while (!all.created) {
      const { rows } = await door.query<{ n: number }>(counted)
      most = Math.max(most, rows[0]?.n ?? 0)
    }
    await creating
    expect(await repository.list()).toHaveLength(60)
    // The one that listens for hints is beside the pool.
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(4)
  })

  test('its health check says whether the database answers', async () => {
    expect(await repositoryOn(await freshDatabase()).healthCheck()).toBe(true)
    expect(await repositoryOn('postgresql://nobody@127.0.0.1:1/nothing').healthCheck()).toBe(false)
  })

  test('create, read, update, delete; by schedule_id, domain and domain_config_id', async () => {
    const url = await freshDatabase()
    const repository = repositoryOn(url)
    const created = await repository.create({ ...nightly, domainConfigId: 'cfg-1', profile: 'deep' })
    const [row] = await query(url, 'SELECT name, state FROM evertick.jobs')
    expect(row).toEqual({ name: 'nightly', state: 'active' })
    const other = repositoryOn(url)
    expect(await other.get('nightly')).toEqual(created)
    expect(await other.findByDomain('a.example')).toEqual([created])
    expect(await other.findByDomainConfigId('cfg-1')).toEqual([created])
    expect(await other.findByDomain('b.example')).toEqual([])
    expect(await other.update('nightly', { profile: 'quick', cron: '0 4 * * *' })).toMatchObject({
      profile: 'quick',
      cron: '0 4 * * *',
      domainConfigId: 'cfg-1',
    })
    expect(await repository.delete('nightly')).toBe(true)
    expect(await other.get('nightly')).toBeNull()
  })

  test('a schedule is enabled or disabled, and keeps last_run, next_run and status', async () => {
    const { clock, open } = standOn(await freshDatabase())
    const { repository } = open()
    const created = await repository.create({ ...nightly, enabled: false })
    expect(created).toMatchObject({ enabled: false, nextRun: null, lastRun: null, lastStatus: null })
    const next = new Date('2026-01-01T03:00:00Z')
    expect(await repository.update('nightly', { enabled: true })).toMatchObject({ nextRun: next })
    const lastRun = new Date(clock.now())
    expect(await repository.updateRunStatus('nightly', { status: 'failed', error: 'no' })).toMatchObject({
      lastRun,
      nextRun: next,
      lastStatus: 'failed',
    })
    expect(await repository.updateRunStatus('nightly', { status: 'success' })).toMatchObject({
      lastStatus: 'success',
    })
  })

  test('a whole API is synced in one go, again without a change, and never lost to a bad answer', async () => {
    const repository = repositoryOn(await freshDatabase())
    const all = Array.from({ length: 120 }, (_, index) => entry(`s${index}`, { profile: 'deep' }))
    expect((await repository.syncFromApi(() => Promise.resolve(all))).added).toHaveLength(120)
    expect((await repository.syncFromApi(all)).unchanged).toHaveLength(120)
    for (const answer of [[], all.slice(0, 10), { schedules: all.slice(0, 119), total: 120 }]) {
      expect(await repository.syncFromApi(() => answer)).toMatchObject({ removed: [] })
    }
    await expect(repository.syncFromApi(() => Promise.reject(new Error('503')))).rejects.toThrow('503')
    expect(await repository.list({ enabled: true })).toHaveLength(120)
    expect(await repository.syncFromApi(all.slice(1))).toMatchObject({ removed: ['s0'] })
    expect(await repository.get('s0')).toMatchObject({ enabled: false, profile: 'deep' })
  })
}

export function walkWatching(): void {
  test('additions, modifications and deletions by others are told, with no restart', async () => {
    const url = await freshDatabase()
    const [mine, others] = [repositoryOn(url), repositoryOn(url)]
    await others.create(nightly)
    const logger = keptLogger()
    const told: string[] = []
    const watcher = new ScheduleWatcher({
      repository: mine,
      logger,
      // Longer than any test: what is told is told because PostgreSQL carries the hint.
      checkInterval: '1h',
      onAdded: ({ scheduleId }) => void told.push(`+${scheduleId}`),
      onModified: ({ scheduleId, cron }) => void told.push(`~${scheduleId} ${cron}`),
      onDeleted: ({ scheduleId }) => void told.push(`-${scheduleId}`),
    })
    onTestFinished(() => watcher.stop())
    await watcher.start()
    await others.create({ ...nightly, scheduleId: 'new' })
    await until('the addition', () => told.length === 1)
    await others.update('nightly', { cron: '0 5 * * *' })
    await until('the modification', () => told.length === 2)
    await others.delete('new')
    await until('the deletion', () => told.length === 3)
    expect(told).toEqual(['+new', '~nightly 0 5 * * *', '-new'])
    expect(logger.lines).toEqual([
      'info Watching 1 schedules',
      'info Schedule new was added',
      'info Schedule nightly was modified',
      'info Schedule new was deleted',
    ])
  })

  test('without hints it looks every 60 seconds', async () => {
    const database = await freshDatabase()
    await repositoryOn(database).create(nightly)
    const clock = new ManualClock(start)
    const told: string[] = []
    const onAdded = ({ scheduleId }: { scheduleId: string }) => void told.push(scheduleId)
    const watcher = new ScheduleWatcher({ database, clock, logger: silent, onAdded })
    onTestFinished(() => watcher.stop())
    await watcher.start()
    const id = '00000000-0000-7000-8000-000000000001'
    // Behind everybody's back: a row, with its tags, that no Evertick has hinted at.
    await query(
      database,
      `INSERT INTO evertick.jobs SELECT (jsonb_populate_record(j, '{"id": "${id}", "name": "copy"}')).* FROM evertick.jobs j`,
    )
    await query(
      database,
      `INSERT INTO evertick.job_tags (job_id, tag) SELECT '${id}', tag FROM evertick.job_tags`,
    )
    clock.moveTo(clock.now() + 59_999)
    expect(told).toEqual([])
    clock.moveTo(clock.now() + 1)
    await until('the look after a minute', () => told.length === 1)
    expect(told).toEqual(['copy'])
  })

  test('one-time checks find the same, by hash: what only ran has not changed', async () => {
    const url = await freshDatabase()
    const repository = repositoryOn(url)
    await repository.create(nightly)
    const watcher = new ScheduleWatcher({ repository, logger: silent })
    await watcher.initialize()
    await repository.updateRunStatus('nightly', { status: 'success' })
    await repository.update('nightly', { cron: nightly.cron })
    expect(await watcher.checkOnce()).toEqual({ added: [], modified: [], deleted: [] })
    await repository.update('nightly', { enabled: false })
    expect((await watcher.checkOnce()).modified).toMatchObject([{ scheduleId: 'nightly', enabled: false }])
    await watcher.stop()
  })
}
