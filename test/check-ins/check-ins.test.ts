/** Jobs that run elsewhere: their ticks are accounted for like any other, by the check-in that comes for each, or does not. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ManualClock, openTestNode, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'
import { quiet } from '../promises/support.ts'

const start = '2027-01-04T01:00:00Z'

async function nodeWith(
  job: Partial<Parameters<TestNode['evertick']['jobs']['create']>[0]> = {},
  options: TestNodeOptions = {},
): Promise<{
  node: TestNode
  ping: (word?: 'start' | 'ok' | 'failed', note?: string) => Promise<string>
  token: string
}> {
  const node = await openTestNode({ start, logger: quiet, ...options })
  onTestFinished(() => node.stop())
  const { jobs } = node.evertick
  await jobs.create({
    name: 'backup',
    schedule: { cron: '0 2 * * *' },
    handler: { type: 'check_in', within: '30m' },
    ...job,
  })
  const { token } = await jobs.rotateCheckIn('backup')
  const ping = async (word: 'start' | 'ok' | 'failed' = 'ok', note = '') => {
    const { sentence } = await jobs.checkIn(token, { word, note })
    await node.settle()
    return sentence
  }
  return { node, ping, token }
}

/** `02:00 fired completed`, oldest first. */
async function ticksOf(node: TestNode): Promise<string[]> {
  const ticks = await node.ticks('backup')
  return ticks.map(({ scheduledFor, account, state }) =>
    [scheduledFor.toISOString().slice(11, 16), account, state].filter((part) => part !== undefined).join(' '),
  )
}

async function errorOf(node: TestNode): Promise<string> {
  const [last] = (await node.executions('backup')).toReversed()
  return `${last?.state}: ${last?.error?.message ?? ''}`
}

test('a tick waits in no slot, and is completed by the check-in that comes for it', async () => {
  const { node, ping } = await nodeWith()
  await node.advance('1h 5m')
  expect(await ticksOf(node)).toEqual(['02:00 fired waiting'])
  expect(await node.evertick.leases.active()).toEqual([])
  expect(await ping('ok', 'all 7 files')).toBe('OK: the run of 2027-01-04T02:00:00.000Z is done.')
  expect(await ticksOf(node)).toEqual(['02:00 fired completed'])
  const [execution] = await node.executions('backup')
  expect(execution?.result).toEqual({ checkedInAt: '2027-01-04T02:05:00.000Z', tookMs: null })
  await node.advance('2s')
  expect(await node.evertick.executions.logs(execution?.id ?? '')).toMatchObject([
    { level: 'info', message: 'all 7 files' },
  ])
})

test('where none comes, the tick fails with a plain reason, for good, and the job is failing', async () => {
  const { node, ping } = await nodeWith({ schedule: { cron: '0 3 * * *', timezone: 'Europe/Madrid' } })
  await node.advance('1h 29m')
  expect(await ticksOf(node)).toEqual(['02:00 fired waiting'])
  await node.advance('61s')
  expect(await errorOf(node)).toBe('failed: No check-in came within 30m of 2027-01-04 03:00 Europe/Madrid.')
  expect((await node.evertick.jobs.get('backup')).health).toMatchObject({ state: 'failing' })
  expect(await ping()).toBe('Not counted: no run is due now; the next is at 2027-01-05T02:00:00.000Z.')
  await node.advance('23h 30m')
  await ping()
  expect((await node.evertick.jobs.get('backup')).health).toMatchObject({ state: 'ok' })
})

test('two check-ins are one, at once as well', async () => {
  const { node, ping, token } = await nodeWith()
  await node.advance('1h')
  const both = await Promise.all([1, 2].map(() => node.evertick.jobs.checkIn(token)))
  expect(both.filter(({ counted }) => counted)).toHaveLength(1)
  await node.settle()
  expect(await ping('failed')).toBe('OK: the run of 2027-01-04T02:00:00.000Z had checked in before.')
  expect(await ticksOf(node)).toEqual(['02:00 fired completed'])
})

test('one that comes a little too early counts for the tick to come, once', async () => {
  const { node, ping } = await nodeWith()
  await node.advance('59m 49s')
  expect(await ping()).toContain('Not counted: no run is due now')
  await node.advance('1s')
  expect(await ping()).toBe('OK: the run of 2027-01-04T02:00:00.000Z is done.')
  expect(await ping()).toContain('had checked in before')
  await node.advance('11s')
  expect(await ticksOf(node)).toEqual(['02:00 fired completed'])
  expect(await ping()).toContain('had checked in before')
  await node.advance('1d')
  expect(await ticksOf(node)).toEqual(['02:00 fired completed', '02:00 fired waiting'])
})

test('it says how long it took, and what it said when it failed', async () => {
  const { node, ping } = await nodeWith()
  await node.advance('1h 1s')
  expect(await ping('start')).toContain('has begun')
  expect(await ticksOf(node)).toEqual(['02:00 fired waiting'])
  await node.advance('4m')
  expect(await ping('failed', 'exit status 3\nno space left')).toContain('has failed')
  expect(await errorOf(node)).toBe('failed: It reported a failure: exit status 3')
  await node.advance('1d')
  await ping('start')
  await node.advance('2m')
  await ping()
  expect((await node.executions('backup')).at(-1)?.result).toMatchObject({ tookMs: 120_000 })
  await node.advance('1d')
  await ping('start')
  await node.advance('1h')
  expect(await errorOf(node)).toMatch(
    /^failed: No check-in came within 30m of .* It said at .* that it began\.$/,
  )
})

