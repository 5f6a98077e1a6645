/** Which executions of a job may be under way together, and what people may ask for beside its ticks. */
import { describe, expect, test } from 'vitest'
import type { Backfill } from '../../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution, second, t0 } from '../builders.ts'
import { at, seconds } from '../by-hand.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const chain = jobSpec({ catchUp: { policy: 'all', maxMissedRuns: 3, graceMs: 0 } })

export function describeLanes(open: OpenStoreUnderTest): void {
  describe('lanes', () => {
    test(
      'an unfinished tick costs the next one under `skip`; its end frees the lane',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a')
        await hand.account(led, at(10))
        const claim = await hand.claimOne(at(10))
        await hand.account(led, at(20))
        await hand.account(led, at(30))
        expect(await hand.ledger('a')).toEqual(['10 fired', '20-30 skipped overlap x2'])
        await hand.finish(claim, at(35))
        await hand.account(led, at(40))
        expect((await hand.ledger('a')).at(-1)).toBe('40 fired')
      }),
    )

    test(
      'a chain runs one at a time, oldest first, and costs no on-time tick',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', chain)
        await hand.account(led, at(35))
        expect(await hand.states('a')).toEqual(['catch_up pending', 'catch_up blocked', 'catch_up blocked'])
        const first = await hand.claimOne(at(35))
        expect(seconds(first.scheduledFor)).toBe(10)
        await hand.account(led, at(40))
        expect(await hand.states('a')).toEqual([
          'catch_up running',
          'catch_up blocked',
          'catch_up blocked',
          'schedule blocked',
        ])
        await hand.finish(first, at(41))
        const order: number[] = []
        for (const now of [at(41), at(42), at(43)]) {
          const claim = await hand.claimOne(now)
          order.push(seconds(claim.scheduledFor))
          await hand.finish(claim, now)
        }
        expect(order).toEqual([40, 20, 30])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0 })
      }),
    )

    test(
      'a released but unclaimed catch-up steps back for a due tick, at most ten times in a row',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', chain)
        await hand.account(led, at(15))
        for (let n = 2; n <= 12; n += 1) {
          await hand.account(led, at(n * 10))
          const [pending] = (await hand.executions('a')).filter(({ state }) => state === 'pending')
          const claim = await hand.claimOne(at(n * 10))
          expect(claim.id).toBe(pending?.id)
          expect(claim.cause).toBe(n <= 11 ? 'schedule' : 'catch_up')
          await hand.finish(claim, at(n * 10 + 1))
        }
      }),
    )

    test(
      'a trigger that waits behind the chain costs no tick',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', chain)
        await hand.account(led, at(15))
        await hand.claimOne(at(15))
        expect(await hand.trigger('a', 'm1', at(16))).toMatchObject({ state: 'blocked' })
        await hand.account(led, at(20))
        expect(await hand.ledger('a')).toEqual(['10 caught_up', '20 fired'])
        expect(await hand.states('a')).toEqual(['catch_up running', 'manual blocked', 'schedule blocked'])
      }),
    )

    test(
      'only its time keeps the head of a chain blocked: when to come again is told',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', chain)
        const { releases } = await hand.account(led, at(15), { catchUpFrom: at(60) })
        expect(releases).toEqual([{ jobId: idOf('job-a'), at: at(60) }])
        expect(await store.work.releaseBlocked([idOf('job-a')], at(59))).toMatchObject({
          releases: [{ jobId: idOf('job-a'), at: at(60) }],
        })
        expect(await hand.states('a')).toEqual(['catch_up blocked'])
        await store.work.releaseBlocked('any', at(60))
        expect(await hand.states('a')).toEqual(['catch_up pending'])
      }),
    )

    test(
      'a full buffer is a reason of its own, and the chain is not in it',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', { ...chain, overlap: 'buffer_one' })
        await hand.account(led, at(35))
        await hand.claimOne(at(35))
        await hand.account(led, at(40))
        await hand.account(led, at(50))
        expect((await hand.ledger('a')).slice(3)).toEqual(['40 fired', '50 skipped buffer_full x1'])
      }),
    )

    test(
      'cancel_running: the next starts only when the old attempt has ended',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ overlap: 'cancel_running' }))
        await hand.account(led, at(10))
        const stubborn = await hand.claimOne(at(10))
        await hand.account(led, at(20))
        await hand.account(led, at(30))
        expect(await hand.claim(at(30))).toEqual([])
        expect(await hand.states('a')).toEqual(['schedule running', 'schedule cancelled', 'schedule blocked'])
        expect(await hand.execution(stubborn.id)).toMatchObject({ cancelReason: 'replaced' })
        await hand.finish(stubborn, at(31))
        expect((await hand.claimOne(at(31))).scheduledFor).toBe(at(30))
      }),
    )

    test(
      'an edit to `allow` leaves nothing blocked',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        await hand.create('a', chain)
        await hand.account(led, at(35))
        await hand.change('a', { kind: 'edit', spec: { ...chain, overlap: 'allow' } }, at(36))
        expect(new Set(await hand.states('a'))).toEqual(new Set(['catch_up pending']))
      }),
    )
  })

  describe('triggers', () => {
    test(
      'a trigger conflicts with what runs unless it is forced; buffers take it',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('skip')
        await hand.create('buffer', jobSpec({ overlap: 'buffer_one' }))
        await hand.account(led, at(10))
        await hand.claim(at(10))
        await expect(hand.trigger('skip', 'm1', at(11))).rejects.toMatchObject({ code: 'job_busy' })
        expect(await hand.trigger('skip', 'm2', at(11), true)).toMatchObject({
          state: 'pending',
          tickAt: null,
        })
        expect(await hand.trigger('buffer', 'm3', at(11))).toMatchObject({ state: 'blocked' })
        await expect(hand.trigger('buffer', 'm4', at(11))).rejects.toMatchObject({ code: 'job_busy' })
        expect((await hand.job('skip')).accountedUntil).toBe(at(10) + 1)
      }),
    )

    test(
      "a trigger has the input it was given, or the job's own; it runs in a paused job, not in a cancelled one",
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', jobSpec({ overlap: 'allow', input: { own: true } }))
        await hand.pause('a', at(1))
        const trigger = { force: false, metadata: { by: 'test' } }
        const given = await store.executions.triggerJob(
          'a',
          { ...trigger, id: idOf('m1'), input: { given: 1 } },
          by(at(2)),
        )
        const own = await store.executions.triggerJob(
          'a',
          { ...trigger, id: idOf('m2'), input: undefined },
          by(at(2)),
        )
        expect([given.input, own.input, own.metadata]).toEqual([{ given: 1 }, { own: true }, { by: 'test' }])
        expect(await hand.claim(at(2))).toHaveLength(2)
        await hand.change('a', { kind: 'cancel' }, at(3))
        await expect(hand.trigger('a', 'm3', at(4))).rejects.toMatchObject({ code: 'invalid_transition' })
        await expect(hand.trigger('nobody', 'm4', at(4))).rejects.toMatchObject({ code: 'job_not_found' })
      }),
    )
  })

  describe('backfill', () => {
    const backfill = (overrides: Partial<Backfill> = {}): Backfill => ({
      from: at(0),
      to: at(40),
      order: 'oldest_first',
      limit: 10,
      dryRun: false,
      ...overrides,
    })

    test(
      'a dry run only counts; the limit refuses; no tick is consumed',
      withStore(open, async ({ hand, store }) => {
        await hand.create('a', jobSpec({ overlap: 'allow' }))
        const dry = await store.executions.backfillJob('a', backfill({ dryRun: true }), by(at(45)))
        expect(dry).toEqual({ ticks: 4, created: 0, first: at(0), last: at(30) })
        expect(await hand.executions('a')).toEqual([])
        await expect(
          store.executions.backfillJob('a', backfill({ limit: 3 }), by(at(45))),
        ).rejects.toMatchObject({
          code: 'invalid_option',
        })
        expect(await store.executions.backfillJob('a', backfill(), by(at(45)))).toMatchObject({ created: 4 })
        expect(await hand.ledger('a')).toEqual([])
        expect((await hand.job('a')).accountedUntil).toBe(t0 + 1)
        for (const { tickAt, cause, priority } of await hand.executions('a')) {
          expect({ tickAt, cause, priority }).toEqual({ tickAt: null, cause: 'backfill', priority: -20 })
        }
      }),
    )

    test.each([
      ['oldest_first', [0, 10, 20, 30]],
      ['newest_first', [30, 20, 10, 0]],
    ] as const)('runs %s, one at a time', async (order, expected) => {
      await withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a')
        await store.executions.backfillJob('a', backfill({ order }), by(at(5)))
        const ran: number[] = []
        for (let claims = await hand.claim(at(6)); claims.length > 0; claims = await hand.claim(at(6))) {
          expect(claims).toHaveLength(1)
          for (const claim of claims) {
            ran.push(seconds(claim.scheduledFor))
            await hand.finish(claim, at(6))
          }
        }
        expect(ran).toEqual(expected)
      })()
    })

    test(
      'a job without ticks of its own has nothing to backfill',
      withStore(open, async ({ hand, store }) => {
        await hand.create('none', jobSpec({ schedule: null }))
        await hand.create('delay', jobSpec({ schedule: { kind: 'fixed_delay', delayMs: second } }))
        for (const name of ['none', 'delay']) {
          await expect(store.executions.backfillJob(name, backfill(), by(t0))).rejects.toMatchObject({
            code: 'invalid_schedule',
          })
        }
      }),
    )
  })

  describe('executions, by hand', () => {
    test(
      'a retry is a new execution with the same instant and key, and no tick of its own',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a')
        await hand.account(led, at(10))
        const claim = await hand.claimOne(at(10))
        await expect(
          store.executions.retryExecution(claim.id, { id: 'r0', fromStep: null }, by(at(11))),
        ).rejects.toMatchObject({
          code: 'invalid_transition',
        })
        await hand.finish(claim, at(11), { state: 'failed', error: { name: 'Error', message: 'no' } })
        const retry = await store.executions.retryExecution(
          claim.id,
          { id: idOf('r1'), fromStep: null },
          by(at(12)),
        )
        expect(retry).toMatchObject({
          cause: 'manual',
          tickAt: null,
          scheduledFor: at(10),
          retryOf: claim.id,
          idempotencyKey: claim.idempotencyKey,
          state: 'pending',
        })
        expect((await hand.claimOne(at(12))).idempotencyKey).toBe(claim.idempotencyKey)
        expect((await hand.execution(claim.id)).state).toBe('failed')
      }),
    )

    test(
      'cancel ends what has not started and asks what runs; a final one is refused',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null }))
        await store.work.enqueueExecutions([newExecution('e1', 'a')])
        expect(await store.executions.cancelExecution(idOf('e1'), by(at(1)))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'operator',
          finishedAt: at(1),
        })
        await expect(store.executions.cancelExecution(idOf('e1'), by(at(2)))).rejects.toMatchObject({
          code: 'invalid_transition',
        })
        await expect(store.executions.cancelExecution(idOf('e9'), by(at(2)))).rejects.toMatchObject({
          code: 'execution_not_found',
        })
      }),
    )
  })
}
