/** Enqueue into a slot: what an idle worker of the same process begins by the write that enqueues it. */
import { describe, expect, test } from 'vitest'
import type { NewExecution, SlotOffer } from '../../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution, t0 } from '../builders.ts'
import { at, leaseMs } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const onDemand = jobSpec({ schedule: null })
const offer: SlotOffer = { nodeId: 'n1', queue: 'default', now: t0, leaseMs }

/** What must be claimed waits like everything that is enqueued, and nothing else of it is written. */
async function expectWaiting({ hand, store }: Bench, draft: NewExecution, given = offer): Promise<void> {
  expect(await store.work.enqueueIntoSlot(draft, given)).toBeNull()
  expect(await hand.execution(draft.id)).toMatchObject({
    state: 'pending',
    attempt: 0,
    fence: 0,
    leasedBy: null,
    startedAt: null,
  })
}

export function describeSlots(open: OpenStoreUnderTest): void {
  describe('enqueue into a slot', () => {
    test(
      'is a claim that has begun: fenced, leased, counted, and ended like any other',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        const draft = newExecution('e1', 'a', { input: { n: 1 }, metadata: { trace: 't' }, priority: 5 })
        const claim = await store.work.enqueueIntoSlot(draft, offer)
        expect(claim).toMatchObject({
          id: idOf('e1'),
          fence: 1,
          attempt: 1,
          started: true,
          place: null,
          jobName: 'a',
          cause: 'enqueue',
          input: { n: 1 },
          metadata: { trace: 't' },
          idempotencyKey: idOf('e1'),
          leasedUntil: t0 + leaseMs,
        })
        expect(await hand.execution(idOf('e1'))).toMatchObject({
          state: 'running',
          attempt: 1,
          fence: 1,
          leasedBy: 'n1',
          leasedUntil: t0 + leaseMs,
          startedAt: t0,
          priority: 5,
          maxAttempts: 3,
        })
        expect(await hand.claim(at(1))).toEqual([])
        if (claim === null) throw new Error('it was to be claimed')
        await hand.finish(claim, at(1))
        expect(await hand.execution(idOf('e1'))).toMatchObject({ state: 'completed', attempt: 1 })
      }),
    )

    test(
      'a worker that dies with it costs an attempt: the next one has it when its lease has run out',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        await store.work.enqueueIntoSlot(newExecution('e1', 'a'), offer)
        await hand.expire(t0 + leaseMs + 10_000)
        expect(await hand.execution(idOf('e1'))).toMatchObject({ state: 'retrying', attempt: 1, fence: 1 })
      }),
    )

    test(
      'what has a deadline, may never run twice, has a schedule or another queue, or is not due yet, waits to be claimed',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        await hand.create('deadline', { ...onDemand, startDeadlineMs: 60_000 })
        await hand.create('once', { ...onDemand, onCrash: 'fail' })
        await hand.create('scheduled', jobSpec())
        await hand.create('plain', onDemand)
        for (const job of ['deadline', 'once', 'scheduled']) {
          await expectWaiting(bench, newExecution(`e-${job}`, job))
          await expectWaiting(bench, newExecution(`again-${job}`, job))
        }
        await expectWaiting(bench, newExecution('e-queue', 'plain', { queue: 'mail' }))
        await expectWaiting(bench, newExecution('e-later', 'plain', { readyAt: at(1) }))
      }),
    )

    test(
      'a paused queue, a handler that the node does not have, and a job that is edited or cancelled are seen at once',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', onDemand)
        const into = (name: string) => store.work.enqueueIntoSlot(newExecution(name, 'a'), offer)
        expect(await into('e1')).not.toBeNull()
        await store.cluster.pauseQueue('default', null, by(t0))
        await expectWaiting(bench, newExecution('e2', 'a'))
        await store.cluster.resumeQueue('default', by(t0))
        await expectWaiting(bench, newExecution('e3', 'a'), { ...offer, nodeId: 'n2' })
        expect(await into('e4')).not.toBeNull()
        await hand.change('a', { kind: 'edit', spec: { ...onDemand, queue: 'mail' } }, t0)
        await expectWaiting(bench, newExecution('e5', 'a'))
        expect(await hand.execution(idOf('e5'))).toMatchObject({ queue: 'mail' })
        await hand.change('a', { kind: 'cancel' }, t0)
        await expect(into('e6')).rejects.toMatchObject({ code: 'invalid_transition' })
        await expect(store.work.enqueueIntoSlot(newExecution('e7', 'none'), offer)).rejects.toMatchObject({
          code: 'job_not_found',
        })
      }),
    )
  })
}
