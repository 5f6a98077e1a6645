/** What attempts used: written with their end and under its fence, gone with their execution. */
import { describe, expect, test } from 'vitest'
import type { Ending } from '../../../src/core/attempt/outcome.ts'
import type { ClaimedExecution } from '../../../src/store/store.ts'
import { idOf, jobSpec, newExecution } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const error = { name: 'Error', message: 'no' }
const completed: Ending = { state: 'completed', result: null }
const retrying: Ending = { state: 'retrying', error, readyAt: at(2), countsAttempt: true }
const usage = { peakMemoryBytes: 3 * 2 ** 40, cpuMs: 1_234 }

async function running({ hand, store }: Bench, ...names: string[]): Promise<readonly ClaimedExecution[]> {
  await hand.work()
  await hand.create('a', jobSpec({ schedule: null, retention: { executions: 1, ageMs: 0 } }))
  await store.work.enqueueExecutions(names.map((name) => newExecution(name, 'a')))
  const claimed = await hand.claim(at(0))
  return claimed.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function ended(claim: ClaimedExecution, ending: Ending, used: object = { usage }) {
  const { id, fence, attempt } = claim
  return { id, fence, attempt, ending, finishedAt: at(1), claimed: claim, ...used }
}

async function finish({ store }: Bench, ...attempts: ReturnType<typeof ended>[]) {
  return await store.work.finishAttempts({ nodeId: 'n1', attempts, now: at(1) })
}

async function kept({ sql }: Bench): Promise<number> {
  const [count] = await sql('SELECT count(*) AS n FROM @usages')
  return Number(count?.['n'])
}

export function describeUsages(open: OpenStoreUnderTest): void {
  describe('what attempts used', () => {
    test(
      'is kept of each attempt that was watched, however it ended, and of no other',
      withStore(open, async (bench) => {
        const { store } = bench
        const [plain, done, fails, again, unseen] = await running(bench, 'a0', 'b0', 'c0', 'd0', 'e0')
        if (!plain || !done || !fails || !again || !unseen) throw new Error('five were to be claimed')
        const none = { usage: { peakMemoryBytes: null, cpuMs: 0 } }
        const { refused } = await finish(
          bench,
          ended(plain, completed, {}),
          ended(done, completed),
          ended(fails, { state: 'failed', error }),
          ended(again, retrying),
          ended(unseen, completed, none),
        )
        expect(refused).toEqual([])
        const usages = (id: string) => store.executions.listUsages(id)
        expect(await usages(plain.id)).toEqual([])
        for (const { id } of [done, fails, again])
          expect(await usages(id)).toEqual([{ executionId: id, fence: 1, ...usage }])
        expect(await usages(unseen.id)).toEqual([{ executionId: unseen.id, fence: 1, ...none.usage }])
      }),
    )

    test(
      'is that of each attempt, and of the run the highest peak and the time of all, newest first',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const [first, second] = await running(bench, 'a0', 'b0')
        if (!first || !second) throw new Error('two were to be claimed')
        await finish(bench, ended(first, retrying), ended(second, completed, {}))
        const again = await hand.claimOne(at(3))
        await finish(bench, ended(again, completed, { usage: { peakMemoryBytes: 5, cpuMs: 6 } }))
        expect(
          (await store.executions.listUsages(first.id)).map(({ fence, cpuMs }) => [fence, cpuMs]),
        ).toEqual([
          [1, 1_234],
          [2, 6],
        ])
        await store.work.enqueueExecutions([newExecution('c0', 'a'), newExecution('d0', 'a')])
        const third = await hand.claimOne(at(4))
        await finish(bench, ended(third, { state: 'failed', error }))
        const { id: jobId } = await hand.job('a')
        const run = { id: first.id, state: 'completed', startedAt: at(3), ...usage, cpuMs: 1_240 }
        const newest = { id: third.id, state: 'failed', startedAt: at(4), ...usage }
        expect(await store.executions.jobUsages(jobId, 10)).toEqual([newest, run])
        // What waits and what was not watched is among the newest, and has none.
        expect(await store.executions.jobUsages(jobId, 3)).toEqual([newest])
        expect(await store.executions.jobUsages(idOf('nobody'), 10)).toEqual([])
      }),
    )

    test(
      'of a refused end is not written, nor that of the others in its batch lost',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const [lost, fails, ours] = await running(bench, 'a0', 'b0', 'c0')
        if (!lost || !fails || !ours) throw new Error('three were to be claimed')
        await hand.expire(at(60))
        const held = await hand.claim(at(120))
        const mine = held.find(({ id }) => id === ours.id)
        if (mine === undefined) throw new Error('it was to be claimed again')
        const result = await finish(
          bench,
          ended(lost, completed),
          ended(fails, { state: 'failed', error }),
          ended(mine, completed),
        )
        expect(result.refused.toSorted()).toEqual([lost.id, fails.id])
        expect(await kept(bench)).toBe(1)
        expect(await store.executions.listUsages(ours.id)).toMatchObject([{ fence: mine.fence }])
        // An end that is told twice has been written once.
        expect((await finish(bench, ended(mine, completed))).refused).toEqual([ours.id])
        expect(await kept(bench)).toBe(1)
      }),
    )

    test(
      'is written with a transaction that completes its execution, or not at all',
      withStore(open, async (bench) => {
        const { store } = bench
        const [claim] = await running(bench, 'a0')
        if (!claim) throw new Error('one was to be claimed')
        const within = (fence: number) =>
          store.work.completeWithin({
            claim: { id: claim.id, fence, attempt: 1 },
            nodeId: 'n1',
            maxMs: 2_000,
            clock: { now: () => at(5), sleep: () => new Promise(() => {}) },
            usage: () => usage,
            run: async (tx) => await tx.sql`SELECT 1 AS one`,
            ending: () => completed,
          })
        await expect(within(claim.fence + 1)).rejects.toMatchObject({ code: 'stale_lease' })
        expect(await kept(bench)).toBe(0)
        await within(claim.fence)
        expect(await store.executions.listUsages(claim.id)).toEqual([
          { executionId: claim.id, fence: claim.fence, ...usage },
        ])
      }),
    )

    test(
      'goes with its execution: by retention, and with a deleted job',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const claims = await running(bench, 'a0', 'b0', 'c0')
        await finish(bench, ...claims.map((claim) => ended(claim, completed)))
        const purge = async (now: number) =>
          await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now })
        expect(await purge(at(10))).toMatchObject({ executions: 2 })
        expect(await kept(bench)).toBe(1)
        await hand.change('a', { kind: 'delete' }, at(11))
        await purge(at(11) + 100 * 86_400_000)
        expect(await kept(bench)).toBe(0)
        expect(await store.executions.listExecutions({ limit: 10 })).toEqual([])
      }),
    )
  })
}
