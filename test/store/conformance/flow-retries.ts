/** A part of a flow is run again: each execution is followed by one, and what comes after it waits anew. */
import { describe, expect, test } from 'vitest'
import type { ClaimedExecution } from '../../../src/store/store.ts'
import { by, idOf } from '../builders.ts'
import { at } from '../by-hand.ts'
import { made, pick, standing, stateOf } from '../made-flow.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const error = { name: 'Error', message: 'no' }
const failed = { state: 'failed', error } as const

export function describeFlowRetries(open: OpenStoreUnderTest): void {
  describe('flows that run again', () => {
    test(
      'a retry makes a step and what comes after it again, and the flow runs until they have ended',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const id = await made(bench, 'x', 'b:x', 'd:b')
        await hand.finish(await hand.claimOne(at(1)), at(2))
        await hand.finish(await hand.claimOne(at(2)), at(3), failed)
        expect(await stateOf(store)).toBe('failed 1/1/1 of 3')
        const again = await store.flows.retryFlow(id, { from: null }, by(at(4)))
        expect(again).toMatchObject({
          state: 'running',
          finishedAt: null,
          completed: 1,
          failed: 0,
          cancelled: 0,
        })
        expect(again.graph.map(({ name, state, generation }) => `${name} ${state} ${generation}`)).toEqual([
          'x completed 1',
          'b pending 2',
          'd blocked 2',
        ])
        const [b] = await hand.claim(at(5))
        expect(await hand.execution(b?.id ?? '')).toMatchObject({
          retryOf: idOf('b'),
          idempotencyKey: idOf('b'),
        })
        expect(b).toMatchObject({ follows: true, idempotencyKey: idOf('b') })
        await expect(store.flows.retryFlow(id, { from: 'x' }, by(at(5)))).rejects.toMatchObject({
          code: 'invalid_transition',
        })
        await hand.finish(b as ClaimedExecution, at(6))
        await hand.drain(at(7))
        expect(await stateOf(store)).toBe('completed 3/0/0 of 3')
        expect((await hand.executions('a')).map(({ state }) => state)).toEqual([
          'completed',
          'failed',
          'cancelled',
          'completed',
          'completed',
        ])
      }),
    )

    test(
      'from a step on: what had completed runs again, too, and nothing else',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const id = await made(bench, 'x', 'b:x', 'd:b', 'e:x')
        await hand.drain(at(1))
        await store.flows.retryFlow(id, { from: 'b' }, by(at(2)))
        expect(await standing(store)).toEqual(['x completed', 'b pending', 'd blocked', 'e completed'])
        expect(await hand.drain(at(3))).toHaveLength(2)
        expect(await stateOf(store)).toBe('completed 4/0/0 of 4')
        await expect(store.flows.retryFlow(id, { from: null }, by(at(4)))).rejects.toMatchObject({
          code: 'invalid_transition',
        })
        await expect(store.flows.retryFlow(id, { from: 'bb' }, by(at(4)))).rejects.toMatchObject({
          code: 'invalid_option',
        })
      }),
    )

    test(
      'to retry the execution of a step is to retry the step: once, however often it is asked for',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x', 'd:x', 'e')
        const claims = await hand.claim(at(1))
        await hand.finish(pick(claims, 'x'), at(2), failed)
        const retry = (name: string, id: string) =>
          store.executions.retryExecution(idOf(id), { id: idOf(name), fromStep: null }, by(at(3)))
        // A parent that failed is first.
        await expect(retry('d2', 'd')).rejects.toMatchObject({ code: 'invalid_transition' })
        expect(await retry('x2', 'x')).toMatchObject({ id: idOf('x2'), state: 'pending', flowStep: 'x' })
        expect(await retry('x3', 'x')).toMatchObject({ id: idOf('x2') })
        expect(await standing(store)).toEqual(['x pending', 'd blocked', 'e running'])
        await hand.finish(pick(claims, 'e'), at(4))
        await hand.drain(at(5))
        expect(await stateOf(store)).toBe('completed 3/0/0 of 3')
        // The first one of a step that has gone on since is not the one to retry.
        await expect(retry('x4', 'x')).resolves.toMatchObject({ id: idOf('x2') })
      }),
    )

    test(
      'D after X and E, both failed; X is retried, and D does not start before E is',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const id = await made(bench, 'x', 'e', 'd:x e')
        for (const claim of await hand.claim(at(1))) await hand.finish(claim, at(2), failed)
        await store.flows.retryFlow(id, { from: 'x' }, by(at(3)))
        await hand.drain(at(4))
        expect(await standing(store)).toEqual(['x completed', 'e failed', 'd cancelled'])
        await store.flows.retryFlow(id, { from: 'e' }, by(at(5)))
        await hand.drain(at(6))
        expect(await standing(store)).toEqual(['x completed', 'e completed', 'd completed'])
        expect(await stateOf(store)).toBe('completed 3/0/0 of 3')
      }),
    )
  })
}
