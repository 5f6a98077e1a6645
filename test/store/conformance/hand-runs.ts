/** Runs that a caller does by itself, and the history that they share with everybody's. */
import { describe, expect, test } from 'vitest'
import { by, day, hour, idOf, jobSpec, nameOf, newExecution, second, t0 } from '../builders.ts'
import { at, leaseMs } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

async function begin({ store }: Bench, name: string, now: number, job = 'a') {
  const given = { id: idOf(name), metadata: { kept: name }, input: { x: 1 } }
  return await store.compat.beginExecution({ ...given, job, holder: 'me', leaseMs, now })
}

async function runs({ store }: Bench, query: object = {}): Promise<string[]> {
  const found = await store.compat.listRuns({ tags: [], limit: 100, ...query })
  return found.map(({ job, execution }) => `${job.name} ${nameOf(execution.id)} ${execution.state}`)
}

const tagged = (...tags: string[]) => jobSpec({ schedule: null, tags })

export function describeHandRuns(open: OpenStoreUnderTest): void {
  describe('runs by hand', () => {
    test(
      'one runs from the start under its caller’s lease, is claimed by nobody, and ends once',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a')
        const claim = await begin(bench, 'e1', at(1))
        expect(await store.executions.findExecution(idOf('e1'))).toMatchObject({
          state: 'running',
          cause: 'enqueue',
          attempt: 1,
          maxAttempts: 1,
          startedAt: at(1),
          leasedBy: 'me',
          leasedUntil: at(1) + leaseMs,
          input: { x: 1 },
          metadata: { kept: 'e1' },
          tickAt: null,
        })
        expect(await hand.claim(at(2))).toEqual([])
        expect((await hand.finish(claim, at(3))).refused).toEqual([])
        expect((await hand.finish(claim, at(4))).refused).toEqual([idOf('e1')])
        expect(await store.executions.findExecution(idOf('e1'))).toMatchObject({
          state: 'completed',
          finishedAt: at(3),
        })
      }),
    )

    test(
      'it costs no tick, and stands in the way of none',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('a')
        await begin(bench, 'e1', at(1))
        await hand.account(led, at(10))
        expect(await hand.drain(at(10))).toHaveLength(1)
        expect(await hand.ledger('a')).toEqual(['10 fired'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 1, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'one whose lease runs out has failed, and its late caller is refused',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.create('a')
        const claim = await begin(bench, 'e1', t0)
        const renewed = { claims: [claim], leasedUntil: t0 + 2 * leaseMs, now: at(1) }
        expect(await store.work.extendLeases(renewed)).toEqual({ lost: [], cancelled: [] })
        const expire = (now: number) => store.work.expireLeases({ now, limit: 10, random: () => 0 })
        expect((await expire(t0 + 1.5 * leaseMs)).expired).toEqual([])
        expect((await expire(t0 + 3 * leaseMs)).expired).toMatchObject([{ id: idOf('e1'), state: 'failed' }])
        expect((await hand.finish(claim, t0 + 3 * leaseMs)).refused).toEqual([idOf('e1')])
        expect(await store.compat.describeExecution(claim, { late: true })).toBe(false)
        expect(await store.executions.findExecution(idOf('e1'))).toMatchObject({
          state: 'failed',
          error: { code: 'lease_expired' },
          metadata: { kept: 'e1' },
        })
      }),
    )

    test(
      'its metadata changes for who holds it, and for nobody else',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.create('a')
        const claim = await begin(bench, 'e1', t0)
        expect(await store.compat.describeExecution({ ...claim, fence: claim.fence + 1 }, { other: 1 })).toBe(
          false,
        )
        expect(await store.compat.describeExecution(claim, { kept: 'e1', more: [1] })).toBe(true)
        expect(await store.compat.describeExecution(claim, { kept: 'e1', more: [1] })).toBe(true)
        expect((await store.executions.findExecution(idOf('e1')))?.metadata).toEqual({
          kept: 'e1',
          more: [1],
        })
      }),
    )

    test(
      'there is none of a job that is not there, or was cancelled; a paused one may run',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await expect(begin(bench, 'e0', t0, 'nobody')).rejects.toMatchObject({ code: 'job_not_found' })
        await hand.create('a')
        await hand.pause('a', at(1))
        await begin(bench, 'e1', at(2))
        await store.jobs.changeJob('a', { kind: 'cancel' }, by(at(3)))
        await expect(begin(bench, 'e2', at(4))).rejects.toMatchObject({ code: 'invalid_transition' })
        expect(await store.executions.findExecution(idOf('e2'))).toBeNull()
      }),
    )
  })

  describe('the list of runs', () => {
    test(
      'is newest first, by job, by tags, by state and by when they began',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.create('a', tagged('all', 'left'))
        await hand.create('b', tagged('all', 'right'))
        await hand.create('c', tagged('all', 'lefthand'))
        await hand.finish(await begin(bench, 'e1', at(1), 'a'), at(2))
        await begin(bench, 'e2', at(2), 'b')
        await hand.finish(await begin(bench, 'e3', at(3), 'a'), at(4), {
          state: 'failed',
          error: { name: 'E', message: 'no' },
        })
        await begin(bench, 'e4', at(4), 'c')
        expect(await runs(bench, { tags: ['all'] })).toEqual([
          'c e4 running',
          'a e3 failed',
          'b e2 running',
          'a e1 completed',
        ])
        expect(await runs(bench, { tags: ['left'] })).toEqual(['a e3 failed', 'a e1 completed'])
        expect(await runs(bench, { tags: ['all', 'right'] })).toEqual(['b e2 running'])
        expect(await runs(bench, { job: idOf('job-b') })).toEqual(['b e2 running'])
        expect(await runs(bench, { states: ['failed', 'completed'] })).toEqual([
          'a e3 failed',
          'a e1 completed',
        ])
        expect(await runs(bench, { from: at(2), to: at(4) })).toEqual(['a e3 failed', 'b e2 running'])
        expect(await runs(bench, { limit: 2 })).toEqual(['c e4 running', 'a e3 failed'])
        expect(await runs(bench, { job: 'a', limit: 1 })).toEqual(['a e3 failed'])
      }),
    )

    test(
      'begins with the start: what waits is not in it, what was cancelled before is',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null }))
        await store.work.enqueueExecutions([newExecution('e1', 'a'), newExecution('e2', 'a')])
        expect(await runs(bench)).toEqual([])
        await store.executions.cancelExecution(idOf('e2'), by(at(5)))
        await hand.claimOne(at(9))
        expect(await runs(bench)).toEqual(['a e2 cancelled', 'a e1 running'])
        expect(await runs(bench, { from: at(6) })).toEqual(['a e1 running'])
      }),
    )

    test(
      'holds what deleted jobs did, and figures are taken from the same',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.create('a', tagged('all'))
        await hand.finish(await begin(bench, 'e1', at(1)), at(3))
        await hand.finish(await begin(bench, 'e2', at(10)), at(14))
        await begin(bench, 'e3', at(20))
        await store.jobs.changeJob('a', { kind: 'delete' }, by(at(21)))
        expect(await runs(bench, { job: 'a' })).toHaveLength(3)
        expect(await store.compat.finishedRuns({ tags: ['all'], limit: 100 })).toEqual([
          { state: 'completed', durationMs: 4 * second },
          { state: 'completed', durationMs: 2 * second },
        ])
        expect(await store.compat.finishedRuns({ tags: ['all'], from: at(5), limit: 100 })).toHaveLength(1)
      }),
    )
  })

  describe('a purge of one job', () => {
    test(
      'goes by age alone, keeps what is open and the last, and the ledger adds up',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ retention: { executions: 100, ageMs: 365 * day } }))
        await hand.create('b')
        await begin(bench, 'open', at(1))
        await hand.finish(await begin(bench, 'dead', at(1)), at(2), {
          state: 'failed',
          error: { name: 'E', message: 'no' },
        })
        for (const tick of [10, 20, 30, 40]) {
          await hand.account(led, at(tick))
          await hand.drain(at(tick))
        }
        expect(await store.compat.purgeJob('nobody', 0, at(50))).toBe(0)
        expect(await store.compat.purgeJob('a', hour, at(50))).toBe(0)
        // Older than 25 s at second 50: the dead letter, and the ticks at 10 and 20.
        expect(await store.compat.purgeJob('a', 25 * second, at(50))).toBe(3)
        expect(await hand.ledger('a')).toEqual(['10-20 fired completed x2', '30 fired', '40 fired'])
        expect(await hand.ledger('b')).toHaveLength(4)
        expect(await store.executions.findExecution(idOf('open'))).not.toBeNull()
        expect(await store.compat.purgeJob('a', 0, at(50))).toBe(1)
        expect(await hand.ledger('a')).toEqual(['10-30 fired completed x3', '40 fired'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )
  })
}
