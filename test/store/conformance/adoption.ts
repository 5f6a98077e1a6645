/** What another system had, as ours: by a mark, once for ever. */
import { describe, expect, test } from 'vitest'
import type { AdoptedExecution, AdoptedTerm } from '../../../src/store/store.ts'
import { hour, idOf, jobSpec, newExecution, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

export function adopted(name: string, changes: Partial<AdoptedExecution> = {}): AdoptedExecution {
  return {
    id: idOf(name),
    mark: `import:test:${name}`,
    state: 'pending',
    attempt: 0,
    input: { name },
    result: undefined,
    error: null,
    metadata: {},
    uniqueKey: null,
    leasedBy: null,
    createdAt: t0 - hour,
    startedAt: null,
    finishedAt: null,
    ...changes,
  }
}

export function term(id: number, changes: Partial<AdoptedTerm> = {}): AdoptedTerm {
  return {
    id,
    leader_instance: 'nodeA',
    start_time: t0 - hour,
    stop_time: null,
    last_heartbeat: t0,
    handled_missed_tasks: true,
    created_at: t0 - hour,
    updated_at: t0,
    ...changes,
  }
}

const shared = jobSpec({ schedule: null, overlap: 'allow' })

async function adopt({ store }: Bench, ...executions: AdoptedExecution[]): Promise<readonly string[]> {
  return await store.compat.adoptExecutions({ job: 'a', executions, now: at(0) })
}

export function describeAdoption(open: OpenStoreUnderTest): void {
  describe('adoption', () => {
    test(
      'what waits is claimed with the attempts that it has had; what has ended is history',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', shared)
        const error = { name: 'Error', message: 'no' }
        const ends = { startedAt: t0 - hour, finishedAt: t0 - hour + 5 }
        const made = await adopt(
          bench,
          adopted('new'),
          adopted('tried', { state: 'retrying', attempt: 2, error }),
          adopted('done', { state: 'completed', attempt: 1, result: { ok: 1 }, ...ends }),
          adopted('failed', { state: 'failed', attempt: 3, error, ...ends }),
          adopted('cancelled', { state: 'cancelled', attempt: 1, ...ends }),
        )
        expect(made).toHaveLength(5)
        const { claimed } = await store.work.claimExecutions({
          nodeId: 'n1',
          queue: 'default',
          limit: 10,
          start: 10,
          now: at(1),
          readyBy: at(1),
          leaseMs: 30_000,
        })
        expect(claimed.map(({ attempt, input }) => [input, attempt])).toEqual([
          [{ name: 'new' }, 1],
          [{ name: 'tried' }, 3],
        ])
        const found = async (name: string) => await store.executions.findExecution(idOf(name))
        expect(await found('done')).toMatchObject({ state: 'completed', result: { ok: 1 }, ...ends })
        expect(await found('failed')).toMatchObject({ state: 'failed', error, attempt: 3 })
        expect(await found('cancelled')).toMatchObject({ state: 'cancelled' })
        expect((await store.executions.listExecutions({ job: 'a', limit: 10 })).length).toBe(5)
      }),
    )

    test(
      'a mark is adopted once, also when its execution is gone',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', shared)
        expect(await adopt(bench, adopted('e1'), adopted('e2'))).toHaveLength(2)
        expect(await adopt(bench, adopted('e1'), adopted('e3'))).toEqual(['import:test:e3'])
        expect(await store.compat.knownMarks(['import:test:e1', 'import:test:e9'])).toEqual([
          'import:test:e1',
        ])
        await hand.drain(at(1))
        await store.compat.purgeJob('a', 1, at(10_000))
        expect(await adopt(bench, adopted('e1'), adopted('e2'), adopted('e3'))).toEqual([])
        expect(await store.compat.purgeMarks(Number.MAX_SAFE_INTEGER - 1, 100)).toBe(0)
      }),
    )

    test(
      'of two imports at once each execution is made by one',
      withStore(open, async (bench) => {
        await bench.hand.create('a', shared)
        const all = Array.from({ length: 20 }, (_, index) => adopted(`e${index}`))
        const made = await Promise.all([adopt(bench, ...all), adopt(bench, ...all.toReversed())])
        expect(made.flat().toSorted()).toEqual(all.map(({ mark }) => mark).toSorted())
      }),
    )

    test(
      'a unique key stays with who has it',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', shared)
        await store.work.enqueueExecutions([newExecution('own', 'a', { uniqueKey: 'k1' })])
        await adopt(bench, adopted('e1', { uniqueKey: 'k1' }), adopted('e2', { uniqueKey: 'k2' }))
        const enqueue = async (name: string, uniqueKey: string) =>
          (await store.work.enqueueExecutions([newExecution(name, 'a', { uniqueKey })]))[0]
        expect(await enqueue('x1', 'k1')).toEqual({ id: idOf('own'), created: false })
        expect(await enqueue('x2', 'k2')).toEqual({ id: idOf('e2'), created: false })
        expect(await store.executions.listExecutions({ job: 'a', limit: 10 })).toHaveLength(3)
      }),
    )

    test(
      'no job, no execution, and no mark',
      withStore(open, async (bench) => {
        await expect(adopt(bench, adopted('e1'))).rejects.toMatchObject({ code: 'job_not_found' })
        expect(await bench.store.compat.knownMarks(['import:test:e1'])).toEqual([])
      }),
    )

    test(
      'terms of the past are below every term of ours, once, and nobody leads by them',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const stopped = term(-9, { stop_time: t0 - 5, handled_missed_tasks: false })
        expect(await store.compat.adoptTerms([stopped, term(-8)])).toBe(2)
        expect(await store.compat.adoptTerms([term(-8), term(-7)])).toBe(1)
        expect(await store.compat.knownTerms([-9, -1])).toEqual([-9])
        expect(await store.cluster.currentLeader()).toBeNull()
        const { termId } = await hand.lead()
        expect(termId).toBeGreaterThan(0)
        const terms = await store.cluster.listTerms({ limit: 10 })
        expect(terms.map(({ id }) => id)).toEqual([termId, -7, -8, -9])
        expect(terms.at(-1)).toMatchObject({
          leaderInstance: 'nodeA',
          startAt: t0 - hour,
          stopAt: t0 - 5,
          lastHeartbeatAt: t0,
          handledMissedTasks: false,
        })
      }),
    )
  })
}
