/** Who leads, who repairs, and what a worker that comes back too late may still do. */
import { describe, expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { afterOutage, at, databaseFile, openNode, pass, SharedClock, statesOf, t0, tally } from './support.ts'

const idle = () => {}
const leader = { lease: '10s', heartbeat: '3s' } as const

describe('terms', () => {
  it('a graceful stop hands over within a heartbeat, and both terms are kept', async () => {
    const { url } = databaseFile()
    const clock = new SharedClock(t0)
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, run: idle })
    const open = (nodeId: string) => openNode({ database: url, clock, leader, nodeId, jobs: [job] })
    const first = await open('first')
    const second = await open('second')
    await pass([first, second], clock, '60s')
    expect((await second.evertick.leader.current())?.instance).toBe('first')
    await first.stop()
    await pass([second], clock, '4s')
    expect((await second.evertick.leader.current())?.instance).toBe('second')
    await pass([second], clock, '60s')
    expect(tally(await second.ticks(job))).toEqual({ fired: 12 })
    const terms = await second.evertick.leader.terms()
    expect(terms).toMatchObject([
      { id: 2, leaderInstance: 'second', stopTime: null, handledMissedTasks: true },
      { id: 1, leaderInstance: 'first', stopTime: at(60), lastHeartbeat: at(60), handledMissedTasks: true },
    ])
    expect(terms[0]?.gapMs).toBeLessThanOrEqual(3_000)
    expect(await second.evertick.audit()).toMatchObject({ ok: true })
  })

  it('the same node that leads twice has two records', async () => {
    const { url } = databaseFile()
    const options = { database: url, nodeId: 'same' }
    const node = await afterOutage(await openNode(options), '60s', options)
    expect(await node.evertick.leader.terms()).toMatchObject([
      { id: 2, leaderInstance: 'same', startTime: at(60), gapMs: 60_000 },
      { id: 1, leaderInstance: 'same', startTime: at(0), stopTime: at(0), gapMs: 0 },
    ])
    expect(await node.evertick.leader.terms({ instance: 'same' })).toHaveLength(2)
    expect(await node.evertick.leader.terms({ instance: 'other' })).toEqual([])
  })

  it('a crash: the next leader waits for the lease, repairs, counts, and says so', async () => {
    const database = databaseFile()
    const jobs = [
      defineJob({
        name: 'all',
        schedule: { every: '10s' },
        catchUp: { policy: 'all', maxMissedRuns: 3 },
        run: idle,
      }),
      defineJob({ name: 'none', schedule: { every: '10s' }, catchUp: 'none', run: idle }),
      defineJob({ name: 'latest', schedule: { every: '10s' }, run: idle }),
    ]
    const crashed = await openNode({ database: database.url, nodeId: 'crashed', leader, jobs })
    await crashed.advance('31s')
    // The crashed node's clock stands from here on; its successor has a clock of its own.
    const clock = new ManualClock(t0 + 35_000)
    const node = await openNode({ database: database.url, clock, nodeId: 'next', leader, jobs })
    expect((await node.evertick.leader.current())?.instance).toBe('crashed')
    await node.advance('50s')
    const [term, before] = await node.evertick.leader.terms()
    expect(before).toMatchObject({ leaderInstance: 'crashed', stopTime: null, lastHeartbeat: at(30) })
    expect(before?.effectiveEnd).toEqual(at(330))
    expect(term).toMatchObject({ leaderInstance: 'next', handledMissedTasks: true })
    expect(term?.startTime.getTime()).toBeGreaterThanOrEqual(t0 + 41_000)
    expect(term?.startTime.getTime()).toBeLessThanOrEqual(t0 + 45_000)
    expect(term?.gapMs).toBe(Number(term?.startTime) - t0 - 30_000)
    // Only the tick of 40 s was missed, by each of the three, and it is within the grace.
    expect(term?.missed).toEqual({ found: 3, caughtUp: 3, coalesced: 0, skipped: 0 })
    for (const { name } of jobs) expect(tally(await node.ticks(name))).toEqual({ fired: 8 })
    expect(database.sql('SELECT leader_instance, handled_missed_tasks FROM scheduler_leader_log')).toEqual([
      { leader_instance: 'crashed', handled_missed_tasks: 1 },
      { leader_instance: 'next', handled_missed_tasks: 1 },
    ])
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })

  it('what a long gap cost is in the term that repaired it', async () => {
    const { url } = databaseFile()
    const jobs = [
      defineJob({
        name: 'all',
        schedule: { every: '10s' },
        catchUp: { policy: 'all', maxMissedRuns: 3 },
        run: idle,
      }),
      defineJob({ name: 'none', schedule: { every: '10s' }, catchUp: 'none', run: idle }),
      defineJob({ name: 'latest', schedule: { every: '10s' }, run: idle }),
    ]
    const first = await openNode({ database: url, jobs })
    const node = await afterOutage(first, '10m', { database: url, jobs })
    const [term] = await node.evertick.leader.terms()
    // The tick of the very start of the term is on time, not missed.
    expect(term?.missed).toEqual({ found: 177, caughtUp: 3, coalesced: 59, skipped: 115 })
    expect(term).toMatchObject({ gapMs: 600_000, handledMissedTasks: true })
  })

  it('a leader that steps down leaves it to others for the length of a lease', async () => {
    const { url } = databaseFile()
    const clock = new SharedClock(t0)
    const first = await openNode({ database: url, clock, leader, nodeId: 'first' })
    const second = await openNode({ database: url, clock, leader, nodeId: 'second' })
    expect(await first.evertick.leader.stepDown()).toBe(true)
    await pass([first, second], clock, '5s')
    expect((await first.evertick.leader.current())?.instance).toBe('second')
  })

  it('a leader that wakes from a freeze decides nothing any more', async () => {
    const { url } = databaseFile()
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, run: idle })
    const lost: number[] = []
    const frozen = await openNode({ database: url, leader, jobs: [job] })
    frozen.evertick.on('leader:lost', ({ termId }) => void lost.push(termId))
    await frozen.advance('25s')
    const clock = new ManualClock(t0 + 45_000)
    const node = await openNode({ database: url, clock, leader, jobs: [job] })
    await node.advance('30s')
    await frozen.advance('50s')
    expect(lost).toEqual([1])
    expect((await node.evertick.leader.current())?.termId).toBe(2)
    expect(tally(await node.ticks(job))).toEqual({ fired: 6, coalesced: 1 })
    expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 7 })
  })
})

