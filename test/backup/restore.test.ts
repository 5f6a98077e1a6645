/** What a restore refuses, and what it refuses to others afterwards. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { defineJob, type Evertick } from '../../src/index.ts'
import { ManualClock, openTestNode } from '../../src/testing/index.ts'
import { quiet } from '../promises/support.ts'
import { node as nodeRow } from '../store/builders.ts'
import { filledBackup, opened, testFolder } from './restored.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
const hour = 3_600_000

const storeOf = (evertick: Evertick) => contextOf(evertick).store

test('a database that has jobs is refused without force, and left as it is', async () => {
  const path = await filledBackup(testFolder())
  const evertick = await opened('sqlite::memory:')
  await evertick.jobs.create({ name: 'mine', handler: { type: 'function', name: 'work' } })
  await expect(evertick.restore(path)).rejects.toMatchObject({ code: 'database_in_use' })
  expect((await evertick.jobs.list()).jobs.map(({ name }) => name)).toEqual(['mine'])
  await evertick.restore(path, { force: true })
  expect((await evertick.jobs.list()).jobs.map(({ name }) => name)).not.toContain('mine')
})

test('a database on which a node was seen within a minute is refused without force', async () => {
  const path = await filledBackup(testFolder())
  const clock = new ManualClock(start)
  const evertick = await opened('sqlite::memory:', { clock })
  await storeOf(evertick).cluster.registerNode(nodeRow('n1', start - 59_000), [])
  await expect(evertick.restore(path)).rejects.toMatchObject({ code: 'database_in_use' })
  clock.moveTo(start + 2_000)
  await evertick.restore(path)
})

test('an Evertick that was started cannot restore', async () => {
  const node = await openTestNode({ logger: quiet })
  await expect(node.evertick.restore('any')).rejects.toMatchObject({ code: 'database_in_use' })
  await node.stop()
})

const works = defineJob({ name: 'works', onCrash: 'retry', run: () => 'done' })

test('a worker from before the backup can neither end nor extend what it holds, whoever has claimed it since', async () => {
  const folder = testFolder()
  const clock = new ManualClock(start)
  const evertick = await opened('sqlite::memory:', { clock, jobs: [works] })
  const { work, cluster } = storeOf(evertick)
  const register = async (id: string) => await cluster.registerNode(nodeRow(id, clock.now()), ['works'])
  await register('old')
  await evertick.jobs.create({ name: 'works', handler: { type: 'function', name: 'works' } })
  for (let n = 0; n < 2; n += 1) await evertick.enqueue('works')
  const claim = {
    nodeId: 'old',
    queue: 'default',
    limit: 1,
    start: 1,
    now: start,
    readyBy: start,
    leaseMs: 30_000,
  }
  const [held] = (await work.claimExecutions(claim)).claimed
  const path = join(folder, 'a')
  await evertick.backup(path)
  // Claimed after the backup: it knows nothing of this lease, and will give its number again.
  const [later] = (await work.claimExecutions(claim)).claimed
  await evertick.restore(path, { force: true })
  await register('new')
  clock.moveTo(start + 1_000)
  const [anew] = (
    await work.claimExecutions({ ...claim, nodeId: 'new', now: clock.now(), readyBy: clock.now() })
  ).claimed
  expect(anew?.id).toBe(later?.id)
  const claims = [held, later].flatMap((one) => (one === undefined ? [] : [one]))
  expect(claims).toHaveLength(2)
  const extended = await work.extendLeases({ claims, leasedUntil: clock.now() + 30_000, now: clock.now() })
  expect(extended.lost.toSorted()).toEqual(claims.map(({ id }) => id).toSorted())
  const attempts = claims.map(({ id, fence }) => ({
    id,
    fence,
    attempt: 1,
    ending: { state: 'completed' as const, result: null },
    finishedAt: clock.now(),
  }))
  const ended = await work.finishAttempts({ nodeId: 'old', attempts, now: clock.now() })
  expect(ended.refused.toSorted()).toEqual(claims.map(({ id }) => id).toSorted())
})

test('a leader from before the backup is refused, and the next term is above all that there were', async () => {
  const folder = testFolder()
  const clock = new ManualClock(start)
  const evertick = await opened('sqlite::memory:', { clock })
  const { cluster } = storeOf(evertick)
  const elect = async (nodeId: string) =>
    await cluster.electLeader({ nodeId, now: clock.now(), leaseMs: 10_000 })
  await elect('a')
  const path = join(folder, 'a')
  await evertick.backup(path)
  const terms = []
  for (let n = 0; n < 3; n += 1) {
    clock.moveTo(clock.now() + 60_000)
    terms.push(await elect('b'))
  }
  const last = terms.at(-1)?.id ?? 0
  await evertick.restore(path, { force: true })
  expect(
    await cluster.renewTerm({ termId: last, holder: 'b', now: clock.now(), leaseMs: 10_000, lifeline: null }),
  ).toBe(false)
  const next = await elect('b')
  expect(next?.id).toBeGreaterThan(last)
})

test('the holder of a lock from before has it no more, and the next fence is larger', async () => {
  const folder = testFolder()
  const evertick = await opened('sqlite::memory:')
  const path = join(folder, 'a')
  const before = await evertick.locks.acquire('report', { ttl: '1h' })
  await evertick.backup(path)
  await before?.release()
  const later = await evertick.locks.acquire('report', { ttl: '1h' })
  await evertick.restore(path, { force: true })
  await expect(later?.extend('1h')).rejects.toMatchObject({ code: 'lock_lost' })
  const next = await evertick.locks.acquire('report', { ttl: '1h' })
  expect(next?.fence).toBeGreaterThan(later?.fence ?? 0)
})

test('ticks up to the backup are not accounted for again, and those since then by the catch-up policy', async () => {
  const folder = testFolder()
  const database = `sqlite:${join(folder, 'a.db')}`
  const ran: string[] = []
  const job = defineJob({
    name: 'hourly',
    schedule: { every: '1h', anchor: 'epoch' },
    catchUp: { policy: 'all', maxMissedRuns: 2 },
    run: (ctx) => void ran.push(ctx.scheduledFor.toISOString().slice(11, 16)),
  })
  const clock = new ManualClock(start + 1)
  const options = { clock, jobs: [job], logger: quiet }
  const node = await openTestNode({ ...options, database })
  await node.advance('3h')
  const path = join(folder, 'backup')
  await node.evertick.backup(path)
  await node.advance('1h')
  await node.stop()
  expect(ran).toEqual(['01:00', '02:00', '03:00', '04:00'])
  ran.length = 0
  clock.moveTo(start + 7 * hour + hour / 2)
  const other = `sqlite:${join(folder, 'b.db')}`
  const next = await opened(other, { clock })
  await next.restore(path)
  await next.stop()
  const again = await openTestNode({ ...options, database: other })
  await again.advance('1h')
  // The tick of 04:00 has run, but the backup cannot know: it is one of those since then.
  expect(ran).toEqual(['06:00', '07:00', '08:00'])
  const ticks = await again.ticks('hourly')
  expect(ticks.map(({ account, reason }) => reason ?? account)).toEqual([
    'fired',
    'fired',
    'fired',
    'over_limit',
    'over_limit',
    'caught_up',
    'caught_up',
    'fired',
  ])
  expect(await again.evertick.audit()).toMatchObject({ ok: true })
  await again.stop()
})

test('what rested when it was backed up still rests, and is answered', async () => {
  const path = await filledBackup(testFolder())
  const clock = new ManualClock(Date.parse('2026-01-01T08:00:00Z'))
  const evertick = await opened('sqlite::memory:', { clock })
  await evertick.restore(path)
  const { executions } = await evertick.executions.list({ limit: 200 })
  const stateOf = (job: string) => executions.find((one) => one.job === job)?.state
  expect([stateOf('sleeps'), stateOf('waits')]).toEqual(['sleeping', 'waiting'])
  await evertick.signal({ job: 'waits', key: 'one' }, 'a word', 'yes')
  const { executions: after } = await evertick.executions.list({ job: 'waits' })
  expect(after[0]?.state).toBe('retrying')
})
