/** Limits and their keys: rules 22 to 24, each by the history that broke a plainer one. */
import { describe, expect, test } from 'vitest'
import type { JobLimit } from '../../../src/core/execution/limit.ts'
import { by, idOf, jobSpec, nameOf, second, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { claimOf, enqueue, limited, names, onDemand } from './limited-work.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

/** A limit of the job's own, by the customer. */
function perCustomer(concurrency: number): JobLimit {
  return { by: 'input.customer', concurrency, rate: null }
}

export function describeLimits(open: OpenStoreUnderTest): void {
  describe('limits', () => {
    test(
      'never more than the number of one key run at once, and another key goes past the full one',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('call', limited(perCustomer(2)))
        await enqueue(bench, 'call', ['a1', 'a2', 'a3', 'b1'], ({ 0: customer }) => ({ input: { customer } }))
        const first = await hand.claim(at(0))
        expect(names(first)).toEqual(['a1', 'a2', 'b1'])
        expect(await hand.execution(idOf('a3'))).toMatchObject({ state: 'blocked', readyAt: t0 })
        expect(names(await hand.claim(at(1)))).toEqual([])
        await hand.finish(claimOf(first, 'b1'), at(2))
        expect(names(await hand.claim(at(2)))).toEqual([])
        await hand.finish(claimOf(first, 'a1'), at(3))
        expect(names(await hand.claim(at(3)))).toEqual(['a3'])
      }),
    )

    test(
      'what has a limit begins in its claim: it is never reserved, and nothing behind it is',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('call', limited({ by: null, concurrency: 5, rate: null }))
        await hand.create('plain', jobSpec(onDemand))
        await enqueue(bench, 'plain', ['p1'])
        await enqueue(bench, 'call', ['c1', 'c2'])
        await enqueue(bench, 'plain', ['p2'])
        const reserved = await hand.claim(at(0), { limit: 10, start: 0, reserveFrom: 1 })
        expect(names(reserved)).toEqual(['p1'])
        expect(names(await hand.claim(at(0), { limit: 10, start: 0, reserveFrom: 2 }))).toEqual([])
        const started = await hand.claim(at(0), { limit: 10, start: 1, reserveFrom: 2 })
        expect(started).toMatchObject([{ id: idOf('c1'), started: true, place: null, attempt: 1 }])
      }),
    )

    test(
      'endless plain work does not keep a limited one of a higher priority waiting',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('call', limited({ by: null, concurrency: 1, rate: null }))
        await hand.create('plain', jobSpec(onDemand))
        await enqueue(bench, 'plain', ['p1', 'p2', 'p3'])
        await enqueue(bench, 'call', ['c1'], () => ({ priority: 9 }))
        expect(names(await hand.claim(at(0), { limit: 3, start: 1, reserveFrom: 1 }))).toEqual(['c1'])
      }),
    )

    test(
      'it is not begun early',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('call', limited(perCustomer(1)))
        await enqueue(bench, 'call', ['c1'], () => ({ readyAt: at(1) }))
        expect(names(await hand.claim(at(0.95), { readyBy: at(1.05) }))).toEqual([])
        expect(names(await hand.claim(at(1)))).toEqual(['c1'])
      }),
    )

    test(
      'a failed attempt gives its share back, and its retry takes one again',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('call', limited(perCustomer(1)))
        await enqueue(bench, 'call', ['c1', 'c2'])
        const first = await hand.claimOne(at(0), { limit: 5 })
        expect(nameOf(first.id)).toBe('c1')
        const error = { name: 'Error', message: 'no' }
        await hand.finish(first, at(1), { state: 'retrying', readyAt: at(2), error, countsAttempt: true })
        const second = await hand.claimOne(at(1))
        expect(nameOf(second.id)).toBe('c2')
        expect(names(await hand.claim(at(3)))).toEqual([])
        await hand.finish(second, at(4))
        expect(names(await hand.claim(at(4)))).toEqual(['c1'])
      }),
    )

    test(
      "a dead worker's share comes back with its lease",
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('call', limited(perCustomer(1)))
        await enqueue(bench, 'call', ['c1', 'c2'])
        await hand.claimOne(at(0))
        expect(names(await hand.claim(at(1)))).toEqual([])
        await hand.expire(at(40))
        const next = await hand.claim(at(60))
        expect(next).toHaveLength(1)
        expect(names(await hand.claim(at(60)))).toEqual([])
      }),
    )

    test(
      'all keys of one or none: the first full one is waited at, and what it would have taken elsewhere is for the next',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        for (const name of ['A', 'B'])
          await store.limits.setLimit(name, { concurrency: 1, rate: null }, by(t0))
        await hand.create('a', limited('A'))
        await hand.create('b', limited('B'))
        await hand.create('both', limited('A', 'B'))
        await enqueue(bench, 'a', ['h'])
        await enqueue(bench, 'b', ['b1'])
        const held = await hand.claim(at(0))
        expect(names(held)).toEqual(['h', 'b1'])
        await enqueue(bench, 'both', ['X'], () => ({ createdAt: at(1) }))
        await enqueue(bench, 'a', ['Y'], () => ({ createdAt: at(2) }))
        expect(names(await hand.claim(at(2)))).toEqual([])
        await hand.finish(claimOf(held, 'h'), at(3))
        expect(names(await hand.claim(at(3)))).toEqual(['Y'])
        expect(await hand.execution(idOf('X'))).toMatchObject({ state: 'blocked' })
      }),
    )

    test(
      'a limit that is raised lets as many more begin at once, and one that is lowered stops nobody who runs',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const set = (concurrency: number, now: number) =>
          store.limits.setLimit('api', { concurrency, rate: null }, by(now))
        await set(1, t0)
        await hand.create('call', limited('api'))
        await enqueue(bench, 'call', ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'])
        const first = await hand.claim(at(0))
        expect(names(first)).toEqual(['c1'])
        await set(5, at(1))
        const more = await hand.claim(at(1))
        expect(names(more)).toEqual(['c2', 'c3', 'c4', 'c5'])
        await set(1, at(2))
        for (const claim of more) await hand.finish(claim, at(3))
        expect(names(await hand.claim(at(3)))).toEqual([])
        await hand.finish(claimOf(first, 'c1'), at(4))
        expect(names(await hand.claim(at(4)))).toEqual(['c6'])
      }),
    )

    test(
      'a limit that is deleted and made again while one runs still counts it',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const set = (now: number) => store.limits.setLimit('api', { concurrency: 1, rate: null }, by(now))
        await set(t0)
        await hand.create('call', limited('api'))
        await enqueue(bench, 'call', ['c1'])
        await hand.claimOne(at(0))
        expect(await store.limits.deleteLimit('api', by(at(1)))).toBe(true)
        await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now: at(7_200) })
        await set(at(7_201))
        await enqueue(bench, 'call', ['c2'])
        expect(names(await hand.claim(at(7_202)))).toEqual([])
      }),
    )

    test(
      'a missing value is a key of its own',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('call', limited(perCustomer(1)))
        const inputs: Readonly<Record<string, unknown>> = {
          n1: null,
          n2: {},
          n3: { customer: null },
          n4: { customer: '' },
        }
        await enqueue(bench, 'call', Object.keys(inputs), (name) => ({ input: inputs[name] }))
        // null and {} have no customer: they share one key.
        expect(names(await hand.claim(at(0)))).toEqual(['n1', 'n3', 'n4'])
      }),
    )

    test(
      'a newcomer takes no share while earlier ones of its queue wait for it',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('call', limited(perCustomer(1)))
        await enqueue(bench, 'call', ['c1', 'c2'])
        const first = await hand.claimOne(at(0), { limit: 5 })
        expect(names(await hand.claim(at(0)))).toEqual([])
        await enqueue(bench, 'call', ['c3'], () => ({ createdAt: at(1) }))
        await hand.finish(first, at(2))
        expect(names(await hand.claim(at(2), { limit: 1 }))).toEqual(['c2'])
      }),
    )

    test(
      'what waits in a paused queue does not stand in the way of another queue',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await store.limits.setLimit('api', { concurrency: 1, rate: null }, by(t0))
        await hand.create('call', limited('api'))
        await enqueue(bench, 'call', ['x'], () => ({ queue: 'other' }))
        const held = await hand.claimOne(at(0), { queue: 'other' })
        await enqueue(bench, 'call', ['p1', 'p2'], () => ({ createdAt: at(1) }))
        expect(names(await hand.claim(at(1)))).toEqual([])
        await enqueue(bench, 'call', ['o1'], () => ({ queue: 'other', createdAt: at(2) }))
        expect(names(await hand.claim(at(2), { queue: 'other' }))).toEqual([])
        await store.cluster.pauseQueue('default', null, by(at(3)))
        await hand.finish(held, at(4))
        expect(names(await hand.claim(at(4), { queue: 'other' }))).toEqual(['o1'])
      }),
    )

    test(
      'one that is cancelled while it waits leaves the list, and one that had left it makes room for the next',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('call', limited(perCustomer(1)))
        await enqueue(bench, 'call', ['c1', 'c2', 'c3', 'c4'])
        const first = await hand.claimOne(at(0), { limit: 5 })
        await store.executions.cancelExecution(idOf('c2'), by(at(1)))
        await hand.finish(first, at(2))
        // c3 has left the list, and is cancelled before it begins.
        await store.executions.cancelExecution(idOf('c3'), by(at(2)))
        expect(names(await hand.claim(at(2)))).toEqual(['c4'])
      }),
    )

    test(
      'it waits for its retry, its deadline and its cancel as all others do',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create(
          'call',
          jobSpec({ ...onDemand, limits: [perCustomer(1)], startDeadlineMs: 5 * second }),
        )
        await enqueue(bench, 'call', ['c1', 'c2'])
        await hand.claimOne(at(0), { limit: 5 })
        await hand.expire(at(6))
        expect(await hand.execution(idOf('c2'))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'start_deadline',
        })
      }),
    )
  })
}
