/** Several instances on one database: nothing twice, nothing lost, and the load that the page recommends to test. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { DistributedLock, Evertick, nextTicks } from '../../../../src/index.ts'
import { Child } from '../../../process/child.ts'
import { until } from '../../../process/until.ts'
import { script } from './integration.ts'
import { freshDatabase, passUntil, redisUrl, repositoryOn, silent, standOn, uniqueName } from './stand.ts'

async function expectClean(url: string): Promise<void> {
  const evertick = await Evertick.open({ database: url, logger: silent })
  onTestFinished(() => evertick.stop())
  expect(await evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
}

export function walkBenefits(): void {
  test('three processes, one killed and one stopped: every tick is accounted for, none runs in two of them', async () => {
    const url = await freshDatabase()
    vi.stubEnv('DATABASE_URL', url)
    vi.stubEnv('EVERTICK_DATABASE_URL', undefined)
    vi.stubEnv('REDIS_HOST', undefined)
    const ids = Array.from({ length: 10 }, () => uniqueName())
    const repository = repositoryOn(url)
    for (const scheduleId of ids) {
      await repository.create({
        scheduleId,
        domain: 'a.example',
        every: '1s',
        catchUp: 'all',
        overlap: 'allow',
      })
    }
    const children = [new Child(script, {}), new Child(script, {}), new Child(script, {})]
    const ran = () =>
      children.flatMap((child) =>
        child.all('ran').map(({ schedule, tick }) => `${String(schedule)} ${String(tick)}`),
      )
    const [first, second] = children as [Child, Child]
    await Promise.all(children.map((child) => child.heard('ran')))
    first.send('SIGKILL')
    await first.exited
    const sofar = ran().length
    await until('the others to go on', () => ran().length > sofar + 20)
    second.send('SIGTERM')
    await second.exited
    const since = ran().length
    await until('the last one to go on', () => ran().length > since + 20)
    for (const child of children) child.send('SIGTERM')
    await Promise.all(children.map((child) => child.exited))
    expect(new Set(ran()).size).toBe(ran().length)
    await expectClean(url)
  })

  test('schedules survive every process, and what was missed is caught up', async () => {
    const url = await freshDatabase()
    const { clock, open } = standOn(url)
    const before = open({ execute: () => null })
    await before.start()
    await before.repository.create({ scheduleId: 's', domain: 'a.example', cron: '0 * * * *' })
    await before.stop()
    clock.moveTo(clock.now() + 5 * 3_600_000)
    const after = open({ execute: () => null })
    await after.start()
    await passUntil(
      clock,
      'the missed run',
      async () => (await after.history.find({ status: 'success' })).length > 0,
    )
    expect(await (await after.evertick()).audit()).toMatchObject({ ok: true })
  })
}

export function walkLoad(): void {
  test('120 schedules on three instances: each due tick runs once', async () => {
    const url = await freshDatabase()
    const { clock, open } = standOn(url)
    const ran: string[] = []
    const fleet = ['one', 'two', 'three'].map((nodeId) =>
      open({
        nodeId,
        maxWorkers: 5,
        execute: ({ scheduleId }, { scheduledFor }) =>
          void ran.push(`${scheduleId} ${scheduledFor.toISOString()}`),
      }),
    )
    await Promise.all(fleet.map((scheduler) => scheduler.start()))
    const [first] = fleet
    const cron = '*/10 * * * *'
    const entries = Array.from({ length: 120 }, (_, index) => ({
      id: `s${index}`,
      domain: `s${index}.example`,
      cron,
    }))
    expect((await first?.repository.syncFromApi(entries))?.added).toHaveLength(120)
    for (const [index, tick] of nextTicks({ cron }, { from: new Date(clock.now()), count: 2 }).entries()) {
      // Near it at once, then slowly: on a busy machine, leases must not run out while the work goes on.
      clock.moveTo(tick.getTime() - 1_000)
      await passUntil(clock, 'a tick of all', () => ran.length >= 120 * (index + 1), 50)
    }
    expect(new Set(ran).size).toBe(ran.length)
    const times = new Set(ran.map((run) => run.split(' ')[1]))
    for (const time of [...times].slice(0, 2)) {
      expect(ran.filter((run) => run.endsWith(time ?? '')).length).toBe(120)
    }
    expect(await first?.history.getStatistics()).toMatchObject({ failed: 0, cancelled: 0 })
    const instances = new Set((await first?.history.find({ limit: 500 }))?.map(({ instance }) => instance))
    expect(instances.size).toBeGreaterThan(1)
    await expectClean(url)
  })

  test('lock contention: twenty instances want one lock, and have it one after the other', async () => {
    const prefix = uniqueName()
    const locks = Array.from({ length: 20 }, () => new DistributedLock({ redis: redisUrl(), prefix }))
    let inside = 0
    let most = 0
    const fences = await Promise.all(
      locks.map((lock) =>
        lock.withLock('scan', { blocking: true, timeout: '1m' }, async (_signal, held) => {
          inside += 1
          most = Math.max(most, inside)
          await lock.owner('scan')
          inside -= 1
          return held.fence
        }),
      ),
    )
    expect(most).toBe(1)
    expect(new Set(fences).size).toBe(20)
    await Promise.all(locks.map((lock) => lock.close()))
  })

  test('a small pool under load: 200 runs by hand over three connections', async () => {
    const url = await freshDatabase()
    const { open } = standOn(url)
    const { repository, history } = open({ pool: { max: 3 } })
    await repository.create({ scheduleId: 's', domain: 'a.example', every: '1d' })
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const id = await history.startExecution({ scheduleId: 's' })
        await history.completeExecution(id, { status: 'success' })
      }),
    )
    expect(await history.getStatistics()).toMatchObject({ total: 200, success: 200, started: 0 })
  })
}

export function walkMigrationPath(): void {
  test('beside the old scheduler, which keeps its lock: no domain is scanned by both at once', async () => {
    const { clock, open } = standOn(await freshDatabase())
    const scheduleId = uniqueName()
    const old = new DistributedLock({ redis: redisUrl(), instanceId: 'the old scheduler' })
    onTestFinished(() => old.close())
    const inside: string[] = []
    const scheduler = open({
      redis: redisUrl(),
      fetchSchedules: () => [{ schedule_id: scheduleId, domain: 'a.example', cron: '* * * * *' }],
      execute: async () => {
        inside.push((await old.owner(`schedule:${scheduleId}`))?.owner ?? 'nobody')
      },
    })
    const { added } = await scheduler.syncFromApi()
    expect(added).toEqual([scheduleId])
    const running = await old.acquire(`schedule:${scheduleId}`, { ttl: '10m' })
    await scheduler.start()
    await passUntil(
      clock,
      'the tick',
      async () => (await scheduler.repository.get(scheduleId))?.lastStatus === 'started',
    )
    expect(inside).toEqual([])
    await running?.release()
    await passUntil(clock, 'the run', () => inside.length > 0)
    expect(inside).not.toContain('the old scheduler')
    await until(
      'its end',
      async () => (await scheduler.history.find({ scheduleId, status: 'success' })).length > 0,
    )
  })
}
