/** Signals: the first that is written for a wait stands, whatever its execution is doing, and wakes who rests for it. */
import { describe, expect, test } from 'vitest'
import { never } from '../../../src/core/execution/step.ts'
import type { Claim, ClaimedExecution, SignalTarget } from '../../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution, stepRecord } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const wait = { kind: 'wait', decided: null } as const

async function one({ hand, store }: Bench): Promise<ClaimedExecution> {
  await hand.work()
  await hand.create('a', jobSpec({ schedule: null }))
  await store.work.enqueueExecutions([newExecution('e1', 'a', { uniqueKey: 'k' })])
  return await hand.claimOne(at(0))
}

async function signal(
  { store }: Bench,
  target: SignalTarget,
  {
    id = 'x',
    name = 'w',
    payload = '1',
    now = at(5),
    actor = 'ann',
  }: { id?: string; name?: string; payload?: string | null; now?: number; actor?: string } = {},
) {
  return await store.steps.signalExecution(target, { id, name, payload }, by(now, actor))
}

async function restFor(
  { hand }: Bench,
  claim: Claim,
  names: readonly string[],
  {
    readyAt = never,
    state = 'retrying',
    now = at(3),
  }: { readyAt?: number; state?: 'retrying' | 'blocked'; now?: number } = {},
) {
  return await hand.finish(claim, now, {
    state,
    readyAt,
    error: null,
    countsAttempt: false,
    rest: { state: 'waiting', names },
  })
}

export function describeSignals(open: OpenStoreUnderTest): void {
  describe('signals', () => {
    test(
      'one that comes before its wait is kept, and the wait finds it',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        expect(await signal(bench, claim.id)).toEqual({ executionId: claim.id, taken: true })
        const { steps } = bench.store
        expect(await steps.recordSteps([stepRecord(claim, 'w', { ...wait, begunAt: at(6) })])).toEqual([])
        expect(await steps.listSteps(claim.id)).toEqual([
          {
            name: 'w',
            kind: 'wait',
            fence: null,
            attempt: null,
            tries: 0,
            begunAt: at(5),
            endsAt: null,
            decidedAt: at(5),
            outcome: 'signalled',
            result: '1',
            signalId: 'x',
            signalledBy: 'ann',
          },
        ])
      }),
    )

    test(
      'the first of two stands, and the second is refused; both are told apart by their ids',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        await bench.store.steps.recordSteps([stepRecord(claim, 'w', wait)])
        expect(await signal(bench, claim.id, { payload: null })).toMatchObject({ taken: true })
        await expect(signal(bench, claim.id, { id: 'y', payload: '2' })).rejects.toMatchObject({
          code: 'invalid_transition',
        })
        expect(await signal(bench, claim.id)).toEqual({ executionId: claim.id, taken: false })
        expect(await bench.store.steps.listSteps(claim.id)).toMatchObject([{ result: null, signalId: 'x' }])
        const entries = await bench.store.audit.listAuditLog({ limit: 10 })
        expect(entries.filter(({ action }) => action === 'execution.signal')).toMatchObject([
          { actor: 'ann', subject: claim.id, after: { name: 'w', signal: 'x' } },
        ])
      }),
    )

    test(
      'two that race for one wait: one is taken; the same one twice is taken once',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        await bench.store.steps.recordSteps([stepRecord(claim, 'w', wait)])
        const two = await Promise.allSettled(['x', 'y'].map((id) => signal(bench, claim.id, { id })))
        expect(two.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
        const same = await Promise.all([1, 2, 3].map(() => signal(bench, claim.id, { id: 'z', name: 'v' })))
        expect(same.filter(({ taken }) => taken)).toHaveLength(1)
      }),
    )

    test(
      'after the timeout it is refused; before it, the timeout changes nothing',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        const { steps } = bench.store
        const timeout = { kind: 'wait', decided: { at: at(8), outcome: 'timed_out', result: null } } as const
        for (const name of ['w', 'v'])
          await steps.recordSteps([stepRecord(claim, name, { ...wait, endsAt: at(8) })])
        await steps.recordSteps([stepRecord(claim, 'w', timeout)])
        await expect(signal(bench, claim.id)).rejects.toMatchObject({ code: 'invalid_transition' })
        await signal(bench, claim.id, { name: 'v' })
        await steps.recordSteps([stepRecord(claim, 'v', timeout)])
        const outcomes = (await steps.listSteps(claim.id)).map(({ name, outcome }) => `${name} ${outcome}`)
        expect(outcomes.toSorted()).toEqual(['v signalled', 'w timed_out'])
      }),
    )

    test.each(['step', 'sleep'] as const)('a name that is a %s is refused', (kind) =>
      withStore(open, async (bench) => {
        const claim = await one(bench)
        const decided = kind === 'step' ? {} : { decided: null, endsAt: at(99) }
        await bench.store.steps.recordSteps([stepRecord(claim, 'w', { kind, ...decided })])
        await expect(signal(bench, claim.id)).rejects.toThrow(`is a ${kind}`)
        expect(await bench.store.steps.listSteps(claim.id)).toMatchObject([{ kind, signalId: null }])
      })(),
    )

    test(
      'one for a name that turns out to be a step gives way to its memo',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        const { steps } = bench.store
        for (const name of ['w', 'v']) await signal(bench, claim.id, { id: name, name })
        expect(await steps.recordSteps([stepRecord(claim, 'w')])).toEqual([])
        await steps.stepWithin({
          claim,
          maxMs: 2_000,
          clock: { now: () => at(5), sleep: () => new Promise(() => {}) },
          run: async () => {},
          record: () => stepRecord(claim, 'v'),
        })
        const listed = await steps.listSteps(claim.id)
        expect(listed.map(({ name, kind, outcome }) => `${name} ${kind} ${outcome}`)).toEqual([
          'v step done',
          'w step done',
        ])
      }),
    )

    test(
      'a final execution is refused, and one that nobody knows',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        await bench.hand.finish(claim, at(1))
        await expect(signal(bench, claim.id)).rejects.toMatchObject({ code: 'invalid_transition' })
        for (const target of [idOf('nobody'), { job: 'a', key: 'k' }, { job: 'nobody', key: 'k' }]) {
          await expect(signal(bench, target)).rejects.toMatchObject({ code: 'execution_not_found' })
        }
        expect(await bench.sql('SELECT name FROM @steps')).toEqual([])
      }),
    )

    test(
      'by job and key it is the unfinished one; the same id is one signal, also when another has the key',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        const target = { job: 'a', key: 'k' }
        expect(await signal(bench, target)).toEqual({ executionId: claim.id, taken: true })
        await bench.hand.finish(claim, at(6))
        await bench.store.work.enqueueExecutions([newExecution('e2', 'a', { uniqueKey: 'k' })])
        expect(await signal(bench, target)).toEqual({ executionId: claim.id, taken: false })
        expect(await signal(bench, target, { id: 'y' })).toEqual({ executionId: idOf('e2'), taken: true })
      }),
    )
  })

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
