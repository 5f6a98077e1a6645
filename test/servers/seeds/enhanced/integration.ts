/** The scheduler that puts the parts together, on PostgreSQL and Redis. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { DistributedLock, EnhancedScheduler } from '../../../../src/index.ts'
import { Cli } from '../../../cli/run-cli.ts'
import { Child } from '../../../process/child.ts'
import { until } from '../../../process/until.ts'
import {
  emptyDatabase,
  freshDatabase,
  keptLogger,
  passUntil,
  query,
  redisUrl,
  repositoryOn,
  standOn,
  uniqueName,
} from './stand.ts'

export const script = '../servers/seeds/enhanced/scheduler-process.ts'

/** The parts of a Redis URL as the page's variables. */
export function redisVariables(): Record<string, string> {
  const { hostname, port, password } = new URL(redisUrl())
  return { REDIS_HOST: hostname, REDIS_PORT: port || '6379', REDIS_DB: '0', REDIS_PASSWORD: password }
}

function lockBeside(): DistributedLock {
  const lock = new DistributedLock({ redis: redisUrl() })
  onTestFinished(() => lock.close())
  return lock
}

export function walkIntegration(): void {
  test('initialization: node, locks, repository, history and watcher, of one set of options', async () => {
    const { open } = standOn(await freshDatabase())
    const scheduler = open({ redis: redisUrl(), maxWorkers: 3, execute: () => null })
    await scheduler.start()
    expect(await scheduler.repository.healthCheck()).toBe(true)
    expect(await scheduler.history.find()).toEqual([])
    expect(await scheduler.watcher.checkOnce()).toMatchObject({ added: [] })
    const name = uniqueName()
    const held = await scheduler.lock.acquire(name)
    expect(await lockBeside().owner(name)).toMatchObject({ owner: scheduler.lock.instanceId })
    await held?.release()
    const [node] = await (await scheduler.evertick()).nodes.list()
    expect(node).toMatchObject({ roles: ['scheduler', 'worker'], queues: { schedules: 3 } })
  })

  test('a run is done under its lock, which others respect, and which is released whatever happens', async () => {
    const { clock, open } = standOn(await freshDatabase())
    const beside = lockBeside()
    const scheduleId = uniqueName()
    const owners: (string | undefined)[] = []
    const scheduler = open({
      redis: redisUrl(),
      execute: async () => {
        owners.push((await beside.owner(`schedule:${scheduleId}`))?.owner)
        throw new Error('the scan failed')
      },
    })
    await scheduler.start()
    await scheduler.repository.create({ scheduleId, domain: 'a.example', cron: '* * * * *' })
    const theirs = await beside.acquire(`schedule:${scheduleId}`, { ttl: '10m' })
    const evertick = await scheduler.evertick()
    await passUntil(clock, 'a run that comes again later', async () => {
      const { executions } = await evertick.executions.list({ job: scheduleId })
      return executions.some(({ state, attempt }) => state === 'retrying' && attempt === 0)
    })
    expect(owners).toEqual([])
    await theirs?.release()
    await passUntil(
      clock,
      'the failed run',
      async () => (await scheduler.history.find({ status: 'failed' })).length > 0,
    )
    expect(owners[0]).toEqual(expect.any(String))
    await until('the release', async () => (await beside.owner(`schedule:${scheduleId}`)) === null)
    expect(await scheduler.repository.get(scheduleId)).toMatchObject({ lastStatus: 'failed' })
  })

  test('a Redis that is away costs the lock, not the run', async () => {
    const { clock, open } = standOn(await freshDatabase())
    const logger = keptLogger()
    const scheduler = open({ redis: 'redis://127.0.0.1:1', logger, execute: () => null })
    await scheduler.start()
    await scheduler.repository.create({ scheduleId: 's', domain: 'a.example', cron: '* * * * *' })
    await passUntil(
      clock,
      'the run',
      async () => (await scheduler.history.find({ status: 'success' })).length > 0,
    )
    expect(logger.lines).toContain('warn Redis is not available: a run goes on without its lock')
  })

  test('schedules are loaded, changed and removed without a restart', async () => {
    const { clock, open } = standOn(await freshDatabase())
    const others = open().repository
    const ran: string[] = []
    const scheduler = open({
      execute: ({ scheduleId, profile }) => void ran.push(`${scheduleId} ${profile}`),
    })
    await scheduler.repository.create({ scheduleId: 's', domain: 'a', cron: '* * * * *', profile: 'quick' })
    await scheduler.start()
    await passUntil(clock, 'the first run', () => ran.length > 0)
    await others.update('s', { profile: 'deep', every: '30s' })
    await passUntil(clock, 'a run of the new kind', () => ran.includes('s deep'))
    await others.delete('s')
    await until('the word of it', async () => (await scheduler.repository.list()).length === 0)
    const before = ran.length
    clock.moveTo(clock.now() + 600_000)
    await scheduler.repository.create({ scheduleId: 't', domain: 'b', cron: '* * * * *' })
    await passUntil(clock, 'a run of another', () => ran.includes('t null'))
    expect(ran.filter((run) => run.startsWith('s')).length).toBe(before)
    expect(await (await scheduler.evertick()).audit()).toMatchObject({ ok: true })
  })

  test('monitoring: what runs, and a line for every operation', async () => {
    const { clock, open } = standOn(await freshDatabase())
    const logger = keptLogger()
    const gate = Promise.withResolvers<void>()
    const scheduler = open({ logger, execute: () => gate.promise })
    await scheduler.start()
    await scheduler.repository.create({ scheduleId: 's', domain: 'a.example', cron: '* * * * *' })
    await passUntil(clock, 'its start', () => scheduler.activeExecutions.length === 1)
    expect(scheduler.activeExecutions).toMatchObject([{ scheduleId: 's', attempt: 1 }])
    gate.resolve()
    await until('its end', () => scheduler.activeExecutions.length === 0)
    await until('the line', () => logger.lines.includes('info Schedule s succeeded'))
    expect(logger.lines).toEqual(
      expect.arrayContaining(['info Schedule s was added', 'info Schedule s started']),
    )
  })
}

