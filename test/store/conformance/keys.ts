/** Keys that stand for many events: what is made of an event, and what becomes of the execution that was there. */
import { describe, expect, test } from 'vitest'
import type { KeyedEvent } from '../../../src/core/execution/unique-key.ts'
import type { Enqueued, NewExecution } from '../../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution, stepRecord } from '../builders.ts'
import { at, leaseMs } from '../by-hand.ts'
import { wait } from './signals.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

export const onDemand = jobSpec({ schedule: null })
const retrying = (readyAt: number) => ({
  state: 'retrying' as const,
  error: { name: 'Error', message: 'no' },
  readyAt,
  countsAttempt: true,
})

type Rule = Partial<KeyedEvent> & Pick<KeyedEvent, 'mode'>

export const replace: Rule = { mode: 'replace' }
const debounce: Rule = { mode: 'debounce', withinMs: 60_000 }
export const throttle: Rule = { mode: 'throttle', withinMs: 60_000 }

/** An event of job `a` so many seconds after `t0`, whose input is its name. */
export function event(
  name: string,
  seconds: number,
  rule: Rule,
  overrides: Partial<NewExecution> = {},
): NewExecution {
  return newExecution(name, 'a', {
    createdAt: at(seconds),
    input: name,
    event: { key: 'k', withinMs: null, maxMs: null, ...rule },
    ...overrides,
  })
}

export async function begin({ hand }: Bench): Promise<void> {
  await hand.work()
  await hand.create('a', onDemand)
}

export async function enqueue({ store }: Bench, ...drafts: readonly NewExecution[]): Promise<Enqueued[]> {
  return await store.work.enqueueExecutions(drafts)
}

export const made = (name: string) => ({ id: idOf(name), created: true })
export const stands = (name: string) => ({ id: idOf(name), created: false })
const replaced = (name: string) => ({ ...stands(name), replaced: true })

export async function standsFor({ store }: Bench, name: string) {
  return (await store.executions.readStandsFor([idOf(name)])).get(idOf(name))
}

