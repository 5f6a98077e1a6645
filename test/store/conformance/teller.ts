/** From the outbox to the deliveries: each webhook that hears of a notice gets one execution of it, and the notice goes. */
import { describe, expect, test } from 'vitest'
import { webhookKey } from '../../../src/core/job/handler.ts'
import { by, idOf, jobSpec, newExecution } from '../builders.ts'
import { at, type Led } from '../by-hand.ts'
import { webhookSpec } from './outbox.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const hook = '@webhook/hook'

async function pass({ store }: Bench, leader: Led, limit = 100, now = at(50)) {
  return await store.notices.passNotices({ leader, limit, now })
}

/** What the deliveries of a webhook say, oldest first. */
async function messages({ hand }: Bench, name = hook) {
  return (await hand.executions(name)).map(
    ({ input }) => input as { id: string; type: string; data: Record<string, unknown> },
  )
}

async function completed({ hand, store }: Bench, names: readonly string[], result: unknown = null) {
  await hand.work()
  await store.work.enqueueExecutions(names.map((name) => newExecution(name, 'a')))
  for (const claim of await hand.claim(at(1))) await hand.finish(claim, at(2), { state: 'completed', result })
}

export function describeTeller(open: OpenStoreUnderTest): void {
  describe('the teller', () => {
    test(
      'each webhook gets what it hears of, in order, with the job, under one id for all',
      withStore(open, async (bench) => {
        const { hand } = bench
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: null, tags: ['nightly'] }))
        await hand.create(hook, webhookSpec(['execution.*']))
        await hand.create('@webhook/other', webhookSpec(['*'], { tags: ['nightly'] }))
        await hand.create('@webhook/deaf', webhookSpec(['*'], { jobs: ['b*'] }))
        await completed(bench, ['one', 'two'])
        expect(await pass(bench, led)).toEqual({ led: true, passed: 2, deliveries: 4, more: false })
        const told = await messages(bench)
        expect(told).toMatchObject([
          { type: 'execution.completed', data: { job: 'a', tags: ['nightly'], executionId: idOf('one') } },
          { type: 'execution.completed', data: { job: 'a', executionId: idOf('two') } },
        ])
        expect((await messages(bench, '@webhook/other')).map(({ id }) => id)).toEqual(
          told.map(({ id }) => id),
        )
        expect(new Set(told.map(({ id }) => id)).size).toBe(2)
        expect(await messages(bench, '@webhook/deaf')).toEqual([])
        expect(await pass(bench, led)).toEqual({ led: true, passed: 0, deliveries: 0, more: false })
      }),
    )

    test(
      'a delivery is enqueued as one of the webhook’s job, and is claimed from its queue',
      withStore(open, async (bench) => {
        const { hand } = bench
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: null }))
        await hand.create(hook, { ...webhookSpec(['*']), queue: '@webhooks' })
        await completed(bench, ['one'])
        await pass(bench, led)
        await hand.work('n1', [webhookKey])
        expect(await hand.claim(at(60))).toEqual([])
        const claim = await hand.claimOne(at(60), { queue: '@webhooks' })
        expect(claim).toMatchObject({ jobName: hook, cause: 'enqueue', maxAttempts: 3 })
        await hand.finish(claim, at(61))
        expect(await hand.states(hook)).toEqual(['enqueue completed'])
      }),
    )

    test(
      'it goes in batches, oldest first',
      withStore(open, async (bench) => {
        const { hand } = bench
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: null }))
        await hand.create(hook, webhookSpec(['execution.*']))
        await completed(bench, ['one', 'three', 'two'])
        expect(await pass(bench, led, 2)).toMatchObject({ passed: 2, more: true })
        expect(await pass(bench, led, 2)).toMatchObject({ passed: 1, more: false })
        expect((await messages(bench)).map(({ data }) => data['executionId'])).toEqual(
          ['one', 'three', 'two'].map(idOf),
        )
      }),
    )

    test(
      'whoever leads no longer passes nothing on, and two who pass at once enqueue each delivery once',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const old = await hand.lead('n1')
        await hand.create('a', jobSpec({ schedule: null }))
        await hand.create(hook, webhookSpec(['execution.*']))
        await completed(bench, ['one', 'two'])
        await store.cluster.endTerm(old.termId, 'n1', at(3))
        const led = await hand.lead('n2', at(4))
        expect(await pass(bench, old)).toEqual({ led: false, passed: 0, deliveries: 0, more: false })
        expect(await messages(bench)).toEqual([])
        await Promise.allSettled(Array.from({ length: 4 }, async () => await pass(bench, led)))
        await pass(bench, led)
        expect(await messages(bench)).toHaveLength(2)
      }),
    )

    test(
      'a result is in it only where it is asked for, and only up to 16 KiB',
      withStore(open, async (bench) => {
        const { hand } = bench
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: null }))
        await hand.create(hook, webhookSpec(['execution.completed'], { include: ['result'] }))
        await hand.create('@webhook/thin', webhookSpec(['execution.completed']))
        await completed(bench, ['one'], { rows: 7 })
        await completed(bench, ['two'], 'x'.repeat(20_000))
        await pass(bench, led)
        expect((await messages(bench)).map(({ data }) => [data['result'], data['resultTooLong']])).toEqual([
          [{ rows: 7 }, undefined],
          [null, true],
        ])
        for (const { data } of await messages(bench, '@webhook/thin'))
          expect(data).not.toHaveProperty('result')
      }),
    )

    test(
      'what was told before its webhook was paused or deleted goes with nobody left to hear it',
      withStore(open, async (bench) => {
        const { hand, sql } = bench
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: null }))
        await hand.create(hook, webhookSpec(['execution.*']))
        await completed(bench, ['one'])
        await hand.change(hook, { kind: 'delete' }, at(5))
        expect(await pass(bench, led)).toMatchObject({ passed: 1, deliveries: 0 })
        expect(await sql('SELECT seq FROM @notices')).toEqual([])
      }),
    )

    test(
      'a delivery that waits when its webhook is deleted is cancelled with it',
      withStore(open, async (bench) => {
        const { hand } = bench
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: null }))
        const { id } = await hand.create(hook, webhookSpec(['execution.*']))
        await completed(bench, ['one'])
        await pass(bench, led)
        await hand.change(hook, { kind: 'delete' }, at(60))
        expect((await hand.executions(id)).map(({ state }) => state)).toEqual(['cancelled'])
      }),
    )

    test(
      'a job that was deleted meanwhile is still named',
      withStore(open, async (bench) => {
        const { hand } = bench
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: null }))
        await hand.create(hook, webhookSpec(['job.*'], { jobs: ['a'] }))
        await hand.change('a', { kind: 'delete' }, at(1))
        await pass(bench, led)
        expect(await messages(bench)).toMatchObject([{ type: 'job.deleted', data: { job: 'a', by: 'ann' } }])
      }),
    )

    test(
      'webhooks are listed by name, paused ones too, and stand in no list or count of jobs',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.create('a', jobSpec())
        await hand.create(hook, webhookSpec(['*']))
        await hand.create('@webhook/another', webhookSpec(['*']))
        await hand.pause('@webhook/another', at(1))
        expect((await store.notices.listWebhooks()).map(({ name }) => name)).toEqual([
          '@webhook/another',
          hook,
        ])
        const filter = { terms: [], now: at(1) }
        const page = { ...filter, sort: 'name', descending: false, limit: 10 } as const
        expect((await store.jobs.pageJobs(page)).map(({ job }) => job.name)).toEqual(['a'])
        expect((await store.jobs.listJobs({ limit: 10 })).map(({ name }) => name)).toEqual(['a'])
        expect(await store.jobs.countJobs()).toEqual({ active: 1 })
        expect(await store.jobs.countMatches(filter, 10)).toBe(1)
        expect(Object.values(await store.jobs.countStatuses(at(1)))).toEqual([1])
        expect(Object.values(await store.jobs.countHealth(at(1))).reduce((sum, n) => sum + n, 0)).toBe(1)
        const terms = [{ by: 'handler', values: [webhookKey], negated: false }] as const
        expect(await store.jobs.countMatches({ ...filter, terms }, 10)).toBe(2)
      }),
    )

    test(
      'an edit leaves a job without a schedule as it was: it has none that could end',
      withStore(open, async ({ hand }) => {
        await hand.create('a', jobSpec({ schedule: null }))
        const edited = await hand.change(
          'a',
          { kind: 'edit', spec: jobSpec({ schedule: null, priority: 3 }) },
          at(1),
        )
        expect(edited).toMatchObject({ state: 'active', nextDueAt: null })
      }),
    )

    test(
      'every fact after the subscription is told once, by whatever hand it came',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const led = await hand.lead()
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null }))
        await hand.create(hook, webhookSpec(['execution.*']))
        const names = Array.from({ length: 12 }, (_, index) => `e${String(index).padStart(2, '0')}`)
        await store.work.enqueueExecutions(names.map((name) => newExecution(name, 'a')))
        for (const [index, claim] of (await hand.claim(at(1), { limit: 9 })).entries()) {
          if (index % 3 === 0) await hand.finish(claim, at(2))
          if (index % 3 === 1)
            await hand.finish(claim, at(2), { state: 'failed', error: { name: 'E', message: 'no' } })
          if (index % 2 === 0) await pass(bench, led, 3)
        }
        await hand.expire(at(40))
        for (const name of names.slice(9)) await store.executions.cancelExecution(idOf(name), by(at(41)))
        while ((await pass(bench, led, 3)).more);
        const facts = (await hand.executions('a')).map(({ id, state }) => `${id} execution.${state}`)
        const told = (await messages(bench)).map(({ type, data }) => `${String(data['executionId'])} ${type}`)
        expect(told.sort()).toEqual(facts.sort())
      }),
    )
  })
}
