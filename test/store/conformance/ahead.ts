/** Ticks accounted ahead of their instant: for every action the claim is the start, and in a reserve the mark. */
import { describe, expect, test } from 'vitest'
import type { ClaimedExecution } from '../../../src/store/store.ts'
import { by, day, every, jobSpec, second, t0 } from '../builders.ts'
import { at, type Led } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const ahead = { aheadMs: 2_000 }
const ours = { nodeId: 'n1', queue: 'default' }
const mark = { ...ours, turn: 1, upTo: 1 }

/** The tick at 10 s, claimed into the reserve half a second before. */
async function reserveTick(
  { hand, store }: Bench,
  spec = jobSpec(),
): Promise<{ readonly led: Led; readonly reserved: ClaimedExecution }> {
  await hand.work()
  await hand.create('a', spec)
  const led = await hand.lead()
  await hand.account(led, at(9), ahead)
  const { fromPlace } = await store.work.openReserve(ours, at(9.5))
  const claim = { start: 0, readyBy: at(10), reserveFrom: fromPlace }
  return { led, reserved: await hand.claimOne(at(9.5), claim) }
}

export function describeAhead(open: OpenStoreUnderTest): void {
  describe('accounted ahead', () => {
    test(
      'a tick accounted ahead is ready at its own instant, and not again when due',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a')
        await hand.account(led, at(9), ahead)
        expect(await hand.claim(at(9))).toEqual([])
        await hand.account(led, at(10), ahead)
        expect(await hand.claim(at(10))).toHaveLength(1)
        expect(await hand.ledger('a')).toEqual(['10 fired'])
      }),
    )

    test(
      'a pause takes back what nobody has claimed',
      withStore(open, async ({ hand, store }) => {
        const led = await hand.lead()
        await hand.create('a')
        await hand.account(led, at(9), ahead)
        expect(await hand.pause('a', at(9.5))).toMatchObject({ accountedUntil: at(9.5) + 1, runs: 0 })
        expect(await hand.executions('a')).toEqual([])
        await hand.resume('a', at(15))
        expect(await hand.ledger('a')).toEqual(['10 skipped paused x1'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 1, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'a pause leaves what has begun, also where a rest gave its attempt back and a worker its next claim',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a')
        await hand.account(led, at(9), ahead)
        const begun = await hand.claimOne(at(9.9), { readyBy: at(10) })
        const rest = { state: 'retrying', readyAt: at(9.9), error: null, countsAttempt: false } as const
        await hand.finish(begun, at(9.9), rest)
        const reserved = await hand.claimOne(at(9.9), { start: 0 })
        await store.work.releaseClaims([reserved], at(9.9))
        expect(await hand.executions('a')).toMatchObject([{ state: 'pending', attempt: 0 }])
        await hand.pause('a', at(9.9))
        expect(await hand.states('a')).toEqual(['schedule pending'])
      }),
    )

    test(
      'a tick claimed ahead keeps its one account, and the leader is not stuck on it',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a')
        await hand.account(led, at(9), ahead)
        await hand.claimOne(at(9.5), { readyBy: at(10) })
        expect((await hand.pause('a', at(9.6))).accountedUntil).toBe(at(10) + 1)
        await hand.resume('a', at(9.7))
        await hand.account(led, at(21))
        expect(await hand.ledger('a')).toEqual(['10 fired', '20 skipped overlap x1'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'a pause takes back what only waits in a reserve, and its worker finds it gone',
      withStore(open, async (under) => {
        const { hand, store } = under
        const { reserved } = await reserveTick(under)
        expect((await hand.pause('a', at(9.6))).accountedUntil).toBe(at(9.6) + 1)
        expect(await store.work.beginReserved({ ...mark, now: at(10) })).toBe(false)
        expect(await store.work.startAttempts([reserved], at(10))).toEqual([reserved.id])
        expect(await hand.executions('a')).toEqual([])
        await hand.resume('a', at(15))
        expect(await hand.ledger('a')).toEqual(['10 skipped paused x1'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 1, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'what has begun in a reserve, though its row does not say so, keeps its account',
      withStore(open, async (under) => {
        const { hand, store } = under
        const { reserved } = await reserveTick(under)
        expect(await store.work.beginReserved({ ...mark, now: at(9.95) })).toBe(true)
        expect((await hand.pause('a', at(9.96))).accountedUntil).toBe(at(10) + 1)
        expect(await hand.execution(reserved.id)).toMatchObject({ state: 'running', leasedBy: 'n1' })
        expect(await hand.ledger('a')).toEqual(['10 fired'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'a trigger takes a tick to come out of a reserve, which then waits for it',
      withStore(open, async (under) => {
        const { hand } = under
        const { led } = await reserveTick(under)
        expect(await hand.trigger('a', 'm1', at(9.6))).toMatchObject({ state: 'pending' })
        await hand.claimOne(at(9.6))
        await hand.account(led, at(10))
        expect(await hand.states('a')).toEqual(['manual running', 'schedule blocked'])
      }),
    )

    test(
      'a tick that asks the one before it to stop interrupts the reserve in which that one waits',
      withStore(open, async (under) => {
        const { hand, store } = under
        const { led, reserved } = await reserveTick(under, jobSpec({ overlap: 'cancel_running' }))
        await hand.account(led, at(20))
        expect(await store.work.beginReserved({ ...mark, now: at(20) })).toBe(false)
        expect(await store.work.startAttempts([reserved], at(20))).toEqual([reserved.id])
        expect(await hand.states('a')).toEqual(['schedule cancelled', 'schedule pending'])
      }),
    )

    test(
      'a pause leaves a reserved tick that was asked to stop to its worker, which ends it whole',
      withStore(open, async (under) => {
        const { hand, store } = under
        const { reserved } = await reserveTick(
          under,
          jobSpec({ schedule: { kind: 'fixed_delay', delayMs: 10 * second } }),
        )
        await store.executions.cancelExecution(reserved.id, by(at(9.6)))
        expect((await hand.pause('a', at(9.7))).accountedUntil).toBe(at(10) + 1)
        expect(await hand.execution(reserved.id)).toMatchObject({ state: 'running' })
        await store.work.releaseClaims([reserved], at(9.8))
        expect(await hand.states('a')).toEqual(['schedule cancelled'])
        expect(await hand.job('a')).toMatchObject({ openTickAt: at(19.8) })
      }),
    )

    test(
      'after a tick claimed ahead, an edit begins behind it and loses no tick of the new revision',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        const spec = jobSpec({ overlap: 'allow', catchUp: { policy: 'all' } })
        await hand.create('a', spec)
        await hand.account(led, at(9.4), ahead)
        await hand.claimOne(at(9.4), { readyBy: at(10) })
        const fast = { ...spec, schedule: every(300) }
        expect(await hand.change('a', { kind: 'edit', spec: fast }, at(9.5))).toMatchObject({
          revisionFrom: at(10) + 1,
        })
        await hand.account(led, at(10.9))
        expect(await hand.ledger('a')).toEqual(['10 fired', '10.2 caught_up', '10.5 caught_up', '10.8 fired'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 4, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'an unclaimed tick that lies before a settled one keeps its account',
      withStore(open, async ({ hand, store }) => {
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: every(second), overlap: 'allow' }))
        await hand.account(led, at(0.5), ahead)
        const [first, next] = await hand.executions('a')
        await store.executions.cancelExecution(next?.id ?? '', by(at(0.6)))
        await hand.pause('a', at(0.7))
        expect(await hand.ledger('a')).toEqual(['1 fired', '2 fired'])
        expect((await hand.execution(first?.id ?? '')).state).toBe('pending')
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 2, unaccounted: 0 })
      }),
    )

    test.each([
      ['a trigger', 'trigger'],
      ['an edit of its description', 'edit'],
      ['a pause', 'pause'],
    ] as const)('%s just before the last tick does not lose it', async (_title, action) => {
      await withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        const spec = jobSpec({ schedule: { kind: 'at', at: at(10) }, overlap: 'allow' })
        await hand.create('a', spec)
        await hand.account(led, at(9), ahead)
        if (action === 'trigger') await hand.trigger('a', 'm1', at(9.5))
        if (action === 'edit') {
          await hand.change('a', { kind: 'edit', spec: { ...spec, description: 'new' } }, at(9.5))
        }
        if (action === 'pause') {
          await hand.pause('a', at(9.5))
          await hand.resume('a', at(9.6))
        }
        await hand.account(led, at(10))
        expect(await hand.ledger('a')).toEqual(['10 fired'])
        expect((await hand.job('a')).state).toBe('completed')
      })()
    })

    test(
      'a trigger takes back an unclaimed tick accounted ahead, which then waits for it',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a')
        await hand.account(led, at(9), ahead)
        expect(await hand.trigger('a', 'm1', at(9.5))).toMatchObject({ state: 'pending', tickAt: null })
        const manual = await hand.claimOne(at(9.5))
        await hand.account(led, at(10))
        expect(await hand.states('a')).toEqual(['manual running', 'schedule blocked'])
        await hand.finish(manual, at(12))
        expect(await hand.states('a')).toEqual(['manual completed', 'schedule pending'])
        expect(await hand.ledger('a')).toEqual(['10 fired'])
      }),
    )

    test(
      'nothing is accounted ahead where something of the job is active or waits, unless overlap is `allow`',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        await hand.create('skip')
        await hand.create('allow', jobSpec({ overlap: 'allow', schedule: every(second) }))
        await hand.account(led, at(10))
        await hand.account(led, at(19), ahead)
        await hand.account(led, at(19), ahead)
        expect(await hand.ledger('skip')).toEqual(['10 fired'])
        expect((await hand.ledger('allow')).slice(-2)).toEqual(['20 fired', '21 fired'])
      }),
    )

    test(
      'a fixedDelay tick taken back is open again',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: { kind: 'fixed_delay', delayMs: 10 * second } }))
        await hand.account(led, at(9), ahead)
        expect((await hand.job('a')).openTickAt).toBeNull()
        expect((await hand.pause('a', at(9.5))).openTickAt).toBe(at(10))
      }),
    )

    test(
      'a cursor that a wrong clock carried ahead is brought back, and later ticks are accounted once',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        const spec = jobSpec({ overlap: 'allow', catchUp: { policy: 'none' } })
        await hand.create('a', spec)
        await hand.account(led, at(10))
        await hand.account(led, at(1_000))
        await hand.claim(at(1_000))
        await hand.account(led, at(2_000))
        await hand.change('a', { kind: 'edit', spec: { ...spec, priority: 1 } }, at(2_001))
        const reset = await hand.change('a', { kind: 'reset_cursor' }, at(15))
        // The tick at 1000 has run: what lies before it stays accounted.
        expect(reset).toMatchObject({ accountedUntil: at(1_000) + 1, revisionFrom: at(1_000) + 1 })
        await hand.account(led, at(1_010))
        expect(await hand.ledger('a')).toEqual([
          '10 fired',
          '20-990 skipped catchup_off x98',
          '1000 fired',
          '1010 fired',
        ])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
        expect(reset.createdAt).toBe(t0)
      }),
    )

    test(
      'a fixedDelay that has had its last run has none to come after a reset either, and stays completed',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        const schedule = { kind: 'fixed_delay', delayMs: 10_000 } as const
        await hand.create('a', jobSpec({ schedule, maxRuns: 1 }))
        await hand.account(led, at(10))
        await hand.drain(at(10))
        await hand.account(led, at(30))
        expect(await hand.change('a', { kind: 'reset_cursor' }, at(40))).toMatchObject({ state: 'completed' })
      }),
    )

    test(
      'a reset by a clock that is a day behind does not bring back ticks from before the job',
      withStore(open, async ({ hand, store }) => {
        const led = await hand.lead()
        const { ledgerFrom } = await hand.create('a', jobSpec())
        const reset = await hand.change('a', { kind: 'reset_cursor' }, t0 - day)
        expect(reset).toMatchObject({ accountedUntil: ledgerFrom, revisionFrom: ledgerFrom })
        await hand.account(led, at(10))
        expect(await hand.ledger('a')).toEqual(['10 fired'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )
  })
}
