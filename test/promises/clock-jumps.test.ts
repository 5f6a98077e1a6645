/** Clocks that are set, and history that is cut: nothing is accounted twice, and nothing is lost. */
import { describe, expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { ManualClock, openTestNode } from '../../src/testing/index.ts'
import { at, databaseFile, openNode, quiet, secondsOf, t0, tally } from './support.ts'

const leader = { lease: '10s', heartbeat: '3s' } as const
const [hour, day] = [3_600_000, 86_400_000]

describe('a clock that jumps', () => {
  it('back an hour: no tick twice, and the schedule goes on where it stood', async () => {
    const ran: (number | null)[] = []
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      run: ({ scheduledFor }) => void ran.push(secondsOf(scheduledFor)),
    })
    const node = await openNode({ leader: { lease: '60s', heartbeat: '20s' }, jobs: [job] })
    await node.advance('90m')
    const before = ran.length
    node.clock.jump(-hour)
    await node.advance('59m')
    expect(ran).toHaveLength(before)
    await node.advance('11m')
    expect(ran).toEqual(Array.from({ length: 100 }, (_, index) => (index + 1) * 60))
    expect(await node.evertick.audit()).toMatchObject({ ok: true, doubled: 0 })
  })

  it('back an hour between claim and start: the run is not an hour late, and a stop leaves no timer', async () => {
    const starts: number[] = []
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      run: () => void starts.push(node.clock.monotonic()),
    })
    const node = await openNode({ leader, jobs: [job] })
    await node.advance(59_950)
    node.clock.jump(-hour)
    await node.advance('1s')
    expect(starts).toHaveLength(1)
    await node.stop()
    expect(node.clock.nextTimerAt()).toBeNull()
  })

  it('back an hour with a tick in the buffer: a pause takes that tick back, which is still to come', async () => {
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      overlap: 'buffer_one',
      run: () => node.clock.sleep(90_000),
    })
    const node = await openNode({ leader, jobs: [job] })
    await node.advance('125s')
    node.clock.jump(-100_000)
    await node.evertick.jobs.pause('job')
    await node.advance('10m')
    const executions = await node.executions(job)
    expect(executions.map(({ scheduledFor }) => secondsOf(scheduledFor))).toEqual([60])
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })

  it('a day ahead, and its node dies: the lead and the run are taken over within minutes of its being right', async () => {
    const { url } = databaseFile()
    const attempts: number[] = []
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      run: async ({ attempt }) => {
        attempts.push(attempt)
        if (attempts.length === 1) await wrong.clock.sleep(day)
      },
    })
    const fleet = { database: url, leader, worker: { lease: '10s' }, jobs: [job] } as const
    const wrong = await openTestNode({ ...fleet, logger: quiet, clock: new ManualClock(t0 + day) })
    await wrong.advance('61s')
    // From here on nobody moves its clock: it is dead, and holds its leases.
    const right = await openNode({ ...fleet, clock: new ManualClock(t0 + 120_000) })
    expect(await right.evertick.leader.current()).toMatchObject({ instance: wrong.evertick.nodeId })
    await right.advance('4m')
    expect(await right.evertick.leader.current()).toMatchObject({ instance: right.evertick.nodeId })
    expect(attempts).toEqual([1, 2])
    expect(await right.evertick.audit()).toMatchObject({ ok: true })
  })

  it('forward three days: it is downtime, caught up by the policy', async () => {
    const job = defineJob({ name: 'job', schedule: { every: '60s' }, run: () => {} })
    const node = await openNode({ leader, jobs: [job] })
    await node.advance('150s')
    node.clock.jump(3 * day)
    await node.advance('2m')
    expect(tally(await node.ticks(job))).toMatchObject({ coalesced: 3 * 24 * 60 - 1 })
    expect(await node.evertick.audit()).toMatchObject({ ok: true, unaccounted: 0 })
    expect((await node.executions(job)).length).toBeLessThanOrEqual(7)
  })

  it('forward thirty days: held for five minutes, then believed', async () => {
    const job = defineJob({ name: 'job', schedule: { every: '60s' }, run: () => {} })
    const node = await openNode({ leader, jobs: [job] })
    await node.advance('150s')
    const before = (await node.executions(job)).length
    node.clock.jump(30 * day)
    await node.advance('4m')
    expect(await node.executions(job)).toHaveLength(before)
    await node.advance('3m')
    const executions = await node.executions(job)
    expect(executions.length).toBeGreaterThan(before)
    expect(await node.evertick.audit()).toMatchObject({ ok: true, unaccounted: 0 })
    expect(Number(executions.at(-1)?.scheduledFor)).toBeGreaterThan(Number(at(30 * 86_400)))
  })

  it('forward thirty days and back again: as if nothing had been', async () => {
    const job = defineJob({ name: 'job', schedule: { every: '60s' }, run: () => {} })
    const node = await openNode({ leader, jobs: [job] })
    await node.advance('150s')
    node.clock.jump(30 * day)
    await node.advance('2m')
    node.clock.jump(-30 * day)
    await node.advance('10m')
    expect(tally(await node.ticks(job))).toMatchObject({ fired: expect.any(Number) as number })
    expect(secondsOf((await node.executions(job)).at(-1)?.scheduledFor ?? null)).toBeGreaterThan(700)
    expect(await node.evertick.audit()).toMatchObject({ ok: true, unaccounted: 0 })
  })
})

describe('retention', () => {
  it('keeps sizes flat, while totals + ledger = all ticks', async () => {
    const database = databaseFile()
    let turn = 0
    const job = defineJob({
      name: 'job',
      schedule: { every: '60s' },
      retention: { executions: 20, age: '5m', ledger: '1h' },
      overlap: 'allow',
      retry: { attempts: 1 },
      run({ log }) {
        log.info('a line')
        turn += 1
        if (turn % 3 === 0) throw new Error('every third')
      },
    })
    const aged = defineJob({
      name: 'idle',
      schedule: { every: '60s' },
      retention: { executions: 1, age: '30m', ledger: '1h' },
      run: () => {},
    })
    const node = await openNode({ database: database.url, jobs: [job, aged] })
    const count = (table: string) =>
      Number(database.sql(`SELECT count(*) AS n FROM evertick_${table}`)[0]?.['n'])
    await node.advance('2h')
    const [executions, logs, ranges] = [
      count('job_executions'),
      count('execution_logs'),
      count('tick_ranges'),
    ]
    await node.advance('2h')
    expect(count('job_executions')).toBeLessThanOrEqual(executions + 5)
    expect(count('execution_logs')).toBeLessThanOrEqual(logs + 5)
    expect(count('tick_ranges')).toBeLessThanOrEqual(ranges + 8)
    const [sums] = database.sql(`
      SELECT (SELECT sum(count) FROM evertick_ledger_totals) AS totals,
        (SELECT sum(count) FROM evertick_tick_ranges) AS ranges,
        (SELECT count(*) FROM evertick_job_executions e JOIN evertick_jobs j ON j.id = e.job_id
          WHERE e.tick_at >= j.ledger_from AND e.tick_at <= ${node.clock.now()}) AS ledger`)
    expect(Number(sums?.['totals']) + Number(sums?.['ranges']) + Number(sums?.['ledger'])).toBe(2 * 4 * 60)
    expect(await node.evertick.audit()).toMatchObject({ ok: true, jobs: 2 })
    const [oldest] = await node.ticks('job')
    expect(oldest?.account).toBe('purged')
    // A row of success is only passed as a whole: the ledger still says what became of the first tick.
    const [first] = await node.ticks('idle')
    expect(first).toMatchObject({ account: 'fired', state: 'completed', folded: true })
  })
})