test('what has said that it began ends its own tick, though the next is due', async () => {
  const { node, ping } = await nodeWith({ schedule: { cron: '*/10 2 * * *' } })
  await node.advance('1h')
  await ping('start')
  await node.advance('12m')
  expect(await ping()).toBe('OK: the run of 2027-01-04T02:00:00.000Z is done.')
  expect(await ping()).toBe('OK: the run of 2027-01-04T02:10:00.000Z is done.')
})

test('a job that is paused, cancelled or deleted says so, and a tick from before still takes its check-in', async () => {
  const { node, ping } = await nodeWith()
  const { jobs } = node.evertick
  await node.advance('1h')
  await jobs.pause('backup')
  expect(await ping()).toContain('is done')
  expect(await ticksOf(node)).toEqual(['02:00 fired completed'])
  await node.advance('1d')
  expect(await ping()).not.toContain('OK')
  await jobs.cancel('backup')
  expect(await ping()).not.toContain('OK')
  await jobs.delete('backup')
  await expect(ping()).rejects.toMatchObject({ code: 'check_in_not_found' })
})

test('one that comes as its execution is cancelled comes too late, and changes nothing', async () => {
  const { node, ping } = await nodeWith()
  await node.advance('1h')
  const [execution] = await node.executions('backup')
  await node.evertick.executions.cancel(execution?.id ?? '')
  await node.settle()
  expect(await ping()).toBe('Too late: nobody waits for the run of 2027-01-04T02:00:00.000Z any more.')
  expect(await ticksOf(node)).toEqual(['02:00 fired cancelled'])
})

test('of ticks that came due while nobody led, those are completed that checked in, once somebody leads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-check-ins-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const database = `sqlite:${join(folder, 'jobs.db')}`
  const clock = new ManualClock(start)
  const schedule = { cron: '0 2-5 * * *' }
  const { node, token } = await nodeWith({ schedule, catchUp: 'all' }, { database, clock })
  await node.stop()
  const alone = await openTestNode({ database, clock, roles: ['worker'], logger: quiet })
  const { jobs } = alone.evertick
  clock.moveTo(clock.now() + 3_600_000)
  expect(await jobs.checkIn(token)).toMatchObject({ counted: true })
  // 03:00 has none.
  clock.moveTo(clock.now() + 2 * 3_600_000)
  const failed = { word: 'failed', note: 'disk full' } as const
  expect(await jobs.checkIn(token, failed)).toMatchObject({ counted: true })
  clock.moveTo(clock.now() + 50 * 60_000)
  expect(await jobs.checkIn(token)).toMatchObject({ counted: false })
  await alone.stop()
  clock.moveTo(clock.now() + 15 * 60_000)
  const leads = await openTestNode({ database, clock, logger: quiet })
  onTestFinished(() => leads.stop())
  await leads.advance('1m')
  expect(await ticksOf(leads)).toEqual([
    '02:00 caught_up completed',
    '03:00 caught_up failed',
    '04:00 caught_up failed',
    '05:00 caught_up waiting',
  ])
  expect(await leads.evertick.jobs.checkIn(token)).toMatchObject({ counted: true })
  await leads.settle()
  expect((await ticksOf(leads)).at(-1)).toBe('05:00 caught_up completed')
  expect((await leads.evertick.audit()).ok).toBe(true)
})

test('by another token, or the one before, nobody checks in; the database has neither', async () => {
  const { node, ping, token } = await nodeWith()
  await node.advance('1h')
  await expect(node.evertick.jobs.checkIn(`${token}x`)).rejects.toMatchObject({ code: 'check_in_not_found' })
  const { token: next, path } = await node.evertick.jobs.rotateCheckIn('backup')
  expect(path).toBe(`/ping/${next}`)
  await expect(ping()).rejects.toMatchObject({ code: 'check_in_not_found' })
  expect(await node.evertick.jobs.checkIn(next)).toMatchObject({ counted: true, job: 'backup' })
  const shown = JSON.stringify([
    await node.evertick.jobs.get('backup'),
    await node.evertick.auditLog.list({}),
    await node.evertick.jobs.revisions('backup'),
  ])
  expect(shown).not.toContain(token)
  expect(shown).toContain('check_in.rotate')
})

test('run by hand there is nothing to run, and a backfill knows which ticks had checked in', async () => {
  const { node, ping } = await nodeWith()
  await node.evertick.jobs.trigger('backup')
  await node.settle()
  expect(await errorOf(node)).toContain('there is nothing to run here')
  await node.advance('1h')
  await ping()
  await node.advance('2d')
  await node.evertick.jobs.backfill('backup', { from: '2027-01-04T00:00:00Z', to: '2027-01-05T23:00:00Z' })
  await node.advance('1s')
  const backfills = (await node.executions('backup')).filter(({ cause }) => cause === 'backfill')
  expect(backfills.map(({ state }) => state)).toEqual(['completed', 'failed'])
})

test.each([
  [{ schedule: { fixedDelay: '5m' } }, 'schedule'],
  [{ schedule: undefined }, 'schedule'],
  [{ handler: { type: 'check_in', within: '0s' } }, 'handler.within'],
  [{ handler: { type: 'check_in', within: '1m', early: '2h' } }, 'handler.early'],
  [{ handler: { type: 'check_in' } }, 'handler.within'],
  [{ onCrash: 'fail' }, 'onCrash'],
] as const)('%j is refused', async (wrong, field) => {
  const node = await openTestNode({ start })
  onTestFinished(() => node.stop())
  const job = { name: 'b', schedule: { every: '1h' }, handler: { type: 'check_in', within: '1m' }, ...wrong }
  const { schedule, ...rest } = job
  const given = (schedule === undefined ? rest : { ...rest, schedule }) as Parameters<
    typeof node.evertick.jobs.create
  >[0]
  await expect(node.evertick.jobs.create(given)).rejects.toMatchObject({ code: 'invalid_definition', field })
})
