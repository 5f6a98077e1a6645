/** Batches: none is done early or twice, and what follows runs once, however its executions have ended. */
import { describe, expect, test } from 'vitest'
import type { NewBatch, NewExecution, Store } from '../../../src/store/store.ts'
import { by, day, idOf, jobSpec, nameOf, newExecution, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const error = { name: 'Error', message: 'no' }
const failed = { state: 'failed', error } as const

function newBatch(items: readonly NewExecution[], done: string | null = 'done'): NewBatch {
  const onDone = done === null ? null : newExecution(done, 'report')
  return { id: idOf('batch'), name: null, createdAt: t0, items, onDone }
}

async function ready({ hand }: Bench): Promise<void> {
  await hand.work()
  await hand.create('a', jobSpec({ schedule: null }))
  await hand.create('report', jobSpec({ schedule: null }))
}

async function made(bench: Bench, ...names: string[]): Promise<void> {
  await ready(bench)
  await bench.store.batches.enqueueBatch(newBatch(names.map((name) => newExecution(name, 'a'))))
}

async function stateOf(store: Store): Promise<string> {
  const batch = await store.batches.findBatch(idOf('batch'))
  if (batch === null) return 'none'
  const { completed, failed: lost, cancelled, total, doneAt } = batch
  return `${completed}/${lost}/${cancelled} of ${total}${doneAt === null ? '' : `, done at ${(doneAt - t0) / 1_000}`}`
}

export function describeBatches(open: OpenStoreUnderTest): void {
  describe('batches', () => {
    test(
      'what follows runs once, after the last end, however they ended, and is told of them',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x', 'y', 'z')
        expect(await hand.execution(idOf('done'))).toMatchObject({ state: 'blocked' })
        const [waits] = await store.executions.readWaits([idOf('done')])
        expect(waits?.dependency).toEqual({ kind: 'batch', open: 3, total: 3 })
        const [x, y, z] = await hand.claim(at(1))
        if (x === undefined || y === undefined || z === undefined) throw new Error('nothing to claim')
        await hand.finish(x, at(2))
        await hand.finish(y, at(3), failed)
        expect(await stateOf(store)).toBe('1/1/0 of 3')
        expect(await hand.claim(at(3))).toEqual([])
        await store.executions.cancelExecution(z.id, by(at(4)))
        await hand.finish(z, at(5), { state: 'cancelled', reason: 'operator', error: null })
        expect(await stateOf(store)).toBe('1/1/1 of 3, done at 5')
        const done = await hand.drain(at(5))
        expect(done.map(({ id, follows }) => [nameOf(id), follows])).toEqual([['done', true]])
        expect(await store.batches.findBatchBefore(idOf('done'))).toMatchObject({ total: 3, failed: 1 })
        expect(await hand.executions('report')).toHaveLength(1)
      }),
    )

    test(
      'all of them end in one write, and it is done once',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x', 'y')
        const attempts = (await hand.claim(at(1))).map((claim) => ({
          ...claim,
          ending: { state: 'completed', result: null } as const,
          finishedAt: at(2),
        }))
        await store.work.finishAttempts({ nodeId: 'n1', attempts, now: at(2) })
        await store.work.finishAttempts({ nodeId: 'n1', attempts, now: at(3) })
        expect(await stateOf(store)).toBe('2/0/0 of 2, done at 2')
        expect(await hand.drain(at(3))).toHaveLength(1)
      }),
    )

    test(
      'an empty one is done at once',
      withStore(open, async (bench) => {
        await made(bench)
        expect(await stateOf(bench.store)).toBe('0/0/0 of 0, done at 0')
        expect((await bench.hand.drain(at(1))).map(({ id }) => nameOf(id))).toEqual(['done'])
      }),
    )

    test(
      'its members are what it made: where all items were enqueued before, what follows runs nonetheless',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await ready(bench)
        const keyed = (name: string, uniqueKey: string) => newExecution(name, 'a', { uniqueKey })
        await store.work.enqueueExecutions([keyed('first', 'k')])
        const first = await store.batches.enqueueBatch(newBatch([keyed('second', 'k')]))
        expect(first).toEqual([{ id: idOf('first'), created: false }])
        expect(await stateOf(store)).toBe('0/0/0 of 0, done at 0')
        const other = { ...newBatch([keyed('m', 'm'), keyed('again', 'm')], 'done2'), id: idOf('other') }
        expect(await store.batches.enqueueBatch(other)).toEqual([
          { id: idOf('m'), created: true },
          { id: idOf('m'), created: false },
        ])
        expect(await store.batches.findBatch(other.id)).toMatchObject({ total: 1, doneAt: null })
        const ended = (await hand.drain(at(1))).map(({ id }) => nameOf(id))
        expect(ended.toSorted()).toEqual(['done', 'done2', 'first', 'm'])
      }),
    )

    test(
      'the retry of a member takes its place while the batch is open, and never in one that is done',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x', 'y')
        const claims = await hand.claim(at(1))
        const [x, y] = claims.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        if (x === undefined || y === undefined) throw new Error('nothing to claim')
        await hand.finish(x, at(2), failed)
        const retry = (name: string, id: string) =>
          store.executions.retryExecution(idOf(id), { id: idOf(name), fromStep: null }, by(at(3)))
        expect(await retry('x2', 'x')).toMatchObject({ batchId: idOf('batch'), retryOf: idOf('x') })
        expect(await stateOf(store)).toBe('0/0/0 of 2')
        await hand.finish(y, at(4))
        expect(await stateOf(store)).toBe('1/0/0 of 2')
        await hand.finish(await hand.claimOne(at(5)), at(6), failed)
        expect(await stateOf(store)).toBe('1/1/0 of 2, done at 6')
        expect(await retry('x3', 'x2')).toMatchObject({ batchId: null })
        await hand.drain(at(7))
        expect(await stateOf(store)).toBe('1/1/0 of 2, done at 6')
        expect(await hand.executions('report')).toHaveLength(1)
      }),
    )

    test(
      'the job of what follows is deleted: the last member ends all the same',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x')
        await hand.change('report', { kind: 'delete' }, at(1))
        expect(await hand.execution(idOf('done'))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'job_cancelled',
        })
        await hand.drain(at(2))
        expect(await stateOf(store)).toBe('1/0/0 of 1, done at 2')
      }),
    )

    test(
      'a job with members and what follows them is cancelled: it is done, and nothing runs',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null }))
        const onDone = newExecution('done', 'a')
        await store.batches.enqueueBatch({ ...newBatch([newExecution('x', 'a')]), onDone })
        await hand.change('a', { kind: 'cancel' }, at(1))
        expect(await stateOf(store)).toBe('0/0/1 of 1, done at 1')
        expect(await hand.drain(at(2))).toEqual([])
      }),
    )

    test(
      'all or nothing, also in the caller’s own transaction',
      withStore(open, async (bench) => {
        const { store, hand, callerTransactions } = bench
        await ready(bench)
        const items = [newExecution('x', 'a'), newExecution('y', 'nobody')]
        await expect(store.batches.enqueueBatch(newBatch(items))).rejects.toMatchObject({
          code: 'job_not_found',
        })
        const [own] = Object.values(callerTransactions)
        await own?.begin()
        await store.batches.enqueueBatch(newBatch([newExecution('x', 'a')]), own?.tx)
        await own?.rollback()
        expect(await stateOf(store)).toBe('none')
        expect(await hand.executions('a')).toEqual([])
        expect(await hand.executions('report')).toEqual([])
      }),
    )

    test(
      'retention keeps its executions while one of them, or what follows, is unfinished or kept',
      withStore(open, async (bench) => {
        const { hand, store, sql } = bench
        await hand.work()
        const short = { executions: 1, ageMs: day, ledgerMs: day }
        await hand.create('a', jobSpec({ schedule: null, retention: short }))
        await hand.create('report', jobSpec({ schedule: null, retention: short }))
        await store.batches.enqueueBatch(newBatch([newExecution('x', 'a'), newExecution('y', 'a')]))
        const [x] = await hand.claim(at(1), { limit: 1 })
        if (x === undefined) throw new Error('nothing to claim')
        await hand.finish(x, at(2))
        const purge = async (now: number) => {
          await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now })
        }
        await purge(at(2) + 2 * day)
        expect(await hand.executions('a')).toHaveLength(2)
        await hand.finish(await hand.claimOne(at(3)), at(3))
        const newer = ['a', 'report'].flatMap((job) => [1, 2].map((n) => newExecution(`${job}${n}`, job)))
        await store.work.enqueueExecutions(newer)
        await purge(at(3) + 2 * day)
        expect(await stateOf(store)).toBe('2/0/0 of 2, done at 3')
        expect(await hand.executions('a')).toHaveLength(4)
        await hand.drain(at(4))
        await purge(at(4) + 2 * day)
        await purge(at(4) + 2 * day)
        expect(await stateOf(store)).toBe('none')
        expect(await sql('SELECT batch_id FROM @batch_members')).toEqual([])
        expect(await store.executions.findExecution(idOf('x'))).toBeNull()
      }),
    )

    test(
      'lists have the newest first; executions are found by their batch',
      withStore(open, async (bench) => {
        const { store } = bench
        await made(bench, 'x', 'y')
        await store.batches.enqueueBatch({ ...newBatch([], null), id: idOf('c'), name: 'import' })
        expect((await store.batches.listBatches({ limit: 10 })).map(({ id }) => nameOf(id))).toEqual([
          'c',
          'batch',
        ])
        expect(await store.batches.listBatches({ limit: 10, afterId: idOf('c') })).toHaveLength(1)
        const terms = [{ by: 'batch', values: [idOf('batch')], negated: false }] as const
        const found = await store.executions.listExecutions({ limit: 10, terms })
        expect(found.map(({ id }) => nameOf(id)).toSorted()).toEqual(['x', 'y'])
      }),
    )
  })
}
