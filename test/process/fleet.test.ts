import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Child } from './child.ts'
import { expectAttemptsWithinLimits, expectQuiet, expectTermsApart, instant, Scene } from './scene.ts'
import { until } from './until.ts'

let scene: Scene
beforeEach(async () => {
  scene = new Scene()
  scene.door.exec('PRAGMA journal_mode = WAL')
  scene.door.exec('CREATE TABLE orders (key TEXT PRIMARY KEY, pid INTEGER NOT NULL)')
})
afterEach(async () => await scene.close())

async function stopAll(children: readonly Child[]): Promise<void> {
  for (const child of children) child.send('SIGTERM')
  for (const child of children) expect(await child.exited).toEqual({ code: 0, signal: null })
}

test('five processes on one file do 1,000 executions and the ticks once each, under one leader, and none hears of a lock', async () => {
  const lease = { leaderLease: '5s', workerLease: '5s' }
  const nodes = Array.from({ length: 5 }, () => scene.start('fleet-node.ts', lease))
  const evertick = await scene.producer({})
  await until('all five to be registered', async () => (await evertick.nodes.list()).length === 5)

  const items = Array.from({ length: 50 }, (_, index) => index)
  for (let batch = 0; batch < 1_000; batch += items.length) {
    await evertick.enqueueMany(items.map((item) => ({ job: 'order', input: { number: batch + item } })))
  }
  await scene.settled()
  await until('some ticks', () => scene.count(`orders WHERE key LIKE 'beat-%'`) >= 8)
  expect(scene.count('scheduler_leader_log WHERE stop_time IS NULL')).toBe(1)
  await stopAll(nodes)

  expect(scene.count(`orders WHERE key LIKE 'order-%'`)).toBe(1_000)
  expect(scene.count(`evertick_job_executions WHERE state = 'completed' AND cause = 'enqueue'`)).toBe(1_000)
  // Nobody failed on the unique key, nobody was tried twice: the claim alone decides who runs what.
  expect(scene.rows('SELECT * FROM evertick_attempts')).toEqual([])
  expect(scene.count('evertick_job_executions WHERE attempt > 1')).toBe(0)
  const beats = scene.count(`evertick_job_executions WHERE tick_at IS NOT NULL AND state = 'completed'`)
  expect(scene.count(`orders WHERE key LIKE 'beat-%'`)).toBe(beats)
  expect(scene.rows('SELECT DISTINCT pid FROM orders').length).toBeGreaterThan(1)
  expect(await evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
  expectTermsApart(scene)
  expectQuiet(nodes, /^Waiting for the lead, held by /)
}, 90_000)

test('a leader that is killed is replaced long before its lease has run out, also by a node that starts after it', async () => {
  const lease = { leaderLease: '10m', workerLease: '1s' }
  const first = scene.start('fleet-node.ts', lease)
  const hasLifeline = () => scene.count(`evertick_locks WHERE name = 'leader' AND lifeline IS NOT NULL`) === 1
  await first.heard('elected')
  await until('the first to have a lifeline', hasLifeline)
  const second = scene.start('fleet-node.ts', lease)
  const evertick = await scene.producer({})
  await until('both to be registered', async () => (await evertick.nodes.list()).length === 2)
  first.send('SIGKILL')
  await second.heard('elected')
  await until('the second to have a lifeline', hasLifeline)
  second.send('SIGKILL')
  await second.exited
  const third = scene.start('fleet-node.ts', lease)
  await third.heard('elected')
  await until('some ticks', () => scene.count(`orders WHERE key LIKE 'beat-%' AND pid = ?`, third.pid) > 2)
  await stopAll([third])

  const [one, two, three] = scene.rows('SELECT * FROM scheduler_leader_log ORDER BY id')
  for (const [killed, next] of [
    [one, two],
    [two, three],
  ]) {
    expect(killed?.stop_time).toBeNull()
    expect(instant(next?.start_time)).toBeLessThan(instant(killed?.last_heartbeat) + 600_000)
  }
  expect(await evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
  expectTermsApart(scene)
  expectQuiet([second, third])
}, 90_000)

test('a leader stopped past its leases is replaced; awake again, it is refused, told so, and the second result stands', async () => {
  const lease = { leaderLease: '1s', workerLease: '1s' }
  const first = scene.start('fleet-node.ts', lease)
  await first.heard('elected')
  const evertick = await scene.producer({})
  const obstinate = await evertick.enqueue('obstinate')
  const unaware = await evertick.enqueue('unaware')
  await until('both to be held', () => first.all('holding').length === 2)
  const second = scene.start('fleet-node.ts', lease)
  await until('both to be registered', async () => (await evertick.nodes.list()).length === 2)

  await scene.freeze(first)
  await second.heard('elected')
  expect(await evertick.result(obstinate.id, { timeout: '60s' })).toBe('second')
  await evertick.result(unaware.id, { timeout: '60s' })
  const written = scene.rows('SELECT * FROM orders WHERE key = ?', unaware.id)
  expect(written).toEqual([{ key: unaware.id, pid: second.pid }])
  const beforeWaking = scene.count('scheduler_leader_log')

  first.send('SIGCONT')
  await first.heard('lost')
  expect(await first.heard('aborted')).toMatchObject({ code: 'stale_lease', write: 'stale_lease' })
  expect(await first.heard('awake')).toMatchObject({ write: 'stale_lease' })
  for (const { id } of [obstinate, unaware])
    await first.heard('refused', ({ executionId }) => executionId === id)
  expect(scene.count('scheduler_leader_log')).toBe(beforeWaking)
  await stopAll([first, second])

  for (const { id } of [obstinate, unaware]) {
    const found = await evertick.executions.get(id)
    expect(found).toMatchObject({
      state: 'completed',
      attempt: 2,
    })
    expect(found.leasedBy).toContain(`:${second.pid}:`)
    expect(found.attempts.map(({ attempt, outcome }) => ({ attempt, outcome }))).toEqual(
      expect.arrayContaining([
        { attempt: 1, outcome: 'crashed' },
        { attempt: 1, outcome: 'refused' },
        { attempt: 2, outcome: 'completed' },
      ]),
    )
  }
  expect((await evertick.executions.get(obstinate.id)).result).toBe('second')
  expect(scene.rows('SELECT * FROM orders WHERE key = ?', unaware.id)).toEqual(written)
  expect(await evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
  expectTermsApart(scene)
  expectAttemptsWithinLimits(scene)
  expectQuiet([first, second])
}, 90_000)