export function describeKeys(open: OpenStoreUnderTest): void {
  describe('a key that is replaced', () => {
    test(
      'the newest input stands while its execution waits, in the place of the first',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        expect(await enqueue(bench, event('v1', 0, replace))).toEqual([made('v1')])
        await enqueue(bench, newExecution('other', 'a', { createdAt: at(1) }))
        const later = event('v2', 2, replace, { metadata: { m: 2 } })
        expect(await enqueue(bench, later)).toEqual([replaced('v1')])
        expect(await standsFor(bench, 'v1')).toEqual({
          mode: 'replace',
          key: 'k',
          events: 2,
          firstAt: at(0),
          lastAt: at(2),
          untilAt: null,
          followedBy: null,
        })
        expect(await hand.claim(at(3))).toMatchObject([
          { id: idOf('v1'), input: 'v2', metadata: { m: 2 } },
          { id: idOf('other') },
        ])
        expect(await hand.executions('a')).toHaveLength(2)
      }),
    )

    test(
      'the newest says when and where it runs; one that asks for now does not wait for later',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        await enqueue(bench, event('v1', 0, replace))
        await enqueue(bench, event('v2', 1, replace, { readyAt: at(60), priority: 7, queue: 'mail' }))
        expect(await hand.execution(idOf('v1'))).toMatchObject({
          readyAt: at(60),
          scheduledFor: at(60),
          priority: 7,
          queue: 'mail',
        })
        await enqueue(bench, event('v3', 2, replace))
        expect(await hand.execution(idOf('v1'))).toMatchObject({
          readyAt: at(2),
          priority: 0,
          queue: 'default',
        })
      }),
    )

    test(
      'an event during the run is never lost: it makes an execution, and that one is replaced in its turn',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        await enqueue(bench, event('v1', 0, replace))
        const claim = await hand.claimOne(at(0))
        expect(await enqueue(bench, event('v2', 1, replace))).toEqual([made('v2')])
        expect(await enqueue(bench, event('v3', 2, replace))).toEqual([replaced('v2')])
        await hand.finish(claim, at(3))
        expect(await hand.claimOne(at(3))).toMatchObject({ id: idOf('v2'), input: 'v3' })
        expect(await standsFor(bench, 'v1')).toMatchObject({ events: 1, followedBy: idOf('v2') })
        expect(await standsFor(bench, 'v2')).toMatchObject({ events: 2, followedBy: null })
      }),
    )

    test(
      'v1 v2 v1 never happens: a retry that a newer event has followed is cancelled, whoever comes first',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        await enqueue(bench, event('v1', 0, replace))
        const first = await hand.claimOne(at(0))
        await enqueue(bench, event('v2', 1, replace))
        await hand.finish(first, at(2), retrying(at(10)))
        expect(await hand.execution(idOf('v1'))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'replaced',
        })
        const second = await hand.claimOne(at(2))
        expect(second).toMatchObject({ id: idOf('v2') })
        await hand.finish(second, at(3), retrying(at(10)))
        expect(await hand.execution(idOf('v2'))).toMatchObject({ state: 'retrying' })
        expect(await enqueue(bench, event('v3', 4, replace))).toEqual([made('v3')])
        expect(await hand.execution(idOf('v2'))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'replaced',
        })
        expect((await hand.drain(at(60))).map(({ id }) => id)).toEqual([idOf('v3')])
      }),
    )

    test(
      'the same after a crash; what an event may still change is never reserved ahead',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        await enqueue(bench, event('v1', 0, replace))
        await hand.claimOne(at(0))
        await enqueue(bench, event('v2', 1, replace))
        const late = at(0) + leaseMs + 5_000
        expect((await hand.expire(late)).expired).toMatchObject([{ id: idOf('v1'), state: 'cancelled' }])
        expect(await hand.execution(idOf('v1'))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'replaced',
        })
        expect(await hand.claim(late, { start: 0 })).toEqual([])
        expect(await enqueue(bench, event('v3', 60, replace))).toMatchObject([{ id: idOf('v2') }])
        expect(await hand.claimOne(at(60))).toMatchObject({ id: idOf('v2'), input: 'v3' })
      }),
    )

    test(
      'what was followed while nobody saw it is ended by its claim, and costs no attempt',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand, sql } = bench
        await enqueue(bench, event('v1', 0, replace))
        await hand.finish(await hand.claimOne(at(0)), at(1), retrying(at(10)))
        // As if the event and the end had passed each other.
        await sql(`UPDATE @unique_keys SET followed_by = ? WHERE unique_key = 'k'`, idOf('v2'))
        expect(await hand.claim(at(10))).toEqual([])
        expect(await hand.execution(idOf('v1'))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'replaced',
          attempt: 1,
          startedAt: null,
        })
      }),
    )

    test(
      'what sleeps is under way: it goes on after a newer event',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand, store } = bench
        await enqueue(bench, event('v1', 0, replace))
        const claim = await hand.claimOne(at(0))
        await store.steps.recordSteps([stepRecord(claim, 'w', { ...wait, endsAt: at(60) })])
        const rest = { state: 'waiting' as const, names: ['w'] }
        await hand.finish(claim, at(1), {
          state: 'retrying',
          readyAt: at(60),
          error: null,
          countsAttempt: false,
          rest,
        })
        expect(await enqueue(bench, event('v2', 2, replace))).toEqual([made('v2')])
        expect(await hand.execution(idOf('v1'))).toMatchObject({ state: 'waiting' })
        expect(await hand.claim(at(60))).toHaveLength(2)
      }),
    )

    test(
      'after a cancel by a person the next event makes one of its own',
      withStore(open, async (bench) => {
        await begin(bench)
        await enqueue(bench, event('v1', 0, replace))
        await bench.store.executions.cancelExecution(idOf('v1'), by(at(1)))
        expect(await enqueue(bench, event('v2', 2, replace))).toEqual([made('v2')])
        expect(await bench.hand.execution(idOf('v1'))).toMatchObject({
          input: 'v1',
          cancelReason: 'operator',
        })
      }),
    )

    test(
      'the key is of a job, a mode and a text, and a new job of the same name has keys of its own',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        await hand.create('b', onDemand)
        const others = [
          event('v1', 0, replace),
          event('v2', 0, debounce),
          event('v3', 0, throttle),
          event('v4', 0, { mode: 'replace', key: 'K' }),
          event('v5', 0, replace, { jobName: 'b' }),
          newExecution('v6', 'a', { uniqueKey: 'k' }),
        ]
        expect(await enqueue(bench, ...others)).toEqual(others.map(({ id }) => ({ id, created: true })))
        await hand.change('a', { kind: 'delete' }, at(1))
        const again = { ...onDemand, priority: 1 }
        await bench.store.jobs.createJob({
          id: idOf('again'),
          name: 'a',
          spec: again,
          managedBy: 'code',
          managedHash: null,
          paused: false,
          context: by(at(2)),
        })
        expect(await enqueue(bench, event('v7', 3, throttle))).toEqual([made('v7')])
      }),
    )

    test(
      'several events of one call come one after the other; with one that is refused, none has come',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        const plain = newExecution('p', 'a')
        expect(
          await enqueue(
            bench,
            event('v1', 0, replace),
            plain,
            event('w1', 0, { ...replace, key: 'l' }),
            event('v2', 0, replace),
          ),
        ).toEqual([made('v1'), made('p'), made('w1'), replaced('v1')])
        expect(await standsFor(bench, 'v1')).toMatchObject({ events: 2 })
        expect(await hand.execution(idOf('v1'))).toMatchObject({ input: 'v2' })
        for (const wrong of [newExecution('x', 'nobody'), event('x', 1, replace, { jobName: 'nobody' })])
          await expect(enqueue(bench, event('v3', 1, replace), wrong)).rejects.toMatchObject({
            code: 'job_not_found',
          })
        expect(await hand.execution(idOf('v1'))).toMatchObject({ input: 'v2' })
      }),
    )

    test.each(['a driver connection', 'an object with query'])(
      "within the caller's transaction as %s, an event comes or does not come with it",
      async (kind) => {
        await withStore(open, async (bench) => {
          await begin(bench)
          const { store, hand, callerTransactions } = bench
          const caller = callerTransactions[kind]
          if (caller === undefined) throw new Error(`${kind} is not offered`)
          await enqueue(bench, event('v1', 0, replace))
          await caller.begin()
          const within = [event('v2', 1, replace), event('w1', 1, { ...replace, key: 'l' })]
          expect(await store.work.enqueueExecutions(within, caller.tx)).toEqual([replaced('v1'), made('w1')])
          await caller.rollback()
          expect(await hand.execution(idOf('v1'))).toMatchObject({ input: 'v1' })
          expect(await store.executions.findExecution(idOf('w1'))).toBeNull()
          const claim = await hand.claimOne(at(2))
          await hand.finish(claim, at(2), retrying(at(10)))
          await caller.begin()
          expect(await store.work.enqueueExecutions([event('v3', 3, replace)], caller.tx)).toEqual([
            made('v3'),
          ])
          await caller.commit()
          expect(await hand.states('a')).toEqual(['enqueue cancelled', 'enqueue pending'])
        })()
      },
    )
  })

  describe('a key that is debounced', () => {
    test(
      'each event puts it off, at most so long after the first, and the newest input runs',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        const rule = { ...debounce, maxMs: 100_000 }
        expect(await enqueue(bench, event('v1', 0, rule))).toEqual([made('v1')])
        expect(await hand.execution(idOf('v1'))).toMatchObject({ readyAt: at(60), scheduledFor: at(60) })
        expect(await enqueue(bench, event('v2', 30, rule))).toEqual([replaced('v1')])
        expect(await hand.claim(at(89))).toEqual([])
        expect(await enqueue(bench, event('v3', 80, rule))).toEqual([replaced('v1')])
        expect(await standsFor(bench, 'v1')).toMatchObject({ events: 3, firstAt: at(0), untilAt: at(100) })
        expect(await hand.claim(at(99))).toEqual([])
        expect(await hand.claimOne(at(100))).toMatchObject({ id: idOf('v1'), input: 'v3' })
      }),
    )

    test(
      'after the claim a new wait begins, with a most of its own; without a most there is none',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        const rule = { ...debounce, maxMs: 100_000 }
        await enqueue(bench, event('v1', 0, rule))
        await hand.claimOne(at(60))
        expect(await enqueue(bench, event('v2', 90, rule))).toEqual([made('v2')])
        expect(await hand.execution(idOf('v2'))).toMatchObject({ readyAt: at(150) })
        const other = { ...debounce, key: 'l' }
        for (let n = 0; n < 5; n += 1) await enqueue(bench, event(`w${n}`, n * 50, other))
        expect(await hand.execution(idOf('w0'))).toMatchObject({ readyAt: at(260), input: 'w4' })
      }),
    )

    test(
      'its start deadline counts from where it was put off to',
      withStore(open, async (bench) => {
        await bench.hand.work()
        await bench.hand.create('a', { ...onDemand, startDeadlineMs: 30_000 })
        await enqueue(bench, event('v1', 0, debounce))
        await enqueue(bench, event('v2', 50, debounce))
        expect(await bench.hand.execution(idOf('v1'))).toMatchObject({ readyAt: at(110), startBy: at(140) })
      }),
    )
  })

  describe('a key that is throttled', () => {
    test(
      'stands for all events of its span, also after the run; the first after the span makes the next',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        expect(await enqueue(bench, event('v1', 0, throttle))).toEqual([made('v1')])
        await hand.drain(at(1))
        expect(await enqueue(bench, event('v2', 59, throttle))).toEqual([stands('v1')])
        expect(await enqueue(bench, event('v3', 60, throttle))).toEqual([made('v3')])
        expect(await enqueue(bench, event('v4', 61, throttle))).toEqual([stands('v3')])
        expect(await hand.drain(at(120))).toMatchObject([{ id: idOf('v3'), input: 'v3' }])
        expect(await standsFor(bench, 'v1')).toMatchObject({
          events: 2,
          untilAt: at(60),
          followedBy: idOf('v3'),
        })
      }),
    )

    test(
      'stands until it has begun, however long after the span that is; what runs by then does not',
      withStore(open, async (bench) => {
        await begin(bench)
        const { hand } = bench
        await enqueue(bench, event('v1', 0, throttle))
        expect(await enqueue(bench, event('v2', 300, throttle))).toEqual([stands('v1')])
        expect(await hand.claimOne(at(300))).toMatchObject({ id: idOf('v1'), input: 'v1' })
        expect(await enqueue(bench, event('v3', 301, throttle))).toEqual([made('v3')])
      }),
    )
  })
}
