/** Who says what a job is: code, an operator, or nobody any more. */
import { describe, expect, it } from 'vitest'
import { defineJob, type JobOptions } from '../../src/index.ts'
import { afterOutage, databaseFile, openNode, pass, SharedClock, t0, tally } from './support.ts'

const idle = () => {}
const job = (options: JobOptions = {}) =>
  defineJob({ name: 'job', schedule: { every: '60s' }, ...options, run: idle })

describe('a one-off whose time has passed', () => {
  const once = (options: JobOptions = {}) => {
    const ran: number[] = []
    const schedule = { at: new Date(t0 + 60_000) }
    const job = defineJob({
      name: 'once',
      schedule,
      ...options,
      run: ({ attempt }) => void ran.push(attempt),
    })
    return { job, ran }
  }

  it('does not keep its node from starting: it is shown as missed', async () => {
    const { job, ran } = once({ catchUp: 'none' })
    const node = await openNode({ start: new Date(t0 + 3_600_000), jobs: [job] })
    expect(await node.evertick.jobs.get('once')).toMatchObject({ state: 'completed' })
    expect((await node.evertick.audit()).ok).toBe(true)
    expect(ran).toEqual([])
  })

  it('has run, is deleted, and comes back with the next deploy: it does not run again', async () => {
    const { url } = databaseFile()
    const { job, ran } = once()
    const before = await openNode({ database: url, jobs: [job] })
    await before.advance('2m')
    await before.evertick.jobs.delete('once')
    const after = await afterOutage(before, '1m', { database: url, jobs: [job] })
    await after.advance('1m')
    expect(ran).toEqual([1])
    expect(await after.evertick.jobs.get('once')).toMatchObject({ state: 'completed' })
  })
})

it('two operators who edit different options of a job at once both get theirs', async () => {
  const node = await openNode({ jobs: [job()] })
  await Promise.all([
    node.evertick.jobs.update('job', { priority: 7 }, { actor: 'ann' }),
    node.evertick.jobs.update('job', { description: 'nightly' }, { actor: 'bob' }),
  ])
  expect(await node.evertick.jobs.get('job')).toMatchObject({ priority: 7, description: 'nightly' })
})

describe('a deploy', () => {
  it('does not undo a pause', async () => {
    const { url } = databaseFile()
    const before = await openNode({ database: url, jobs: [job()] })
    await before.evertick.jobs.pause('job', { reason: 'migration', actor: 'ops' })
    const after = await afterOutage(before, '1m', {
      database: url,
      jobs: [job({ priority: 7, schedule: { every: '2m' } })],
    })
    expect(await after.evertick.jobs.get('job')).toMatchObject({
      state: 'paused',
      pausedReason: 'migration',
      pausedBy: 'ops',
      priority: 7,
      schedule: { every: '2m' },
    })
    await after.advance('10m')
    expect(await after.executions('job')).toEqual([])
  })

  it('with unchanged code leaves an operator’s edit alone', async () => {
    const { url } = databaseFile()
    const before = await openNode({ database: url, jobs: [job()] })
    await before.evertick.jobs.update('job', { schedule: { every: '5m' } }, { actor: 'ops' })
    const after = await afterOutage(before, '1m', { database: url, jobs: [job()] })
    expect(await after.evertick.jobs.get('job')).toMatchObject({ schedule: { every: '5m' }, revision: 2 })
  })

  it('with changed code wins over an operator’s edit, and each change is a revision', async () => {
    const { url } = databaseFile()
    const before = await openNode({ database: url, jobs: [job()] })
    await before.evertick.jobs.update('job', { schedule: { every: '5m' } }, { actor: 'ops' })
    const after = await afterOutage(before, '1m', {
      database: url,
      jobs: [job({ schedule: { every: '3m' } })],
    })
    expect(await after.evertick.jobs.get('job')).toMatchObject({ schedule: { every: '3m' }, revision: 3 })
    expect(await after.evertick.jobs.revisions('job')).toMatchObject([
      { revision: 1, changedBy: 'code', options: { schedule: { every: '1m' } } },
      { revision: 2, changedBy: 'ops', options: { schedule: { every: '5m' } } },
      { revision: 3, changedBy: 'code', options: { schedule: { every: '3m' } } },
    ])
    const { entries } = await after.evertick.auditLog.list({ subject: 'job' })
    expect(entries.map(({ action, actor }) => `${action} by ${actor}`)).toEqual([
      'job.edit by code',
      'job.edit by ops',
      'job.create by code',
    ])
    await after.advance('1h')
    expect(await after.evertick.audit()).toMatchObject({ ok: true })
  })

  it('does not take a job that another manager made', async () => {
    const { url } = databaseFile()
    const before = await openNode({ database: url, jobs: [] })
    await before.evertick.jobs.create({ name: 'job' })
    await expect(openNode({ database: url, clock: before.clock, jobs: [job()] })).rejects.toMatchObject({
      code: 'managed_elsewhere',
    })
  })
})

describe('a job without a living node that has its handler', () => {
  it('is disabled after 10 minutes under a living leader, and comes back with its handler', async () => {
    const { url } = databaseFile()
    const clock = new SharedClock(t0)
    const first = await openNode({ database: url, clock, jobs: [job({ catchUp: 'all', overlap: 'allow' })] })
    await pass([first], clock, '90s')
    await first.stop()
    const without = await openNode({ database: url, clock, jobs: [] })
    await pass([without], clock, '9m')
    expect((await without.evertick.jobs.get('job')).state).toBe('active')
    await pass([without], clock, '4m')
    expect((await without.evertick.jobs.get('job')).state).toBe('disabled')
    await pass([without], clock, '30m')
    const again = await openNode({
      database: url,
      clock,
      jobs: [job({ catchUp: 'all', overlap: 'allow' })],
    })
    expect((await again.evertick.jobs.get('job')).state).toBe('active')
    await pass([again, without], clock, '5m')
    const counted = tally(await again.ticks('job'))
    expect(Object.keys(counted).sort()).toEqual(['fired', 'skipped: disabled'])
    expect(counted['skipped: disabled']).toBeGreaterThanOrEqual(30)
    expect((await again.executions('job')).every(({ state }) => state === 'completed')).toBe(true)
    expect(await again.evertick.audit()).toMatchObject({ ok: true })
  })

  it('a restart within 10 minutes disables nothing', async () => {
    const { url } = databaseFile()
    const clock = new SharedClock(t0)
    const other = await openNode({ database: url, clock, jobs: [] })
    const first = await openNode({ database: url, clock, jobs: [job()] })
    for (let restart = 0; restart < 3; restart += 1) {
      await pass([other, first], clock, '5m')
      await first.stop()
      await pass([other], clock, '8m')
      const again = await openNode({ database: url, clock, jobs: [job()] })
      await pass([other, again], clock, '2m')
      await again.stop()
    }
    expect((await other.evertick.jobs.get('job')).state).toBe('active')
  })
})
