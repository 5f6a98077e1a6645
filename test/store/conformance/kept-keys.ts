/** Keys that stand for many events: retries by hand of what was enqueued under one, and how long its rows are kept. */
import { describe, expect, test } from 'vitest'
import { by, day, idOf, newExecution } from '../builders.ts'
import { at } from '../by-hand.ts'
import { begin, enqueue, event, made, onDemand, replace, stands, standsFor, throttle } from './keys.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

export function describeKeptKeys(open: OpenStoreUnderTest): void {
  describe('a retry by hand of what was enqueued under a key', () => {
    async function failed(bench: Bench, name: string, seconds: number) {
      await enqueue(bench, event(name, seconds, replace))
      const claim = await bench.hand.claimOne(at(seconds))
      await bench.hand.finish(claim, at(seconds), {
        state: 'failed',
        error: { name: 'Error', message: 'no' },
      })
    }
    const retry = async ({ store }: Bench, of: string, as: string, seconds: number) =>
      await store.executions.retryExecution(idOf(of), { id: idOf(as), fromStep: null }, by(at(seconds)))

    test(
      'is refused once a newer event has followed it, and names that one',
      withStore(open, async (bench) => {
        await begin(bench)
        await failed(bench, 'v1', 0)
        await failed(bench, 'v2', 1)
        const refusal = { code: 'invalid_transition', message: expect.stringContaining(idOf('v2')) as string }
        await expect(retry(bench, 'v1', 'r1', 2)).rejects.toMatchObject(refusal)
        expect(await retry(bench, 'v2', 'r2', 2)).toMatchObject({ state: 'pending', retryOf: idOf('v2') })
      }),
    )

    test(
      'keeps what it was given, and ends where a newer event comes before its begin',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        await failed(bench, 'v1', 0)
        await retry(bench, 'v1', 'r1', 1)
        expect(await standsFor(bench, 'r1')).toMatchObject({ events: 1, followedBy: null })
        expect(await enqueue(bench, event('v2', 2, replace))).toEqual([made('v2')])
        expect(await hand.execution(idOf('r1'))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'replaced',
          input: 'v1',
        })
      }),
    )
  })

  describe('the rows of keys', () => {
    const gone = async ({ store }: Bench, now: number) =>
      await store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now })

    test(
      'go with their executions, but for a span that is still open',
      withStore(open, async (bench) => {
        await bench.hand.work()
        const retention = { executions: 1, ageMs: 1_000, failedMs: null, ledgerMs: 400 * day }
        await bench.hand.create('a', { ...onDemand, retention })
        const rows = async () => (await bench.sql('SELECT unique_key FROM @unique_keys')).length
        await enqueue(
          bench,
          event('v1', 0, { ...throttle, withinMs: day }),
          event('v2', 0, { ...replace, key: 'l' }),
        )
        await enqueue(bench, newExecution('last', 'a', { createdAt: at(1) }))
        await bench.hand.drain(at(1))
        expect(await rows()).toBe(2)
        await gone(bench, at(3_600))
        expect(await bench.store.executions.findExecution(idOf('v1'))).toBeNull()
        expect(await rows()).toBe(1)
        expect(await enqueue(bench, event('v3', 3_600, { ...throttle, withinMs: day }))).toEqual([
          stands('v1'),
        ])
        await gone(bench, at(0) + day)
        expect(await rows()).toBe(0)
        expect(await enqueue(bench, event('v4', 86_400, { ...throttle, withinMs: day }))).toEqual([
          made('v4'),
        ])
      }),
    )
  })
}
