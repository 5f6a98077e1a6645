/** Jobs after jobs that have schedules of their own: "after all imports of the day". */
import { describe, expect, test } from 'vitest'
import { by, day, hour, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { after, ends, failed, plain, ran, timed, told } from './dependents.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const perDay = { per: { length: 'day', timezone: 'UTC' } } as const

export function describeDependencyPeriods(open: OpenStoreUnderTest): void {
  describe('periods of dependencies', () => {
    test(
      'after all imports of the day: once, when the last has completed',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        for (const name of ['one', 'two']) await hand.create(name, plain)
        await hand.create('report', after(['one', 'two'], perDay))
        await ran(bench, 'one', t0 + hour)
        // A failure ends nothing: another run of the day may succeed.
        await ran(bench, 'two', t0 + 2 * hour, failed)
        expect(await told(bench, 'report')).toEqual(['It waits until "two" succeeds. "one" has completed.'])
        await ran(bench, 'two', t0 + 3 * hour)
        expect(await hand.executions('report')).toMatchObject([{ scheduledFor: t0, rootId: null }])
        await ends(bench, 'report', t0 + 3 * hour)
        await ran(bench, 'one', t0 + 4 * hour)
        expect(await hand.executions('report')).toHaveLength(1)
        await ran(bench, 'one', t0 + day)
        await ran(bench, 'two', t0 + day)
        expect(await hand.executions('report')).toHaveLength(2)
      }),
    )

    test(
      'a period that misses a parent is closed one period later, and says what became of each',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const names = ['done', 'fails', 'late', 'missing', 'rests']
        for (const name of names) await hand.create(name, plain)
        await hand.create('report', after(names, perDay))
        await hand.create('next', after([{ job: 'report', on: 'any' }]))
        await ran(bench, 'done', at(1))
        await ran(bench, 'fails', at(2), failed)
        await hand.trigger('late', 'is-late', at(3))
        await hand.pause('rests', at(4))
        const close = async (now: number) => (await store.dependencies.closeJoins(now, 100)).closed
        expect(await close(t0 + 2 * day - 1)).toBe(0)
        expect(await close(t0 + 2 * day)).toBe(1)
        const [sentence] = await told(bench, 'report')
        expect(sentence).toBe(
          'It was not made: "fails" failed, "late" is late, "missing" did not run and "rests" is paused.',
        )
        expect(await hand.states('next')).toEqual(['dependency pending'])
        expect(await close(t0 + 3 * day)).toBe(0)
      }),
    )

    test(
      'a run that comes after its period was closed still counts for it',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        for (const name of ['one', 'two']) await hand.create(name, plain)
        await hand.create('report', after(['one', 'two'], perDay))
        await ran(bench, 'one', at(1))
        const trigger = { id: timed(at(2), 'two'), force: false, input: undefined, metadata: {} }
        await store.executions.triggerJob('two', trigger, by(at(2)))
        await store.dependencies.closeJoins(t0 + 2 * day, 100)
        expect(await hand.states('report')).toEqual([])
        await ends(bench, 'two', t0 + 2 * day)
        expect(await hand.executions('report')).toMatchObject([{ scheduledFor: t0 }])
      }),
    )
  })
}