export function walkEnvironment(): void {
  test('DATABASE_URL, REDIS_* and MAX_WORKERS are read, and only when they are needed', async () => {
    const url = await freshDatabase()
    for (const [name, value] of Object.entries({
      DATABASE_URL: url,
      MAX_WORKERS: '7',
      ...redisVariables(),
    })) {
      vi.stubEnv(name, value)
    }
    vi.stubEnv('EVERTICK_DATABASE_URL', undefined)
    const scheduler = new EnhancedScheduler({ execute: () => null })
    onTestFinished(() => scheduler.stop())
    await scheduler.start()
    expect((await (await scheduler.evertick()).nodes.list())[0]?.queues).toMatchObject({ schedules: 7 })
    expect(await query(url, 'SELECT count(*)::int AS nodes FROM evertick.nodes')).toEqual([{ nodes: 1 }])
    const name = uniqueName()
    const held = await scheduler.lock.acquire(name)
    expect(await lockBeside().owner(name)).not.toBeNull()
    await held?.release()
  })

  test('five workers where nothing is said, and a bad number by its name', async () => {
    const { open } = standOn(await freshDatabase())
    vi.stubEnv('MAX_WORKERS', '')
    const scheduler = open({ execute: () => null })
    await scheduler.start()
    expect((await (await scheduler.evertick()).nodes.list())[0]?.queues).toMatchObject({ schedules: 5 })
    vi.stubEnv('MAX_WORKERS', 'some')
    await expect(open({ execute: () => null }).start()).rejects.toMatchObject({ field: 'MAX_WORKERS' })
  })
}

export function walkMigrations(): void {
  test('`evertick migrate up` makes the tables; before it, a scheduler says so', async () => {
    const url = await emptyDatabase()
    const early = new EnhancedScheduler({ database: url, execute: () => null })
    await expect(early.start()).rejects.toMatchObject({ code: 'schema_missing' })
    await early.stop()
    const ended = await new Cli(['migrate', 'up'], { cwd: '.', env: { DATABASE_URL: url } }).ended
    expect({ code: ended.code, stderr: ended.code === 0 ? '' : ended.stderr }).toEqual({
      code: 0,
      stderr: '',
    })
    const tables = await query(
      url,
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'evertick' AND table_name = 'job_executions'`,
    )
    expect(tables).toHaveLength(1)
    await early.start()
    await early.stop()
  })
}

export function walkStarting(): void {
  test('run() syncs, schedules and runs until a signal, and ends gracefully', async () => {
    const url = await freshDatabase()
    vi.stubEnv('DATABASE_URL', url)
    vi.stubEnv('EVERTICK_DATABASE_URL', undefined)
    for (const [name, value] of Object.entries(redisVariables())) vi.stubEnv(name, value)
    const repository = repositoryOn(url)
    await repository.create({ scheduleId: uniqueName(), domain: 'a.example', cron: '* * * * * *' })
    const child = new Child(script, {})
    await child.heard('ran')
    await until('the first sync', async () => (await repository.get('from-api')) !== null)
    child.send('SIGTERM')
    expect(await child.heard('ended')).toMatchObject({ signal: 'SIGTERM' })
    expect(await child.exited).toEqual({ code: 0, signal: null })
    expect(child.stderr).toBe('')
    expect([...child.all('warning'), ...child.all('error')]).toEqual([])
    expect(await query(url, 'SELECT id FROM evertick.nodes')).toEqual([])
    expect(await query(url, `SELECT id FROM evertick.job_executions WHERE state = 'running'`)).toEqual([])
  })
}
