/** Rates, and queues in which keys take turns: rules 25 and 26, each by the history that broke a plainer one. */
import { describe, expect, test } from 'vitest'
import { by, idOf, jobSpec, nameOf, second, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { enqueue, limited, names, numbered, onDemand } from './limited-work.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

export function describeRatesAndTurns(open: OpenStoreUnderTest): void {
  describe('rates', () => {
    test(
      'in no span of its length do more start than it counts, whatever came before',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create(
          'call',
          limited({ by: null, concurrency: null, rate: { count: 3, perMs: 10 * second } }),
        )
        await enqueue(
          bench,
          'call',
          Array.from({ length: 12 }, (_, index) => `c${index + 10}`),
        )
        const starts: number[] = []
        for (let now = 0; now <= 40; now += 1) {
          for (const claim of await hand.claim(at(now))) {
            starts.push(now)
            await hand.finish(claim, at(now))
          }
          await hand.expire(at(now))
        }
        expect(starts).toEqual([0, 0, 0, 10, 10, 10, 20, 20, 20, 30, 30, 30])
      }),
    )

    test(
      'a token that was spent does not come back with an end, a failure or a crash',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create(
          'call',
          limited({ by: null, concurrency: null, rate: { count: 1, perMs: 100 * second } }),
        )
        await enqueue(bench, 'call', ['c1'])
        const first = await hand.claimOne(at(0))
        const error = { name: 'Error', message: 'no' }
        await hand.finish(first, at(1), { state: 'retrying', readyAt: at(2), error, countsAttempt: true })
        expect(names(await hand.claim(at(2)))).toEqual([])
        await hand.expire(at(98))
        expect(names(await hand.claim(at(99)))).toEqual([])
        expect(names(await hand.claim(at(100)))).toEqual(['c1'])
      }),
    )

    test(
      'an instant that is ahead of now counts as now',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create(
          'call',
          limited({ by: null, concurrency: null, rate: { count: 2, perMs: 60 * second } }),
        )
        await enqueue(bench, 'call', ['c1', 'c2'])
        const dayAhead = at(86_400)
        expect(names(await hand.claim(dayAhead))).toEqual(['c1', 'c2'])
        // The clock was set back: those two count from now on, and not for a whole day.
        await enqueue(bench, 'call', ['c3', 'c4'], () => ({ createdAt: at(9) }))
        await hand.expire(at(10))
        expect(names(await hand.claim(at(10)))).toEqual([])
        await hand.expire(at(66))
        expect(names(await hand.claim(at(69)))).toEqual([])
        expect(names(await hand.claim(at(71)))).toEqual(['c3', 'c4'])
      }),
    )
  })

  describe('fairness', () => {
    const fair = jobSpec({ ...onDemand, fairBy: 'input.tenant' })
    const ofTenant = ({ 0: tenant }: string) => ({ input: { tenant } })

    test(
      'the lone one of a second tenant comes after one or two of the first',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('a', fair)
        await enqueue(bench, 'a', numbered('a', 50), ofTenant)
        expect(names(await hand.claim(at(0), { limit: 3 }))).toEqual(['a10', 'a11', 'a12'])
        await enqueue(bench, 'a', ['b1'], ofTenant)
        const next = names(await hand.claim(at(1), { limit: 2 }))
        expect(next).toContain('b1')
      }),
    )

    test(
      'it does so after 20 that were delayed, 50 that were cancelled, and beside 30 that are plain',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', fair)
        await hand.create('plain', jobSpec(onDemand))
        await enqueue(bench, 'a', numbered('a', 20), (name) => ({ ...ofTenant(name), readyAt: at(5) }))
        await enqueue(bench, 'a', numbered('b', 50), ofTenant)
        for (const name of numbered('b', 50)) await store.executions.cancelExecution(idOf(name), by(at(1)))
        await enqueue(bench, 'plain', numbered('p', 30))
        await enqueue(bench, 'a', ['c1'], ofTenant)
        await enqueue(bench, 'a', ['b99'], ofTenant)
        const order: string[] = []
        for (let count = 0; count < 4; count += 1) order.push(...names(await hand.claim(at(6), { limit: 1 })))
        expect(order).toContain('b99')
        expect(order).toContain('c1')
        expect(order.filter((name) => name.startsWith('p'))).not.toEqual([])
      }),
    )

    test(
      'among tenants with much work each has one in each round',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('a', fair)
        for (const tenant of ['a', 'b', 'c']) await enqueue(bench, 'a', numbered(tenant, 4), ofTenant)
        const order = (await hand.drain(at(0))).map(({ id }) => nameOf(id).charAt(0))
        for (let round = 0; round < 4; round += 1)
          expect(order.slice(round * 3, round * 3 + 3).toSorted()).toEqual(['a', 'b', 'c'])
      }),
    )

    test(
      'whoever waits for a turn is pending to everybody who looks',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', fair)
        await enqueue(bench, 'a', ['a1', 'a2'], ofTenant)
        expect(await hand.execution(idOf('a1'))).toMatchObject({ state: 'pending', readyAt: t0 })
        expect(await store.executions.listExecutions({ state: 'pending', limit: 10 })).toHaveLength(2)
        expect(await store.executions.listExecutions({ state: 'blocked', limit: 10 })).toHaveLength(0)
        expect(await store.cluster.listQueues()).toMatchObject([{ name: 'default', pending: 2, blocked: 0 }])
      }),
    )
  })
}
