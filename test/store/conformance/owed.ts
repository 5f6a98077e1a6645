/** A job that begins again from where a state file left it: what its former life still owes runs, and nothing twice. */
import { describe, expect, test } from 'vitest'
import { by, jobSpec, newJob, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const all = jobSpec({ catchUp: { policy: 'all', maxMissedRuns: 2, graceMs: 0 } })

export function describeOwed(open: OpenStoreUnderTest): void {
  describe('owed ticks', () => {
    test(
      'they run first, oldest first and one at a time, and the ledger begins behind them',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const owed = [
          { tickAt: at(-10), attempt: 0 },
          { tickAt: at(-20), attempt: 1 },
        ]
        await store.jobs.createJob({ ...newJob('a', all, t0), owed })
        expect(await hand.states('a')).toEqual(['catch_up pending', 'catch_up blocked'])
        expect(await hand.job('a')).toMatchObject({ accountedUntil: t0 + 1, ledgerFrom: t0 + 1 })
        const done = await hand.drain(at(1))
        expect(done.map(({ tickAt, attempt }) => [tickAt, attempt])).toEqual([
          [at(-20), 2],
          [at(-10), 1],
        ])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 0, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'newer missed ticks supersede those that were not begun, never one that was under way',
      withStore(open, async ({ hand, store }) => {
        const owed = [
          { tickAt: at(-20), attempt: 1 },
          { tickAt: at(-10), attempt: 0 },
        ]
        await store.jobs.createJob({ ...newJob('a', all, t0), owed })
        await store.jobs.changeJob('a', { kind: 'edit', spec: { ...all, description: 'new' } }, by(at(35)))
        expect(await hand.states('a')).toEqual([
          'catch_up pending',
          'catch_up cancelled',
          'catch_up blocked',
          'catch_up blocked',
        ])
        expect(await hand.ledger('a')).toEqual([
          '-20 caught_up',
          '-10 caught_up',
          '10 skipped over_limit x1',
          '20 caught_up',
          '30 caught_up',
        ])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 3, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'where runs may overlap nothing holds them back',
      withStore(open, async ({ hand, store }) => {
        const owed = [
          { tickAt: at(-20), attempt: 0 },
          { tickAt: at(-10), attempt: 0 },
        ]
        await store.jobs.createJob({ ...newJob('a', jobSpec({ overlap: 'allow' }), t0), owed })
        expect(await hand.states('a')).toEqual(['catch_up pending', 'catch_up pending'])
      }),
    )
  })
}
