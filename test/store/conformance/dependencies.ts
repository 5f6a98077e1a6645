/** Jobs after jobs: each with the history that breaks the plain version. */
import { describe, expect, test } from 'vitest'
import { by, day, idOf, jobSpec, newExecution, newJob } from '../builders.ts'
import { at } from '../by-hand.ts'
import { after, ends, failed, plain, ran, timed, told } from './dependents.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

export function describeDependencies(open: OpenStoreUnderTest): void {
  describe('dependencies', () => {
    test(
      'the end of a parent makes the run of its child, under its root, and that of the grandchild in its turn',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await hand.create('c', after(['b']))
        const root = await ran(bench, 'a', at(1))
        expect(await hand.executions('b')).toMatchObject([
          { cause: 'dependency', state: 'pending', rootId: root, scheduledFor: at(1) },
        ])
        await ends(bench, 'b', at(2))
        expect(await hand.executions('c')).toMatchObject([{ state: 'pending', rootId: root }])
        expect(await told(bench, 'c')).toEqual(['It was made: "b" has completed.'])
      }),
    )

    test(
      'an enqueue and a tick are ends, too',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec())
        await hand.create('b', after(['a']))
        await store.work.enqueueExecutions([newExecution('e', 'a')])
        await ends(bench, 'a', at(1))
        await hand.account(led, at(10))
        const [first, second] = await hand.claim(at(10))
        if (first !== undefined) await hand.finish(first, at(10))
        if (second !== undefined) await hand.finish(second, at(10))
        expect((await hand.executions('b')).map(({ rootId }) => rootId)).toContain(idOf('e'))
        expect(await hand.executions('b')).toHaveLength(2)
      }),
    )

    test(
      'what was not made is made when a retry completes, and a run once made is not made again',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await hand.create('c', after([{ job: 'b', on: 'any' }]))
        const root = await ran(bench, 'a', at(1), failed)
        expect(await hand.executions('b')).toEqual([])
        expect(await told(bench, 'b')).toEqual(['It was not made: "a" failed.'])
        // Not made counts as an end where any does, and is passed on at once.
        expect(await hand.states('c')).toEqual(['dependency pending'])
        await ends(bench, 'c', at(2))

        await store.executions.retryExecution(root, { id: idOf('again'), fromStep: null }, by(at(3)))
        await ends(bench, 'a', at(4))
        expect(await hand.executions('b')).toMatchObject([{ state: 'pending', rootId: root }])
        await ends(bench, 'b', at(5))
        expect(await hand.executions('c')).toHaveLength(1)
        await store.executions
          .retryExecution(root, { id: idOf('third'), fromStep: null }, by(at(6)))
          .catch(() => {})
        await hand.drain(at(7))
        expect(await hand.executions('b')).toHaveLength(1)
      }),
    )

    test(
      'two parents that end at once make one run of what comes after both',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await hand.create('c', after(['a']))
        await hand.create('d', after(['b', 'c']))
        const root = await ran(bench, 'a', at(1))
        const claims = await hand.claim(at(2))
        expect(claims.map(({ jobName }) => jobName).toSorted()).toEqual(['b', 'c'])
        await Promise.all(claims.map((claim) => hand.finish(claim, at(2))))
        expect(await hand.executions('d')).toMatchObject([{ state: 'pending', rootId: root }])
      }),
    )

    test(
      'one that is missing is not waited for without end',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await hand.create('c', after(['a']))
        await hand.create('d', after(['b', 'c']))
        // A run of b that somebody asks for has no run of c beside it.
        await ran(bench, 'b', at(1))
        expect(await told(bench, 'd')).toEqual(['It waits until "c" succeeds. "b" has completed.'])
        expect(await store.dependencies.closeJoins(at(2), 100)).toMatchObject({ closed: 1 })
        expect(await told(bench, 'd')).toEqual(['It was not made: "c" did not run.'])
        expect(await store.dependencies.closeJoins(at(3), 100)).toMatchObject({ closed: 0 })
      }),
    )

    test(
      'while something of its root is under way, a join stays open',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await hand.create('c', after(['a']))
        await hand.create('d', after(['b', 'c']))
        await ran(bench, 'a', at(1))
        const [one, other] = await hand.claim(at(2))
        if (one !== undefined) await hand.finish(one, at(2))
        expect(await store.dependencies.closeJoins(at(3), 100)).toMatchObject({ closed: 0 })
        if (other !== undefined) await hand.finish(other, at(4))
        expect(await hand.states('d')).toEqual(['dependency pending'])
      }),
    )

    test(
      'a run is followed by those who came after its job when all of it began',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await hand.create('c', after(['b']))
        const trigger = { id: timed(at(1), 'root'), force: false, input: undefined, metadata: {} }
        await store.executions.triggerJob('a', trigger, by(at(1)))
        await hand.change('c', { kind: 'edit', spec: plain }, at(2))
        await hand.create('late', after(['b']), at(2))
        await ends(bench, 'a', at(3))
        await ends(bench, 'b', at(4))
        expect(await hand.states('c')).toEqual(['dependency pending'])
        expect(await hand.states('late')).toEqual([])
        await hand.drain(at(5))
        // What begins now is followed by those who come after it now.
        await ran(bench, 'a', at(6))
        await ends(bench, 'b', at(7))
        expect(await hand.executions('c')).toHaveLength(1)
        expect(await hand.executions('late')).toHaveLength(1)
      }),
    )

    test(
      'no job comes after itself, also not where two changes meet',
      withStore(open, async ({ hand }) => {
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await hand.create('c', after(['b']))
        await expect(hand.change('a', { kind: 'edit', spec: after(['c']) }, at(1))).rejects.toThrow(
          'a after c after b after a',
        )
        expect((await hand.job('a')).spec.after).toEqual([])
        await hand.create('x', plain)
        await hand.create('y', plain)
        const both = await Promise.allSettled([
          hand.change('x', { kind: 'edit', spec: after(['y']) }, at(2)),
          hand.change('y', { kind: 'edit', spec: after(['x']) }, at(2)),
        ])
        expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      }),
    )

    test(
      'a job may be named before it is there, and made anew',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('b', after(['a']))
        await hand.create('a', plain)
        await ran(bench, 'a', at(1))
        await ends(bench, 'b', at(1))
        await hand.change('a', { kind: 'delete' }, at(2))
        const { store } = bench
        const { id } = await hand.job('b')
        expect(await store.dependencies.readDependencies(id)).toEqual({
          parents: [{ job: 'a', on: 'success', state: null }],
          children: [],
        })
        await store.jobs.createJob({ ...newJob('a', plain, at(3)), id: idOf('anew') })
        await ran(bench, 'a', at(4))
        expect(await hand.executions('b')).toHaveLength(2)
        const anew = await store.dependencies.readDependencies(idOf('anew'))
        expect(anew.children).toEqual([{ job: 'b', on: 'success', state: 'active' }])
      }),
    )

    test(
      'a run for which its lane has no room is cancelled, and that is passed on',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a'], { overlap: 'skip' }))
        await hand.create('c', after([{ job: 'b', on: 'any' }]))
        await ran(bench, 'a', at(1))
        const [running] = await hand.claim(at(1))
        expect(running?.jobName).toBe('b')
        await ran(bench, 'a', at(2))
        expect(await hand.executions('b')).toMatchObject([
          { state: 'running' },
          { state: 'cancelled', cancelReason: 'overlap' },
        ])
        expect(await hand.states('c')).toEqual(['dependency pending'])
      }),
    )

    test(
      'in line, they run one after the other',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await ran(bench, 'a', at(1))
        const [running] = await hand.claim(at(1))
        await ran(bench, 'a', at(2))
        expect(await hand.states('b')).toEqual(['dependency running', 'dependency blocked'])
        if (running !== undefined) await hand.finish(running, at(3))
        expect(await hand.states('b')).toEqual(['dependency completed', 'dependency pending'])
      }),
    )

    test.each([
      ['skip', ['cancelled', 'cancelled', 'cancelled']],
      ['latest', ['cancelled', 'cancelled', 'pending']],
      ['all', ['pending', 'blocked', 'blocked']],
    ] as const)('what a pause has held back follows the resume: %s', async (catchUp, states) => {
      await withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await hand.pause('b', at(1))
        for (const now of [at(2), at(3), at(4)]) await ran(bench, 'a', now)
        const held = await hand.executions('b')
        expect(held.map(({ state }) => state)).toEqual(['blocked', 'blocked', 'blocked'])
        expect(await hand.claim(at(5))).toEqual([])
        await hand.resume('b', at(6), catchUp)
        expect((await hand.executions('b')).map(({ state }) => state)).toEqual(states)
      })()
    })

    test(
      'a pause that ends by itself settles what it has held back',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await hand.pause('b', at(1), at(10))
        await ran(bench, 'a', at(2))
        await hand.account(led, at(11))
        expect(await hand.states('b')).toEqual(['dependency pending'])
      }),
    )

    test(
      'a job that takes no work is not run, with the reason',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await hand.create('c', after(['a']))
        await hand.change('b', { kind: 'disable', reason: 'nobody' }, at(1))
        await hand.change('c', { kind: 'cancel' }, at(1))
        await ran(bench, 'a', at(2))
        expect(await told(bench, 'b')).toEqual(['It was not made: the job is disabled.'])
        expect(await told(bench, 'c')).toEqual(['It was not made: the job is cancelled.'])
        expect([...(await hand.states('b')), ...(await hand.states('c'))]).toEqual([])
      }),
    )

    test(
      'what found its job held is placed by the rescuer',
      withStore(open, async (bench) => {
        const { hand, store, sql } = bench
        await hand.work()
        await hand.create('a', plain)
        await hand.create('b', after(['a']))
        await ran(bench, 'a', at(1))
        // As an end leaves it where somebody else holds the job.
        await sql(
          `UPDATE @live_executions SET state = 'blocked', waits_for = 'place' WHERE state = 'pending'`,
        )
        expect(await hand.claim(at(2))).toEqual([])
        expect(await store.dependencies.closeJoins(at(2), 100)).toMatchObject({ placed: 1 })
        await ends(bench, 'b', at(2))
      }),
    )

    test(
      'joins go once nothing of them is kept',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const spare = { executions: 1, ageMs: 1, failedMs: null, ledgerMs: day }
        await hand.create('a', jobSpec({ schedule: null, retention: spare }))
        await hand.create('b', after(['a'], { retention: spare }))
        for (const now of [at(1), at(2)]) {
          await ran(bench, 'a', now)
          await ends(bench, 'b', now)
        }
        await store.dependencies.purgeJoins(at(100), null)
        expect(await told(bench, 'b')).toHaveLength(2)
        await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now: at(100) })
        await store.dependencies.purgeJoins(at(100), null)
        expect(await told(bench, 'b')).toHaveLength(1)
      }),
    )
  })
}
