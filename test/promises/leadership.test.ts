/** Who leads, who repairs, and what a worker that comes back too late may still do. */

import { describe, expect, it, vi } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { defineJob } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import {
  afterOutage,
  at,
  databaseFile,
  lasting,
  openNode,
  pass,
  SharedClock,
  secondsOf,
  statesOf,
  t0,
  tally,
} from './support.ts'

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

describe('who listens to the leader', () => {
  it('hears that a lead is lost before the next one is elected, also where a renewal hangs', async () => {
    const { url } = databaseFile()
    const clock = new SharedClock(t0)
    const first = await openNode({ database: url, clock, leader, nodeId: 'first' })
    const second = await openNode({ database: url, clock, leader, nodeId: 'second' })
    const heard: string[] = []
    for (const { evertick } of [first, second]) {
      for (const event of ['leader:elected', 'leader:lost'] as const) {
        evertick.on(event, ({ instance, termId }) => void heard.push(`${instance} ${event} ${termId}`))
      }
    }
    const { store } = contextOf(first.evertick)
    const renewTerm = store.cluster.renewTerm.bind(store)
    const cut = Promise.withResolvers<void>()
    store.cluster.renewTerm = async (request) => {
      await cut.promise
      return await renewTerm(request)
    }
    await pass([second], clock, '20s')
    expect(heard).toEqual(['first leader:lost 1', 'second leader:elected 2'])
    cut.resolve()
    await pass([first, second], clock, '20s')
    expect(heard).toHaveLength(2)
  })

  it('hears that it leads again where the late renewal came through', async () => {
    const clock = new SharedClock(t0)
    const node = await openNode({ clock, leader, nodeId: 'alone' })
    const heard: string[] = []
    for (const event of ['leader:elected', 'leader:lost'] as const) {
      node.evertick.on(event, ({ termId }) => void heard.push(`${event} ${termId}`))
    }
    const { store } = contextOf(node.evertick)
    const renewTerm = store.cluster.renewTerm.bind(store)
    const cut = Promise.withResolvers<void>()
    store.cluster.renewTerm = async (request) => {
      await cut.promise
      return await renewTerm(request)
    }
    for (let second = 0; second < 15; second += 1) {
      clock.moveTo(clock.now() + 1_000)
      await turns()
    }
    expect(heard).toEqual(['leader:lost 1'])
    cut.resolve()
    await pass([node], clock, '4s')
    expect(heard).toEqual(['leader:lost 1', 'leader:elected 1'])
  })
})

describe('a leader that also works is killed', () => {
  it.each([
    ['a node that may lead', ['scheduler', 'worker']],
    ['a node that only works', ['worker']],
  ] as const)(
    'its leases come back when they end, not when the next leader has settled in: by %s',
    async (_, roles) => {
      const { url } = databaseFile()
      const options = {
        database: url,
        leader: { lease: '1h', heartbeat: '20m' },
        worker: { lease: '5s' },
      } as const
      const stopped = new ManualClock(t0)
      const long = defineJob({ name: 'job', run: lasting(stopped, 60_000) })
      const killed = await openNode({ ...options, nodeId: 'killed', clock: stopped, jobs: [long] })
      await killed.evertick.enqueue('job')
      await killed.settle()
      // The clock of the killed one stands from here on; the other one goes on.
      const clock = new ManualClock(t0 + 1_000)
      const other = await openNode({
        ...options,
        roles,
        clock,
        nodeId: 'other',
        jobs: [defineJob({ name: 'job', run: idle })],
      })
      const expired: (number | null)[] = []
      other.evertick.on('lease:expired', () => void expired.push(secondsOf(new Date(clock.now()))))
      await other.advance('30s')
      expect((await other.evertick.leader.current())?.instance).toBe('killed')
      expect(expired).toHaveLength(1)
      // The lease of 5 s, a second for the clocks, one for the leader, and a look every 4 s.
      expect(expired[0]).toBeGreaterThan(6)
      expect(expired[0]).toBeLessThanOrEqual(11)
      expect(statesOf(await other.executions('job'))).toEqual({ completed: 1 })
    },
  )

  it('those that wait for their turn ask one small question for each look, and write nothing', async () => {
    const { url } = databaseFile()
    const clock = new SharedClock(t0)
    const first = await openNode({ database: url, clock, leader, nodeId: 'first' })
    const second = await openNode({ database: url, clock, leader, nodeId: 'second' })
    const { store } = contextOf(second.evertick)
    const { work, executions } = store
    const spies = {
      listLeases: vi.spyOn(executions, 'listLeases'),
      expireLeases: vi.spyOn(work, 'expireLeases'),
      releaseBlocked: vi.spyOn(work, 'releaseBlocked'),
    }
    await pass([first, second], clock, '60s')
    expect(spies.expireLeases).not.toHaveBeenCalled()
    expect(spies.releaseBlocked).not.toHaveBeenCalled()
    expect(spies.listLeases).toHaveBeenCalled()
    expect(spies.listLeases.mock.calls.length).toBeLessThanOrEqual(60 / 3 + 1)
  })
})

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

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