describe('a zombie worker', () => {
  it('is refused and its signal aborted; the second worker’s result stands', async () => {
    const { url } = databaseFile()
    const [frozen, clock] = [new ManualClock(t0), new ManualClock(t0 + 40_000)]
    const reasons: unknown[] = []
    const job = (own: ManualClock, result: string) =>
      defineJob({
        name: 'job',
        async run({ attempt, signal }) {
          signal.addEventListener('abort', () => reasons.push((signal.reason as { code?: unknown }).code))
          if (attempt === 1) await own.sleep(60_000)
          return result
        },
      })
    const zombie = await openNode({ database: url, clock: frozen, leader, jobs: [job(frozen, 'zombie')] })
    const refused: string[] = []
    zombie.evertick.on('execution:refused', ({ executionId }) => void refused.push(executionId))
    zombie.evertick.on(
      'execution:completed',
      ({ executionId }) => void refused.push(`completed ${executionId}`),
    )
    const { id } = await zombie.evertick.enqueue('job')
    await zombie.advance('1s')
    const node = await openNode({ database: url, clock, leader, jobs: [job(clock, 'second')] })
    await node.advance('20s')
    expect(await node.evertick.executions.get(id)).toMatchObject({ state: 'completed', result: 'second' })
    await zombie.advance('61s')
    expect(reasons).toEqual(['stale_lease'])
    expect(refused).toEqual([id])
    const execution = await node.evertick.executions.get(id)
    expect(execution).toMatchObject({ state: 'completed', result: 'second', fence: 2 })
    expect(execution.attempts.map(({ outcome }) => outcome)).toEqual(['crashed', 'refused', 'completed'])
  })

  it('is refused also while the second worker still runs', async () => {
    const { url } = databaseFile()
    const [frozen, clock] = [new ManualClock(t0), new ManualClock(t0 + 40_000)]
    const reasons: unknown[] = []
    const job = (own: ManualClock, result: string) =>
      defineJob({
        name: 'job',
        async run({ attempt, signal }) {
          if (attempt === 1) signal.addEventListener('abort', () => reasons.push(signal.reason))
          await own.sleep(45_000)
          return result
        },
      })
    const zombie = await openNode({ database: url, clock: frozen, leader, jobs: [job(frozen, 'zombie')] })
    const { id } = await zombie.evertick.enqueue('job')
    await zombie.advance('1s')
    const node = await openNode({ database: url, clock, leader, jobs: [job(clock, 'second')] })
    await node.advance('20s')
    expect(await node.evertick.executions.get(id)).toMatchObject({ state: 'running', fence: 2, attempt: 2 })
    const { leasedUntil } = await node.evertick.executions.get(id)
    await zombie.advance('30s')
    expect(reasons).toMatchObject([{ code: 'stale_lease' }])
    expect((await node.evertick.executions.get(id)).leasedUntil).toEqual(leasedUntil)
    await zombie.advance('30s')
    expect(await node.evertick.executions.get(id)).toMatchObject({ state: 'running', result: null })
    await node.advance('1m')
    const execution = await node.evertick.executions.get(id)
    expect(execution).toMatchObject({ state: 'completed', result: 'second', fence: 2 })
    expect(execution.attempts.map(({ outcome }) => outcome)).toEqual(['crashed', 'refused', 'completed'])
  })

  it('that is the only one takes its execution up again, as a new attempt', async () => {
    const { url } = databaseFile()
    const [own, clock] = [new SharedClock(t0), new ManualClock(t0)]
    const attempts: number[] = []
    const job = defineJob({
      name: 'job',
      async run({ attempt }) {
        attempts.push(attempt)
        if (attempt === 1) await own.sleep(1e9)
      },
    })
    const worker = await openNode({ database: url, clock: own, leader, roles: ['worker'], jobs: [job] })
    await worker.evertick.enqueue('job')
    await worker.advance('1s')
    const scheduler = await openNode({ database: url, clock, leader, roles: ['scheduler'] })
    await scheduler.advance('50s')
    expect(statesOf(await scheduler.executions(job))).toEqual({ retrying: 1 })
    await worker.advance('1m')
    expect(statesOf(await worker.executions(job))).toEqual({ completed: 1 })
    expect(attempts).toEqual([1, 2])
  })
})
