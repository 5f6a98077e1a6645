/** The outbox: every fact that somebody listens to is in it exactly once, written with the fact or not at all. */
import { describe, expect, test } from 'vitest'
import { type WebhookHandler, webhookKey } from '../../../src/core/job/handler.ts'
import type { JobSpec } from '../../../src/core/job/job.ts'
import { by, jobSpec, newExecution, second } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const retryable = { name: 'Error', message: 'first line\nsecond line' }

export function webhookSpec(events: readonly string[], handler: Partial<WebhookHandler> = {}): JobSpec {
  return jobSpec({
    schedule: null,
    overlap: 'allow',
    handler: {
      type: 'webhook',
      format: 'standard',
      url: 'http://127.0.0.1:9/',
      address: null,
      events,
      jobs: [],
      tags: [],
      include: [],
      headers: {},
      body: null,
      link: null,
      secrets: [],
      ...handler,
    },
  })
}

/** In the order in which they were written. */
async function told({
  sql,
}: Bench): Promise<{ type: string; subject: string; body: Record<string, unknown> }[]> {
  const notices = await sql('SELECT type, subject, body FROM @notices ORDER BY seq')
  return notices.map(({ type, subject, body }) => ({
    type: String(type),
    subject: String(subject),
    body: JSON.parse(String(body)) as Record<string, unknown>,
  }))
}

async function toldTypes(bench: Bench): Promise<string[]> {
  return (await told(bench)).map(({ type }) => type)
}

/** A job without a schedule whose execution has been claimed. */
async function begun({ hand, store }: Bench, name = 'a', now = at(1)) {
  await hand.work()
  await hand.create(name, jobSpec({ schedule: null }), now)
  await store.work.enqueueExecutions([newExecution(`${name}-run`, name, { createdAt: now })])
  return await hand.claimOne(now)
}

