/** Signals: the first that is written for a wait stands, whatever its execution is doing. */
import { describe, expect, test } from 'vitest'
import type { ClaimedExecution, NewSignal, SignalTarget } from '../../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution, stepRecord } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

export const wait = { kind: 'wait', decided: null } as const

export async function one({ hand, store }: Bench): Promise<ClaimedExecution> {
  await hand.work()
  await hand.create('a', jobSpec({ schedule: null }))
  await store.work.enqueueExecutions([newExecution('e1', 'a', { uniqueKey: 'k' })])
  return await hand.claimOne(at(0))
}

export async function signal(
  { store }: Bench,
  target: SignalTarget,
  sent: Partial<NewSignal & { readonly now: number }> = {},
) {
  const { id = 'x', name = 'w', payload = '1', now = at(5) } = sent
  return await store.steps.signalExecution(target, { id, name, payload }, by(now))
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
            restFence: null,
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
        const memos = await steps.listSteps(claim.id)
        expect(memos.map(({ name, kind, outcome }) => `${name} ${kind} ${outcome}`)).toEqual([
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
}
