/** A try: how it is kept alive, how it ends, and what becomes of one whose worker went away. */
import { describe, expect, test } from 'vitest'
import type { Ending } from '../../../src/core/attempt/outcome.ts'
import type { JobSpec } from '../../../src/core/job/job.ts'
import { by, every, hour, idOf, jobSpec, newExecution, second, t0 } from '../builders.ts'
import { at, type ByHand, leaseMs } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const error = { name: 'Error', message: 'no' }
const onDemand = jobSpec({ schedule: null })
const afterLease = leaseMs / second + 1

async function claimed({ hand, store }: Bench, spec: Partial<JobSpec> = {}) {
  await hand.work()
  await hand.create('a', { ...onDemand, ...spec })
  await store.work.enqueueExecutions([newExecution('e1', 'a')])
  return await hand.claimOne(at(0))
}

async function outcomes({ store }: Bench): Promise<string[]> {
  return (await store.executions.listAttempts(idOf('e1'))).map(
    ({ attempt, fence, outcome }) => `${attempt}/${fence} ${outcome}`,
  )
}

export function describeAttempts(open: OpenStoreUnderTest): void {
  describe('leases', () => {
    test(
      'a lease is extended by its holder only; a lost one and a wish to stop are told',
      withStore(open, async (bench) => {
        const claim = await claimed(bench)
        const { store, hand } = bench
        const extend = (fence: number) =>
          store.work.extendLeases({ claims: [{ id: idOf('e1'), fence }], leasedUntil: at(60), now: at(10) })
        expect(await extend(claim.fence)).toEqual({ lost: [], cancelled: [] })
        expect(await hand.execution(idOf('e1'))).toMatchObject({ leasedUntil: at(60) })
        expect(await extend(claim.fence + 1)).toEqual({ lost: [idOf('e1')], cancelled: [] })
        const asked = await store.executions.cancelExecution(idOf('e1'), by(at(11)))
        expect(asked).toMatchObject({ state: 'running', cancelRequestedAt: at(11), cancelReason: 'operator' })
        expect(await extend(claim.fence)).toEqual({ lost: [], cancelled: [idOf('e1')] })
        expect(await store.work.findCancelRequests('n1')).toEqual([idOf('e1')])
        expect(await store.work.findCancelRequests('n2')).toEqual([])
      }),
    )

    test(
      "others' leases end a second after their time; a crash counts and the execution is tried again",
      withStore(open, async (bench) => {
        await claimed(bench)
        const { hand, store } = bench
        expect((await hand.expire(at(afterLease) - 1)).expired).toEqual([])
        expect((await store.executions.listLeases('active', at(afterLease) - 1)).map(({ id }) => id)).toEqual(
          [idOf('e1')],
        )
        expect((await store.executions.listLeases('expired', at(afterLease))).map(({ id }) => id)).toEqual([
          idOf('e1'),
        ])
        const { expired } = await hand.expire(at(afterLease))
        expect(expired).toEqual([{ id: idOf('e1'), jobName: 'a', state: 'retrying', leasedBy: 'n1' }])
        expect(await hand.execution(idOf('e1'))).toMatchObject({
          attempt: 1,
          error: { code: 'lease_expired' },
          readyAt: at(afterLease + 1),
        })
        expect(await outcomes(bench)).toEqual(['1/1 crashed'])
        expect(await hand.claimOne(at(60))).toMatchObject({ attempt: 2, fence: 2 })
      }),
    )

    test(
      'a reservation that never started costs no attempt',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', onDemand)
        await store.work.enqueueExecutions([newExecution('e1', 'a'), newExecution('e2', 'a')])
        const [first, next] = await hand.claim(at(0), { start: 0 })
        await store.work.releaseClaims([first ?? { id: '', fence: 0 }], at(1))
        await hand.expire(at(afterLease))
        for (const id of [first?.id, next?.id]) {
          expect(await hand.execution(id ?? '')).toMatchObject({
            state: 'pending',
            attempt: 0,
            leasedBy: null,
          })
        }
        expect(await outcomes(bench)).toEqual([])
      }),
    )

    test(
      'a started claim is not given back by a release',
      withStore(open, async (bench) => {
        const claim = await claimed(bench)
        await bench.store.work.releaseClaims([claim], at(1))
        expect(await bench.hand.execution(idOf('e1'))).toMatchObject({ state: 'running', attempt: 1 })
      }),
    )

    test.each([
      ['onCrash is fail', { onCrash: 'fail' as const }, 'failed'],
      ['its attempts are used up', { retry: { ...onDemand.retry, attempts: 1 } }, 'failed'],
    ])('a crash is final where %s', async (_title, spec, state) => {
      await withStore(open, async (bench) => {
        await claimed(bench, spec)
        await bench.hand.expire(at(afterLease))
        expect(await bench.hand.execution(idOf('e1'))).toMatchObject({ state, finishedAt: at(afterLease) })
        expect(await bench.hand.claim(at(1_000))).toEqual([])
      })()
    })

    test(
      'one that somebody asked to stop and that went away is cancelled, not tried again',
      withStore(open, async (bench) => {
        await claimed(bench)
        await bench.store.executions.cancelExecution(idOf('e1'), by(at(1)))
        await bench.hand.expire(at(afterLease))
        expect(await bench.hand.execution(idOf('e1'))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'operator',
        })
      }),
    )

    test(
      'a crashed catch-up waits for its retry as blocked',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: every(hour), catchUp: { graceMs: 0 } }))
        await hand.account(led, t0 + hour + second)
        await hand.claimOne(t0 + hour + second)
        await hand.expire(t0 + hour + second + leaseMs + second)
        expect(await hand.states('a')).toEqual(['catch_up blocked'])
      }),
    )
  })

  describe('endings', () => {
    const endings: readonly [string, Ending, object, string[]][] = [
      ['completed', { state: 'completed', result: { n: 1 } }, { state: 'completed', result: { n: 1 } }, []],
      ['failed', { state: 'failed', error }, { state: 'failed', error }, ['1/1 failed']],
      [
        'cancelled',
        { state: 'cancelled', reason: 'handler', error: null },
        { state: 'cancelled', cancelReason: 'handler' },
        ['1/1 cancelled'],
      ],
      [
        'retrying',
        { state: 'retrying', readyAt: at(9), error, countsAttempt: true },
        { state: 'retrying', attempt: 1, readyAt: at(9), error, finishedAt: null },
        ['1/1 error'],
      ],
      [
        'snoozed',
        { state: 'retrying', readyAt: at(9), error: null, countsAttempt: false },
        { state: 'retrying', attempt: 0, readyAt: at(9), finishedAt: null },
        ['1/1 snoozed'],
      ],
    ]
    test.each(endings)('%s is written, with its attempt', async (_name, ending, written, attempts) => {
      await withStore(open, async (bench) => {
        const claim = await claimed(bench)
        expect(await bench.hand.finish(claim, at(3), ending)).toMatchObject({ refused: [] })
        expect(await bench.hand.execution(idOf('e1'))).toMatchObject({ ...written, leasedUntil: null })
        expect(await outcomes(bench)).toEqual(attempts)
        const { runs } = await bench.store.executions.jobRuns(idOf('job-a'), 10)
        const final = (await bench.hand.execution(idOf('e1'))).finishedAt !== null
        expect(runs).toEqual(final ? [{ state: ending.state, durationMs: 3_000 }] : [])
      })()
    })

    test(
      'a stale fence is refused, and the refusal is kept',
      withStore(open, async (bench) => {
        const zombie = await claimed(bench)
        const { hand } = bench
        await hand.expire(at(afterLease))
        const next = await hand.claimOne(at(60), { nodeId: 'n1' })
        expect(await hand.finish(zombie, at(61))).toMatchObject({ refused: [idOf('e1')] })
        expect(await hand.execution(idOf('e1'))).toMatchObject({ state: 'running', fence: 2, result: null })
        const result = { state: 'completed', result: 'second' } as const
        expect(await hand.finish(next, at(62), result)).toMatchObject({ refused: [] })
        expect(await hand.finish(next, at(63))).toMatchObject({ refused: [idOf('e1')] })
        expect(await hand.execution(idOf('e1'))).toMatchObject({ state: 'completed', result: 'second' })
        expect(await outcomes(bench)).toEqual(['1/1 crashed', '1/1 refused', '2/2 refused'])
      }),
    )

    test(
      'one refused attempt does not hold back the others of its batch',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        await store.work.enqueueExecutions(['e1', 'e2'].map((id) => newExecution(id, 'a')))
        await hand.claim(at(0))
        const ended = (id: string, fence: number) =>
          ({
            id,
            fence,
            attempt: 1,
            ending: { state: 'completed', result: null },
            finishedAt: at(1),
          }) as const
        const attempts = [ended(idOf('e1'), 7), ended(idOf('e2'), 1)]
        const result = await store.work.finishAttempts({ nodeId: 'n1', attempts, now: at(1) })
        expect(result).toMatchObject({ refused: [idOf('e1')] })
        expect(await hand.execution(idOf('e2'))).toMatchObject({ state: 'completed' })
      }),
    )

    test(
      'a reservation that never started cannot complete',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        await store.work.enqueueExecutions([newExecution('e1', 'a')])
        const [reserved] = await hand.claim(at(0), { start: 0 })
        expect(await hand.finish(reserved ?? { id: '', fence: 0 }, at(1))).toMatchObject({
          refused: [idOf('e1')],
        })
      }),
    )

    test(
      'an error of one that somebody asked to stop ends it: there is no further try',
      withStore(open, async (bench) => {
        const claim = await claimed(bench)
        await bench.store.executions.cancelExecution(idOf('e1'), by(at(1)))
        await bench.hand.finish(claim, at(2), {
          state: 'retrying',
          readyAt: at(3),
          error,
          countsAttempt: true,
        })
        expect(await bench.hand.execution(idOf('e1'))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'operator',
          finishedAt: at(2),
          error,
        })
        expect(await outcomes(bench)).toEqual(['1/1 cancelled'])
      }),
    )

    test(
      'progress and log lines are kept; progress only from the holder',
      withStore(open, async (bench) => {
        const claim = await claimed(bench)
        const { store, hand } = bench
        await store.work.recordProgress([{ ...claim, progress: 0.4, note: 'rendering' }])
        await store.work.recordProgress([{ id: idOf('e1'), fence: 99, progress: 0.9, note: 'zombie' }])
        expect(await hand.execution(idOf('e1'))).toMatchObject({ progress: 0.4, progressNote: 'rendering' })
        const line = { executionId: idOf('e1'), at: at(1), level: 'info', message: 'hello' } as const
        await store.work.appendLogs([line, { ...line, message: 'again' }])
        expect(await store.executions.listLogs(idOf('e1'))).toEqual([line, { ...line, message: 'again' }])
      }),
    )
  })

  describe('fixedDelay', () => {
    const delayed = jobSpec({ schedule: { kind: 'fixed_delay', delayMs: 10_000 } })
    const open10 = async (hand: ByHand, spec: JobSpec) => {
      await hand.work()
      const led = await hand.lead()
      await hand.create('a', spec)
      return led
    }

    test(
      'the end of a tick by any hand writes the next one, a trigger writes none',
      withStore(open, async ({ hand, store }) => {
        const led = await open10(hand, { ...delayed, retry: { ...delayed.retry, attempts: 1 } })
        await hand.account(led, at(10))
        expect(await hand.job('a')).toMatchObject({ openTickAt: null, nextDueAt: null, state: 'active' })
        await hand.finish(await hand.claimOne(at(10)), at(13))
        expect(await hand.job('a')).toMatchObject({ openTickAt: at(23), nextDueAt: at(23) })
        await hand.trigger('a', 'm1', at(15))
        await hand.finish(await hand.claimOne(at(15)), at(16))
        expect((await hand.job('a')).openTickAt).toBe(at(23))
        await hand.account(led, at(23))
        await hand.claimOne(at(23))
        await hand.expire(at(23 + afterLease))
        expect((await hand.job('a')).openTickAt).toBe(at(33 + afterLease))
        await hand.account(led, at(64))
        const [newest] = await store.executions.listExecutions({ job: 'a', limit: 1 })
        await store.executions.cancelExecution(newest?.id ?? '', by(at(65)))
        expect((await hand.job('a')).openTickAt).toBe(at(75))
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 3, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'it goes on after a skip, a pause and a cancel',
      withStore(open, async ({ hand }) => {
        const led = await open10(hand, jobSpec({ ...delayed, catchUp: { policy: 'none' } }))
        await hand.account(led, at(60))
        expect(await hand.ledger('a')).toEqual(['10 skipped catchup_off x1'])
        expect((await hand.job('a')).openTickAt).toBe(at(70))
        await hand.pause('a', at(65))
        await hand.resume('a', at(85))
        expect((await hand.job('a')).openTickAt).toBe(at(95))
        await hand.change('a', { kind: 'cancel' }, at(90))
        await hand.resume('a', at(91))
        expect(await hand.job('a')).toMatchObject({ openTickAt: at(101), nextDueAt: at(101) })
      }),
    )
  })
}