export function describeOutbox(open: OpenStoreUnderTest): void {
  describe('the outbox', () => {
    test(
      'nothing is written where nobody listens',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        expect(await store.notices.heardNow()).toEqual([])
        await hand.lead()
        await hand.finish(await begun(bench), at(2))
        await hand.pause('a', at(3))
        expect(await told(bench)).toEqual([])
      }),
    )

    test(
      'what is heard of is what active webhooks ask for: by type, by group, or all',
      withStore(open, async ({ hand, store }) => {
        await hand.create('@webhook/one', webhookSpec(['execution.failed']))
        await hand.create('@webhook/two', webhookSpec(['leader.*', 'execution.failed']))
        expect(await store.notices.heardNow()).toEqual(['execution.failed', 'leader.elected'])
        await hand.pause('@webhook/two', at(1))
        expect(await store.notices.heardNow()).toEqual(['execution.failed'])
        await hand.change('@webhook/one', { kind: 'delete' }, at(2))
        expect(await store.notices.heardNow()).toEqual([])
        await hand.create('@webhook/all', webhookSpec(['*']), at(3))
        expect(await store.notices.heardNow()).toContain('job.created')
      }),
    )

    test(
      'an execution is told of once for each of its ends, with its first line of error only',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.create('@webhook/hook', webhookSpec(['execution.*']))
        const first = await begun(bench)
        const waits = { state: 'retrying', error: retryable, readyAt: at(3), countsAttempt: true } as const
        await hand.finish(first, at(2), waits)
        const second = await hand.claimOne(at(3))
        await hand.finish(second, at(4), { state: 'failed', error: retryable })
        await hand.finish(second, at(5), { state: 'failed', error: retryable })
        const notices = await told(bench)
        expect(notices).toMatchObject([
          {
            type: 'execution.retrying',
            subject: first.id,
            body: {
              executionId: first.id,
              attempt: 1,
              nextAttemptAt: new Date(at(3)).toISOString(),
              error: { name: 'Error', message: 'first line' },
            },
          },
          {
            type: 'execution.failed',
            subject: first.id,
            body: { attempt: 2, maxAttempts: 3, finishedAt: new Date(at(4)).toISOString() },
          },
        ])
        expect(JSON.stringify(notices)).not.toContain('second line')
      }),
    )

    test(
      'a completion and its notice are one transaction, also where the node said who listens',
      withStore(open, async (bench) => {
        const { hand, store, sql } = bench
        await hand.create('@webhook/hook', webhookSpec(['execution.completed']))
        const { id, fence, attempt } = await begun(bench)
        const ending = { state: 'completed', result: 'secret' } as const
        const heard = await store.notices.heardNow()
        const request = {
          nodeId: 'n1',
          attempts: [{ id, fence, attempt, ending, finishedAt: at(2) }],
          now: at(2),
          heard,
        }
        await sql('ALTER TABLE @notices RENAME COLUMN body TO other')
        await expect(store.work.finishAttempts(request)).rejects.toThrow(/body/)
        await sql('ALTER TABLE @notices RENAME COLUMN other TO body')
        expect(await hand.execution(id)).toMatchObject({ state: 'running' })
      }),
    )

    test(
      'a node that knows of no listener writes nothing',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.create('@webhook/hook', webhookSpec(['*']))
        const { id, fence, attempt } = await begun(bench)
        const ending = { state: 'completed', result: null } as const
        const attempts = [{ id, fence, attempt, ending, finishedAt: at(2) }]
        await store.work.finishAttempts({ nodeId: 'n1', attempts, now: at(2), heard: [] })
        expect(await toldTypes(bench)).toEqual(['job.created'])
      }),
    )

    test(
      'results and inputs are not in it',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('@webhook/hook', webhookSpec(['*']))
        await hand.create('a', jobSpec({ schedule: null }))
        await store.work.enqueueExecutions([newExecution('run', 'a', { input: { card: 'canary' } })])
        await hand.finish(await hand.claimOne(at(1)), at(2), { state: 'completed', result: 'canary' })
        const notices = await told(bench)
        expect(notices.map(({ type }) => type)).toEqual(['job.created', 'execution.completed'])
        expect(JSON.stringify(notices)).not.toContain('canary')
      }),
    )

    test(
      'whoever ends an execution tells of it: the rescuer, an operator, an action on its job, a tick that replaces it',
      withStore(open, async (bench) => {
        const { hand, store, sql } = bench
        const led = await hand.lead()
        await hand.create('@webhook/hook', webhookSpec(['execution.*']))
        await begun(bench, 'crashes')
        await hand.expire(at(40))
        await store.work.enqueueExecutions([newExecution('stopped', 'crashes', { createdAt: at(41) })])
        const [stopped] = (await hand.executions('crashes')).filter(({ state }) => state === 'pending')
        await store.executions.cancelExecution(stopped?.id ?? '', by(at(42)))
        await hand.change('crashes', { kind: 'cancel' }, at(43))
        await hand.create(
          'ticks',
          jobSpec({
            overlap: 'cancel_running',
            schedule: { kind: 'every', everyMs: 10 * second, anchorAt: at(0) },
          }),
          at(44),
        )
        await hand.account(led, at(50))
        await hand.account(led, at(60))
        const reasons = (await told(bench)).map(({ type, body }) => [type, body['reason'] ?? null])
        expect(reasons).toEqual([
          ['execution.retrying', null],
          ['execution.cancelled', 'operator'],
          ['execution.cancelled', 'job_cancelled'],
          ['execution.cancelled', 'replaced'],
        ])
        expect(await sql(`SELECT count(*) AS n FROM @notices WHERE job_id IS NULL`)).toMatchObject([{ n: 0 }])
      }),
    )

    test(
      'what was given back, what rests and what snoozes is no retry',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.create('@webhook/hook', webhookSpec(['*']))
        const claim = await begun(bench)
        const snooze = { state: 'retrying', error: null, readyAt: at(3), countsAttempt: false } as const
        await hand.finish(claim, at(2), snooze)
        const again = await hand.claimOne(at(3), { start: 0 })
        await store.work.releaseClaims([again], at(4))
        expect(await toldTypes(bench)).toEqual(['job.created'])
      }),
    )

    test(
      'changes of jobs are told with who made them, in bulk too, and the end of a pause by itself',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const led = await hand.lead()
        await hand.create('@webhook/hook', webhookSpec(['job.*']))
        await hand.create('a', jobSpec())
        await hand.pause('a', at(1), at(60))
        await hand.account(led, at(70))
        const change = { kind: 'pause', reason: 'deploy' } as const
        await store.jobs.changeJobs({
          names: ['a'],
          change,
          context: by(at(71), 'bob'),
          outOfTime: () => false,
        })
        await hand.change('a', { kind: 'edit', spec: jobSpec({ priority: 3 }) }, at(72))
        await hand.change('a', { kind: 'delete' }, at(73))
        const notices = await told(bench)
        expect(notices.map(({ type, subject, body }) => [type, subject, body['by']])).toEqual([
          ['job.created', 'a', 'code'],
          ['job.paused', 'a', 'ann'],
          ['job.resumed', 'a', 'evertick'],
          ['job.paused', 'a', 'bob'],
          ['job.updated', 'a', 'ann'],
          ['job.deleted', 'a', 'ann'],
        ])
        expect(notices[3]?.body).toMatchObject({ state: 'paused', reason: 'deploy', until: null })
      }),
    )

    test(
      'another leader is told of',
      withStore(open, async (bench) => {
        await bench.hand.create('@webhook/hook', webhookSpec(['leader.elected']))
        const { termId } = await bench.hand.lead('n7')
        expect(await told(bench)).toMatchObject([
          { type: 'leader.elected', subject: 'n7', body: { node: 'n7', term: termId } },
        ])
      }),
    )

    test(
      'a webhook is no news to webhooks, nor are its deliveries',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work('n1', [webhookKey])
        await hand.create('@webhook/hook', webhookSpec(['*']))
        await hand.create('@webhook/other', webhookSpec(['*']), at(1))
        await store.work.enqueueExecutions([newExecution('delivery', '@webhook/hook')])
        await hand.finish(await hand.claimOne(at(2)), at(3), { state: 'failed', error: retryable })
        await hand.pause('@webhook/other', at(4))
        expect(await told(bench)).toEqual([])
      }),
    )
  })
}
