/** Who rests has given its slot up for sleeps and waits, and is back at their time, or by a signal. */
import { describe, expect, test } from 'vitest'
import { never } from '../../../src/core/execution/step.ts'
import type { Claim } from '../../../src/store/store.ts'
import { by, jobSpec, newExecution, stepRecord } from '../builders.ts'
import { at } from '../by-hand.ts'
import { one, signal, wait } from './signals.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

async function restFor(
  { hand }: Bench,
  claim: Claim,
  names: readonly string[],
  given: { readonly readyAt?: number; readonly state?: 'blocked'; readonly now?: number } = {},
) {
  const { readyAt = never, state = 'retrying', now = at(3) } = given
  const rest = { state: 'waiting' as const, names }
  return await hand.finish(claim, now, { state, readyAt, error: null, countsAttempt: false, rest })
}

export function describeRests(open: OpenStoreUnderTest): void {
  describe('who rests', () => {
    test(
      'is back at its time, and by a signal for what it rests for at once; not by another',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        const { hand, store } = bench
        const names = ['w', 'v']
        for (const name of names)
          await store.steps.recordSteps([stepRecord(claim, name, { ...wait, endsAt: at(60) })])
        await restFor(bench, claim, names, { readyAt: at(60) })
        expect(await hand.execution(claim.id)).toMatchObject({
          state: 'waiting',
          attempt: 0,
          leasedUntil: null,
        })
        await signal(bench, claim.id, { name: 'other' })
        expect(await hand.claim(at(59))).toEqual([])
        await signal(bench, claim.id, { id: 'y', now: at(7) })
        const again = await hand.claimOne(at(7))
        expect(again).toMatchObject({ id: claim.id, attempt: 1 })
        // It goes on to rest for the other one, till its time.
        await restFor(bench, again, ['v'], { readyAt: at(60), now: at(8) })
        expect(await hand.claim(at(59))).toEqual([])
        expect(await hand.claim(at(60))).toMatchObject([{ id: claim.id }])
      }),
    )

    test(
      'is back at once where the signal was first',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        await bench.store.steps.recordSteps([stepRecord(claim, 'w', wait)])
        await signal(bench, claim.id, { now: at(2) })
        await restFor(bench, claim, ['w'])
        expect(await bench.hand.claim(at(3))).toMatchObject([{ id: claim.id }])
      }),
    )

    test(
      'a signal does not cut the back-off of a retry',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        const { hand, store } = bench
        await store.steps.recordSteps([stepRecord(claim, 'w', { ...wait, endsAt: at(60) })])
        await restFor(bench, claim, ['w'], { readyAt: at(4) })
        const again = await hand.claimOne(at(4))
        const error = { name: 'Error', message: 'no' }
        await hand.finish(again, at(5), { state: 'retrying', error, readyAt: at(30), countsAttempt: true })
        await signal(bench, claim.id, { now: at(6) })
        expect(await hand.claim(at(29))).toEqual([])
        expect(await hand.claim(at(30))).toMatchObject([{ id: claim.id }])
      }),
    )

    test(
      'was asked to stop: it ends there',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        await bench.store.steps.recordSteps([stepRecord(claim, 'w', wait)])
        await bench.store.executions.cancelExecution(claim.id, by(at(1)))
        await restFor(bench, claim, ['w'])
        expect(await bench.hand.execution(claim.id)).toMatchObject({ state: 'cancelled', finishedAt: at(3) })
        await expect(signal(bench, claim.id)).rejects.toMatchObject({ code: 'invalid_transition' })
      }),
    )

    test(
      'is counted and pictured as it is listed, and not as a retry; woken, it is one',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null }))
        const ids = ['e1', 'e2', 'e3', 'e4', 'e5']
        await store.work.enqueueExecutions(ids.map((id) => newExecution(id, 'a')))
        const [sleeps, waits, fails, runs] = await hand.claim(at(0), { limit: 4 })
        if (!sleeps || !waits || !fails || !runs) throw new Error('Four were to be claimed.')
        const sleep = { kind: 'sleep', endsAt: at(60), decided: null } as const
        await store.steps.recordSteps([stepRecord(sleeps, 's', sleep), stepRecord(waits, 'w', wait)])
        await restFor(bench, sleeps, ['s'], { readyAt: at(60) })
        await restFor(bench, waits, ['w'])
        const error = { name: 'Error', message: 'no' }
        await hand.finish(fails, at(3), { state: 'retrying', error, readyAt: at(30), countsAttempt: true })
        const { executions } = store
        const states = ['pending', 'running', 'retrying', 'sleeping', 'waiting'] as const
        const listed = async () => {
          const counts: Record<string, number> = {}
          for (const state of states)
            counts[state] = (await executions.listExecutions({ state, limit: 9 })).length
          return counts
        }
        const each = { pending: 1, running: 1, retrying: 1, sleeping: 1, waiting: 1 }
        expect([await listed(), await executions.countExecutions()]).toEqual([each, each])
        expect(await store.cluster.listQueues()).toMatchObject([
          { pending: 2, running: 1, blocked: 0, sleeping: 1, waiting: 1 },
        ])
        expect(await executions.countUnfinished()).toEqual({ running: 1, waiting: 4 })
        const span = { from: at(0), to: at(60), limit: 9, lookBackMs: 60_000, maxRows: 99 }
        const drawn = ['retrying', 'running', 'sleeping', 'waiting']
        expect((await executions.readTimeline(span)).map(({ state }) => state).toSorted()).toEqual(drawn)
        const { runs: merged } = await executions.mergeTimeline({ ...span, slotMs: 1_000 })
        expect(merged.map(({ state }) => state).toSorted()).toEqual(drawn)
        await signal(bench, waits.id, { now: at(7) })
        const woken = { pending: 1, running: 1, retrying: 2, sleeping: 1 }
        expect(await executions.countExecutions()).toEqual(woken)
        expect(await listed()).toEqual({ ...woken, waiting: 0 })
      }),
    )

    test(
      'of a chain stays blocked, lets the others pass, and a signal wakes it when its turn comes',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ catchUp: { policy: 'all', maxMissedRuns: 2, graceMs: 0 } }))
        await hand.account(led, at(25))
        const first = await hand.claimOne(at(25))
        await store.steps.recordSteps([stepRecord(first, 'w', wait)])
        await restFor(bench, first, ['w'], { state: 'blocked', now: at(26) })
        expect(await hand.states('a')).toEqual(['catch_up blocked', 'catch_up pending'])
        const second = await hand.claimOne(at(26))
        await signal(bench, first.id, { now: at(27) })
        expect(await hand.states('a')).toEqual(['catch_up blocked', 'catch_up running'])
        await hand.finish(second, at(28))
        const again = await hand.claimOne(at(28))
        expect(again.id).toBe(first.id)
        // And where nothing else is in the lane, at once.
        await store.steps.recordSteps([stepRecord(again, 'v', wait)])
        await restFor(bench, again, ['v'], { state: 'blocked', now: at(29) })
        expect(await hand.claim(at(29))).toEqual([])
        await signal(bench, first.id, { id: 'y', name: 'v', now: at(29) })
        expect(await hand.claim(at(29))).toMatchObject([{ id: first.id }])
      }),
    )
  })
}
