/** Enqueue and claim: what goes in, and in which order it comes out. */
import { describe, expect, test } from 'vitest'
import { commandKey, httpKey } from '../../../src/core/job/handler.ts'
import { by, day, idOf, jobSpec, nameOf, newExecution, t0 } from '../builders.ts'
import { at, leaseMs } from '../by-hand.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const onDemand = jobSpec({ schedule: null, input: { from: 'spec' } })

export function describeQueueing(open: OpenStoreUnderTest): void {
  describe('enqueue', () => {
    test(
      'what is enqueued is kept as it was given, and is its own idempotency key',
      withStore(open, async ({ hand, store }) => {
        await hand.create('a', onDemand)
        const draft = newExecution('e1', 'a', {
          input: { text: 'ünï\u0000\u2028', list: [1, null] },
          metadata: { trace: 't' },
          queue: 'mail',
          priority: 5,
          readyAt: at(60),
        })
        expect(await store.work.enqueueExecutions([draft])).toEqual([{ id: idOf('e1'), created: true }])
        expect(await hand.execution(idOf('e1'))).toMatchObject({
          cause: 'enqueue',
          state: 'pending',
          tickAt: null,
          account: null,
          scheduledFor: t0,
          readyAt: at(60),
          queue: 'mail',
          priority: 5,
          maxAttempts: 3,
          input: { text: 'ünï\u0000\u2028', list: [1, null] },
          metadata: { trace: 't' },
          idempotencyKey: idOf('e1'),
        })
      }),
    )

    test(
      'a unique key stands for one unfinished execution, and is free again after it',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        await hand.create('b', onDemand)
        const keyed = (id: string, job = 'a') => newExecution(id, job, { uniqueKey: 'k' })
        expect(await store.work.enqueueExecutions([keyed('e1'), keyed('e2'), keyed('e3', 'b')])).toEqual([
          { id: idOf('e1'), created: true },
          { id: idOf('e1'), created: false },
          { id: idOf('e3'), created: true },
        ])
        const claim = await hand.claimOne(t0)
        expect(await store.work.enqueueExecutions([keyed('e4')])).toEqual([
          { id: idOf('e1'), created: false },
        ])
        await hand.finish(claim, t0)
        expect(await store.work.enqueueExecutions([keyed('e5')])).toEqual([{ id: idOf('e5'), created: true }])
      }),
    )

    test(
      'a batch with an unknown or a cancelled job is refused whole',
      withStore(open, async ({ hand, store }) => {
        await hand.create('a', onDemand)
        await hand.create('ended', onDemand)
        await hand.change('ended', { kind: 'cancel' }, t0)
        const refused = (job: string) =>
          store.work.enqueueExecutions([newExecution('e1', 'a'), newExecution('e2', job)])
        await expect(refused('nobody')).rejects.toMatchObject({ code: 'job_not_found' })
        await expect(refused('ended')).rejects.toMatchObject({ code: 'invalid_transition' })
        expect(await hand.executions('a')).toEqual([])
      }),
    )

    test.each(['a driver connection', 'an object with query'])(
      "within the caller's transaction as %s, it commits and rolls back with it",
      async (kind) => {
        await withStore(open, async ({ hand, store, callerTransactions }) => {
          await hand.create('a', onDemand)
          const caller = callerTransactions[kind]
          if (caller === undefined) throw new Error(`${kind} is not offered`)
          await caller.begin()
          const first = await store.work.enqueueExecutions(
            [newExecution('e1', 'a', { uniqueKey: 'k' })],
            caller.tx,
          )
          const again = await store.work.enqueueExecutions(
            [newExecution('e2', 'a', { uniqueKey: 'k' })],
            caller.tx,
          )
          expect([...first, ...again]).toEqual([
            { id: idOf('e1'), created: true },
            { id: idOf('e1'), created: false },
          ])
          await caller.rollback()
          expect(await store.executions.findExecution(idOf('e1'))).toBeNull()
          await caller.begin()
          await store.work.enqueueExecutions([newExecution('e1', 'a')], caller.tx)
          await caller.commit()
          expect(await hand.execution(idOf('e1'))).toMatchObject({ state: 'pending' })
        })()
      },
    )

    test(
      'something that is no transaction is refused by name',
      withStore(open, async ({ hand, store }) => {
        await hand.create('a', onDemand)
        await expect(store.work.enqueueExecutions([newExecution('e1', 'a')], {})).rejects.toMatchObject({
          code: 'invalid_option',
          field: 'tx',
        })
      }),
    )
  })

  describe('claim', () => {
    test(
      'highest priority first, then what was ready first, then in order of arrival',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        const row = (id: string, priority: number, readyAt: number) =>
          newExecution(id, 'a', { priority, readyAt })
        await store.work.enqueueExecutions([
          row('low', -1, at(0)),
          row('late', 0, at(2)),
          row('early', 0, at(1)),
          row('also-early', 0, at(1)),
          row('high', 9, at(3)),
        ])
        const order = (await hand.claim(at(5))).map(({ id }) => nameOf(id))
        expect(order).toEqual(['high', 'early', 'also-early', 'late', 'low'])
      }),
    )

    test(
      'a claim leases the row, raises its fence and tells the handler what it needs',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        await store.work.enqueueExecutions([newExecution('e1', 'a', { input: 1, metadata: { m: 1 } })])
        const claim = await hand.claimOne(at(1))
        expect(claim).toMatchObject({
          id: idOf('e1'),
          fence: 1,
          jobName: 'a',
          cause: 'enqueue',
          attempt: 1,
          started: true,
          input: 1,
          metadata: { m: 1 },
          idempotencyKey: idOf('e1'),
          leasedUntil: at(1) + leaseMs,
          spec: onDemand,
        })
        expect(await hand.execution(idOf('e1'))).toMatchObject({
          state: 'running',
          leasedBy: 'n1',
          startedAt: at(1),
          fence: 1,
        })
        expect(await hand.claim(at(1))).toEqual([])
      }),
    )

    test(
      'a backlog that is not ready yet is left, and the next instant is told',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        const later = Array.from({ length: 50 }, (_, n) =>
          newExecution(`later-${n}`, 'a', { priority: n % 3, readyAt: t0 + day - n }),
        )
        await store.work.enqueueExecutions([...later, newExecution('now', 'a')])
        const request = { nodeId: 'n1', queue: 'default', limit: 10, start: 10, leaseMs }
        const result = await store.work.claimExecutions({ ...request, now: t0, readyBy: t0 })
        expect(result.claimed.map(({ id }) => id)).toEqual([idOf('now')])
        expect(result.nextReadyAt).toBe(t0 + day - 49)
        const early = await store.work.claimExecutions({ ...request, now: t0, readyBy: t0 + day - 49 })
        expect(early.claimed.map(({ id }) => id)).toEqual([idOf('later-49')])
      }),
    )

    test(
      'a claim that leaves nothing counts what is to come, up to its limit in each priority',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        const readyAt = [at(0.5), at(0.5), at(0.5), at(0.9), at(2)]
        await store.work.enqueueExecutions(
          readyAt.flatMap((ready, n) =>
            [0, 1].map((priority) => newExecution(`e${n}-${priority}`, 'a', { priority, readyAt: ready })),
          ),
        )
        const request = { nodeId: 'n1', queue: 'default', start: 0, now: t0, readyBy: t0, leaseMs }
        const upcoming = async (limit: number, upcomingBy?: number) =>
          (
            await store.work.claimExecutions({
              ...request,
              limit,
              ...(upcomingBy === undefined ? {} : { upcomingBy }),
            })
          ).upcoming
        expect(await upcoming(100, at(1))).toBe(8)
        expect(await upcoming(3, at(1))).toBe(6)
        expect(await upcoming(100, at(0.4))).toBe(0)
        expect(await upcoming(100)).toBe(0)
      }),
    )

    test(
      'a node claims only what it has a handler for, and only its queue',
      withStore(open, async ({ hand, store }) => {
        await hand.work('n1', ['work'])
        await hand.work('n2', ['mail'])
        await hand.create('a', onDemand)
        await hand.create('m', jobSpec({ schedule: null, handler: { type: 'function', name: 'mail' } }))
        await store.work.enqueueExecutions([
          newExecution('e1', 'a'),
          newExecution('e2', 'm'),
          newExecution('e3', 'm', { queue: 'other' }),
        ])
        expect((await hand.claim(t0)).map(({ id }) => id)).toEqual([idOf('e1')])
        expect((await hand.claim(t0, { nodeId: 'n2' })).map(({ id }) => id)).toEqual([idOf('e2')])
        expect(await hand.claim(t0, { nodeId: 'stranger', queue: 'other' })).toEqual([])
      }),
    )

    test(
      'a call is for every node that calls, a command for a node that has this very program',
      withStore(open, async ({ hand, store }) => {
        const command = (path: string) =>
          ({ type: 'command', command: path, args: [], env: {}, cwd: null }) as const
        const http = { url: 'https://example.com/', method: null, headers: {}, body: null, expect: '2xx' }
        const sealed = { API_TOKEN: { sealed: 'abc' } }
        await hand.work('n1', [httpKey])
        await hand.work('n2', [commandKey('/bin/two'), commandKey('/bin/TWO-more')])
        await hand.create('call', jobSpec({ schedule: null, handler: { type: 'http', ...http } }))
        await hand.create('one', jobSpec({ schedule: null, handler: command('/bin/one') }))
        await hand.create(
          'two',
          jobSpec({ schedule: null, handler: { ...command('/bin/two'), env: sealed } }),
        )
        await store.work.enqueueExecutions(['call', 'one', 'two'].map((job) => newExecution(`e-${job}`, job)))
        expect((await hand.claim(t0)).map(({ id }) => id)).toEqual([idOf('e-call')])
        const claimed = await hand.claim(t0, { nodeId: 'n2' })
        expect(claimed.map(({ id, spec }) => [id, spec.handler])).toEqual([
          [idOf('e-two'), { ...command('/bin/two'), env: sealed }],
        ])
      }),
    )

    test(
      'an edit of the handler hands on what is unfinished, a retry too; what is finished stays as it was',
      withStore(open, async ({ hand, store }) => {
        await hand.work('n1', ['work'])
        await hand.work('n2', ['mail'])
        await hand.create('a', onDemand)
        await store.work.enqueueExecutions(['e1', 'e2', 'e3'].map((id) => newExecution(id, 'a')))
        await hand.finish(await hand.claimOne(t0), t0)
        const running = await hand.claimOne(t0)
        const spec = jobSpec({ ...onDemand, handler: { type: 'function', name: 'mail' } })
        await hand.change('a', { kind: 'edit', spec }, t0)
        expect(await hand.claim(t0)).toEqual([])
        expect((await hand.claim(t0, { nodeId: 'n2' })).map(({ id }) => id)).toEqual([idOf('e3')])
        await hand.finish(running, t0, { state: 'retrying', readyAt: t0, error: null, countsAttempt: true })
        expect(await hand.claim(t0)).toEqual([])
        expect((await hand.claim(t0, { nodeId: 'n2' })).map(({ id }) => id)).toEqual([idOf('e2')])
      }),
    )

    test(
      'a paused queue gives nothing until it is resumed; both are in the audit log',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        await store.work.enqueueExecutions([newExecution('e1', 'a')])
        await store.cluster.pauseQueue('default', 'flood', by(t0))
        expect(await hand.claim(t0)).toEqual([])
        expect(await store.cluster.listQueues()).toEqual([
          {
            name: 'default',
            pausedAt: t0,
            pausedBy: 'ann',
            pausedReason: 'flood',
            pending: 1,
            running: 0,
            blocked: 0,
            sleeping: 0,
            waiting: 0,
          },
        ])
        await store.cluster.resumeQueue('default', by(t0))
        expect(await hand.claim(t0)).toHaveLength(1)
        const [queue] = await store.cluster.listQueues()
        expect(queue).toMatchObject({ pausedAt: null, pending: 0, running: 1 })
        const log = await store.audit.listAuditLog({ subject: 'default', limit: 5 })
        expect(log.map(({ action }) => action)).toEqual(['queue.resume', 'queue.pause'])
      }),
    )

    test(
      'only rows that start count an attempt; the others are reserved until their start is marked',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', onDemand)
        await store.work.enqueueExecutions(['e1', 'e2'].map((id) => newExecution(id, 'a')))
        const [first, second] = await hand.claim(t0, { start: 1 })
        expect([first?.started, first?.attempt, second?.started, second?.attempt]).toEqual([
          true,
          1,
          false,
          0,
        ])
        expect(await hand.execution(idOf('e2'))).toMatchObject({
          state: 'running',
          attempt: 0,
          startedAt: null,
        })
        const starts = [{ id: idOf('e2'), fence: 1 }]
        expect(await store.work.startAttempts(starts, at(1))).toEqual([])
        expect(await hand.execution(idOf('e2'))).toMatchObject({ attempt: 1, startedAt: at(1) })
        expect(await store.work.startAttempts(starts, at(2))).toEqual([idOf('e2')])
        expect(await hand.execution(idOf('e2'))).toMatchObject({ state: 'running', attempt: 1 })
      }),
    )

    test(
      'what could not start by its deadline is not claimed, and is cancelled with the reason',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', { ...onDemand, startDeadlineMs: 5_000 })
        await hand.create('tick', jobSpec({ startDeadlineMs: 5_000, catchUp: { policy: 'none' } }))
        await store.work.enqueueExecutions([newExecution('e1', 'a')])
        await hand.account(led, at(10))
        expect(await hand.execution(idOf('e1'))).toMatchObject({ startBy: at(5) })
        expect((await hand.claim(at(16))).map(({ id }) => id)).toEqual([])
        expect(await hand.expire(at(16))).toMatchObject({ deadlined: 2, expired: [] })
        expect(await hand.execution(idOf('e1'))).toMatchObject({
          state: 'cancelled',
          cancelReason: 'start_deadline',
          finishedAt: at(16),
        })
        expect(await hand.states('tick')).toEqual(['schedule cancelled'])
      }),
    )

    test(
      'what has waited in reserve past its deadline does not begin: it goes back, and is cancelled',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', { ...onDemand, startDeadlineMs: 5_000 })
        await store.work.enqueueExecutions([newExecution('e1', 'a'), newExecution('e2', 'a')])
        const [first, second] = await hand.claim(at(1), { limit: 2, start: 0 })
        if (first === undefined || second === undefined) throw new Error('two were to be claimed')
        expect(await store.work.startAttempts([first], at(5))).toEqual([])
        expect(await store.work.startAttempts([second], at(5) + 1)).toEqual([second.id])
        expect(await hand.expire(at(6))).toMatchObject({ deadlined: 1 })
        expect(await hand.execution(second.id)).toMatchObject({ cancelReason: 'start_deadline', attempt: 0 })
        expect(await hand.execution(first.id)).toMatchObject({ state: 'running', attempt: 1 })
      }),
    )

    test(
      'a deadline that was met once holds no later try back',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', { ...onDemand, startDeadlineMs: 5_000 })
        await store.work.enqueueExecutions([newExecution('e1', 'a')])
        const claim = await hand.claimOne(at(1))
        const snooze = { state: 'retrying', readyAt: at(60), error: null, countsAttempt: false } as const
        await hand.finish(claim, at(2), snooze)
        expect(await hand.expire(at(60))).toMatchObject({ deadlined: 0 })
        expect(await hand.claimOne(at(60))).toMatchObject({ id: idOf('e1'), attempt: 1, fence: 2 })
      }),
    )
  })
}
