/** `ctx.transaction`: the handler's own writes and the fenced completion, all of it or none. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import type { CompleteWithin, Transaction } from '../../../src/store/store.ts'
import { idOf, jobSpec, newExecution } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

async function claimed({ hand, store, sql }: Bench) {
  await sql('CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)')
  await hand.work()
  await hand.create('a', jobSpec({ schedule: null }))
  await store.work.enqueueExecutions([newExecution('e1', 'a')])
  return await hand.claimOne(at(0))
}

/** A clock that never ends a wait by itself, unless told to. */
function within<T>(
  claim: CompleteWithin<T>['claim'],
  run: (tx: Transaction) => Promise<T>,
): CompleteWithin<T> {
  return {
    claim,
    nodeId: 'n1',
    maxMs: 2_000,
    clock: { now: () => at(5), sleep: () => new Promise(() => {}) },
    run,
    ending: (result) => ({ state: 'completed', result }),
  }
}

export function describeTransactions(open: OpenStoreUnderTest): void {
  describe('exactly-once effects', () => {
    test(
      "the handler's writes and its completion commit together",
      withStore(open, async (bench) => {
        const claim = await claimed(bench)
        const result = await bench.store.work.completeWithin(
          within(claim, async (tx) => {
            await tx.sql`INSERT INTO orders VALUES (${'42'})`
            await tx.query(`INSERT INTO orders VALUES (${bench.mark(1)})`, ['43'])
            return (await tx.sql`SELECT id FROM orders`).length
          }),
        )
        expect(result).toBe(2)
        expect(await bench.sql('SELECT id FROM orders')).toHaveLength(2)
        expect(await bench.hand.execution(idOf('e1'))).toMatchObject({
          state: 'completed',
          result: 2,
          finishedAt: at(5),
        })
      }),
    )

    test(
      "a throw writes neither, and the error is the handler's own",
      withStore(open, async (bench) => {
        const claim = await claimed(bench)
        const refused = bench.store.work.completeWithin(
          within(claim, async (tx) => {
            await tx.sql`INSERT INTO orders VALUES (${'42'})`
            throw new Error('card declined')
          }),
        )
        await expect(refused).rejects.toThrow('card declined')
        expect(await bench.sql('SELECT id FROM orders')).toEqual([])
        expect(await bench.hand.execution(idOf('e1'))).toMatchObject({ state: 'running' })
      }),
    )

    test(
      'of two at once each finds what its own caller has entered',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null }))
        await store.work.enqueueExecutions([newExecution('e1', 'a'), newExecution('e2', 'a')])
        const claims = [await hand.claimOne(at(0)), await hand.claimOne(at(0))]
        const entered = new AsyncLocalStorage<string>()
        const found = claims.map((claim) =>
          entered.run(claim.id, () =>
            store.work.completeWithin(within(claim, async () => entered.getStore())),
          ),
        )
        expect(await Promise.all(found)).toEqual(claims.map(({ id }) => id))
      }),
    )

    test(
      'a superseded holder writes nothing',
      withStore(open, async (bench) => {
        const zombie = await claimed(bench)
        await bench.hand.expire(at(40))
        const next = await bench.hand.claimOne(at(60))
        const order = async (tx: Transaction) => {
          await tx.sql`INSERT INTO orders VALUES (${'42'})`
        }
        await expect(bench.store.work.completeWithin(within(zombie, order))).rejects.toMatchObject({
          code: 'stale_lease',
        })
        await bench.store.work.completeWithin(within(next, order))
        expect(await bench.sql('SELECT id FROM orders')).toEqual([{ id: '42' }])
        await expect(bench.store.work.completeWithin(within(next, order))).rejects.toMatchObject({
          code: 'stale_lease',
        })
      }),
    )

    test(
      'one that takes too long is rolled back with a coded error, and the store goes on',
      withStore(open, async (bench) => {
        const claim = await claimed(bench)
        const slow = within(claim, async (tx) => {
          await tx.sql`INSERT INTO orders VALUES (${'42'})`
          await new Promise(() => {})
        })
        const late = { ...slow, clock: { now: () => at(5), sleep: async () => {} } }
        await expect(bench.store.work.completeWithin(late)).rejects.toMatchObject({
          code: 'transaction_timeout',
        })
        expect(await bench.sql('SELECT id FROM orders')).toEqual([])
        await bench.hand.finish(claim, at(6))
        expect(await bench.hand.execution(idOf('e1'))).toMatchObject({ state: 'completed' })
      }),
    )

    test(
      'a transaction that has ended writes no more',
      withStore(open, async (bench) => {
        const claim = await claimed(bench)
        const kept: Transaction[] = []
        await bench.store.work.completeWithin(
          within(claim, async (tx) => {
            kept.push(tx)
          }),
        )
        for (const tx of kept) {
          const later = tx.sql`INSERT INTO orders VALUES (${'42'})`
          await expect(later).rejects.toMatchObject({ code: 'transaction_used' })
        }
        expect(kept).toHaveLength(1)
      }),
    )

    test(
      'an enqueue with its tx commits and rolls back with it',
      withStore(open, async (bench) => {
        const claim = await claimed(bench)
        const { store } = bench
        const refused = store.work.completeWithin(
          within(claim, async (tx) => {
            await store.work.enqueueExecutions([newExecution('e2', 'a')], tx)
            throw new Error('no')
          }),
        )
        await expect(refused).rejects.toThrow('no')
        expect(await store.executions.findExecution(idOf('e2'))).toBeNull()
        await store.work.completeWithin(
          within(claim, async (tx) => {
            await store.work.enqueueExecutions([newExecution('e2', 'a')], tx)
          }),
        )
        expect(await store.executions.findExecution(idOf('e2'))).not.toBeNull()
      }),
    )
  })
}
