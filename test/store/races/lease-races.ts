/** Leases, unique keys, leadership and locks, each wanted by two at once. */
import { expect, test } from 'vitest'
import type { Claim, Store } from '../../../src/store/store.ts'
import { by, day, idOf, jobSpec, newExecution, newJob, stepRecord, t0 } from '../builders.ts'
import { at, type ByHand, leaseMs } from '../by-hand.ts'
import { type Race, type ServerUnderTest, value, withRace } from './race.ts'

const expired = at(0) + leaseMs + 5_000

async function claimedOf({ hand, store }: { hand: ByHand; store: Store }) {
  await hand.work()
  await hand.create('a', jobSpec({ schedule: null }))
  await store.work.enqueueExecutions([newExecution('e1', 'a')])
  return await hand.claimOne(at(0))
}

/** A step whose transaction has written an order and is open while something else happens. */
async function duringStep(
  { store, sql }: Race,
  claim: Claim,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  await sql('CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)')
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const step = store.steps.stepWithin({
    claim,
    maxMs: 60_000,
    clock: { now: () => at(5), sleep: () => new Promise<void>(() => {}) },
    run: async (tx) => {
      await tx.sql`INSERT INTO orders VALUES (${'42'})`
      begun.resolve()
      await end.promise
    },
    record: () => stepRecord(claim, 's'),
  })
  step.catch(() => {})
  await begun.promise
  await meanwhile().finally(() => end.resolve())
  await step
}

export function describeLeaseRaces(server: () => ServerUnderTest): void {
  test(
    'an end that is about to commit is not taken for a crash',
    withRace(server, async (race) => {
      const claim = await claimedOf(race)
      const { first, second } = await race.both(
        async (_, slow) => await slow.finish(claim, at(5)),
        async (_, fast) => await fast.expire(expired),
      )
      expect(value(first).refused).toEqual([])
      expect(value(second).expired).toEqual([])
      expect(await race.hand.execution(idOf('e1'))).toMatchObject({ state: 'completed' })
      expect(await race.store.executions.listAttempts(idOf('e1'))).toEqual([])
    }),
  )

  test(
    'an end that comes after its lease was taken back is refused',
    withRace(server, async (race) => {
      const claim = await claimedOf(race)
      const { first, second } = await race.both(
        async (_, slow) => await slow.expire(expired),
        async (_, fast) => await fast.finish(claim, expired),
      )
      expect(value(first).expired).toHaveLength(1)
      expect(value(second).refused).toEqual([idOf('e1')])
      expect(await race.hand.execution(idOf('e1'))).toMatchObject({ state: 'retrying' })
    }),
  )

  test(
    'a lease that is just being renewed is not taken back',
    withRace(server, async (race) => {
      const claim = await claimedOf(race)
      const { first, second } = await race.both(
        async (slow) =>
          await slow.work.extendLeases({ claims: [claim], leasedUntil: expired + day, now: expired - 1_000 }),
        async (_, fast) => await fast.expire(expired),
      )
      expect(value(first).lost).toEqual([])
      expect(value(second).expired).toEqual([])
      expect(await race.hand.execution(idOf('e1'))).toMatchObject({ state: 'running', fence: claim.fence })
    }),
  )

  test(
    'a renewal that comes after its lease was taken back hears that it is lost',
    withRace(server, async (race) => {
      const claim = await claimedOf(race)
      const { first, second } = await race.both(
        async (_, slow) => await slow.expire(expired),
        async (fast) =>
          await fast.work.extendLeases({ claims: [claim], leasedUntil: expired + day, now: expired }),
      )
      expect(value(first).expired).toHaveLength(1)
      expect(value(second).lost).toEqual([idOf('e1')])
    }),
  )

  test(
    'a transaction of a step that is open keeps no renewal waiting',
    withRace(server, async (race) => {
      const claim = await claimedOf(race)
      const renewal = { claims: [claim], leasedUntil: expired, now: at(1) }
      await duringStep(race, claim, async () => {
        expect(await race.store.work.extendLeases(renewal)).toEqual({ lost: [], cancelled: [] })
      })
      expect(await race.store.steps.listSteps(claim.id)).toHaveLength(1)
    }),
  )

  test(
    'a lease that passes while the transaction of a step is open: nothing of it is written',
    withRace(server, async (race) => {
      const claim = await claimedOf(race)
      const step = duringStep(race, claim, async () => {
        expect((await race.hand.expire(expired)).expired).toHaveLength(1)
      })
      await expect(step).rejects.toMatchObject({ code: 'stale_lease' })
      expect(await race.sql('SELECT id FROM orders')).toEqual([])
      expect(await race.store.steps.listSteps(claim.id)).toEqual([])
    }),
  )

  test(
    'two rescuers take one lease back once',
    withRace(server, async (race) => {
      await claimedOf(race)
      const { first, second } = await race.both(
        async (_, slow) => await slow.expire(expired),
        async (_, fast) => await fast.expire(expired),
      )
      expect([...value(first).expired, ...value(second).expired]).toHaveLength(1)
      expect(await race.store.executions.listAttempts(idOf('e1'))).toHaveLength(1)
    }),
  )

  test(
    'a transaction of a handler whose lease is taken back meanwhile writes nothing',
    withRace(server, async (race) => {
      const claim = await claimedOf(race)
      await race.sql('CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)')
      const { first, second } = await race.both(
        async (_, slow) => await slow.expire(expired),
        async (fast) =>
          await fast.work.completeWithin({
            claim,
            nodeId: 'n1',
            maxMs: 60_000,
            clock: { now: () => expired, sleep: () => new Promise(() => {}) },
            run: async (tx) => void (await tx.sql`INSERT INTO orders VALUES (${'42'})`),
            ending: () => ({ state: 'completed', result: null }),
          }),
      )
      expect(value(first).expired).toHaveLength(1)
      expect(second).toMatchObject({ status: 'rejected', reason: { code: 'stale_lease' } })
      expect(await race.sql('SELECT id FROM orders')).toEqual([])
    }),
  )
}

export function describeKeyRaces(server: () => ServerUnderTest): void {
  test(
    'two enqueues with one unique key: the second is the first',
    withRace(server, async ({ hand, store, both }) => {
      await hand.create('a', jobSpec({ schedule: null }))
      const unique = (id: string) => [newExecution(id, 'a', { uniqueKey: 'k' })]
      const { first, second } = await both(
        async (slow) => await slow.work.enqueueExecutions(unique('e1')),
        async (fast) => await fast.work.enqueueExecutions(unique('e2')),
      )
      expect(value(first)).toEqual([{ id: idOf('e1'), created: true }])
      expect(value(second)).toEqual([{ id: idOf('e1'), created: false }])
      expect(await store.executions.listExecutions({ limit: 10 })).toHaveLength(1)
    }),
  )

  test(
    'two nodes make one job: the second hears that it exists',
    withRace(server, async ({ store, both }) => {
      const { first, second } = await both(
        async (slow) => await slow.jobs.createJob(newJob('a')),
        async (fast) => await fast.jobs.createJob({ ...newJob('a'), id: idOf('job-b') }),
      )
      expect(value(first).id).toBe(idOf('job-a'))
      expect(second).toMatchObject({ status: 'rejected', reason: { code: 'job_exists' } })
      expect(await store.jobs.listJobs({ limit: 10 })).toHaveLength(1)
    }),
  )

  test(
    'two edits at once both count',
    withRace(server, async ({ hand, both }) => {
      await hand.create('a', jobSpec({ schedule: null }))
      const { first, second } = await both(
        async (_, slow) =>
          await slow.change(
            'a',
            { kind: 'edit', spec: ({ spec }) => ({ ...spec, tags: [...spec.tags, 'x'] }) },
            at(1),
          ),
        async (_, fast) =>
          await fast.change(
            'a',
            { kind: 'edit', spec: ({ spec }) => ({ ...spec, tags: [...spec.tags, 'y'] }) },
            at(1),
          ),
      )
      value(first)
      expect(value(second).spec.tags).toEqual(['x', 'y'])
    }),
  )

  test(
    'two nodes want to lead, and there is no row yet: one does',
    withRace(server, async ({ store, both }) => {
      const { first, second } = await both(
        async (slow) => await slow.cluster.electLeader({ nodeId: 'n1', now: t0, leaseMs: day }),
        async (fast) => await fast.cluster.electLeader({ nodeId: 'n2', now: t0, leaseMs: day }),
      )
      expect(value(first)).toMatchObject({ leaderInstance: 'n1' })
      expect(value(second)).toBeNull()
      expect(await store.cluster.listTerms({ limit: 10 })).toHaveLength(1)
    }),
  )

  test(
    'two nodes want an expired lead: one gets it',
    withRace(server, async ({ hand, store, both }) => {
      await hand.lead('n0')
      const now = at(0) + 2_000 * day
      const { first, second } = await both(
        async (slow) => await slow.cluster.electLeader({ nodeId: 'n1', now, leaseMs: day }),
        async (fast) => await fast.cluster.electLeader({ nodeId: 'n2', now, leaseMs: day }),
      )
      expect(value(first)).toMatchObject({ leaderInstance: 'n1' })
      expect(value(second)).toBeNull()
      expect(await store.cluster.listTerms({ limit: 10 })).toHaveLength(2)
    }),
  )

  test(
    'a renewal that comes after a takeover is refused',
    withRace(server, async ({ hand, both }) => {
      const led = await hand.lead('n0')
      const now = at(0) + 2_000 * day
      const { second } = await both(
        async (slow) => await slow.cluster.electLeader({ nodeId: 'n1', now, leaseMs: day }),
        async (fast) => await fast.cluster.renewTerm({ ...led, now, leaseMs: day, lifeline: null }),
      )
      expect(value(second)).toBe(false)
    }),
  )

  test(
    'a leader that was taken for dead renews while its lead is taken: whoever is first, the other is refused',
    withRace(server, async ({ store, hand, both }) => {
      const led = await hand.lead('n0')
      const takeAsSeen = async () => {
        const abandoned = (await store.cluster.currentLeader()) ?? undefined
        return async (store: Store) =>
          await store.cluster.electLeader({ nodeId: 'n1', now: at(2), leaseMs: day, abandoned })
      }
      const renew = async (store: Store) =>
        await store.cluster.renewTerm({ ...led, now: at(2), leaseMs: day, lifeline: 'line' })
      const renewed = await both(renew, await takeAsSeen())
      expect([value(renewed.first), value(renewed.second)]).toEqual([true, null])
      const taken = await both(await takeAsSeen(), renew)
      expect(value(taken.first)).toMatchObject({ leaderInstance: 'n1' })
      expect(value(taken.second)).toBe(false)
    }),
  )

  test(
    'two want one lock that nobody has held before: one gets it',
    withRace(server, async ({ both }) => {
      const ask = async (store: Store, holder: string) =>
        await store.cluster.acquireLock({ name: 'l', holder, token: holder, now: t0, expiresAt: t0 + day })
      const { first, second } = await both(
        async (slow) => await ask(slow, 'n1'),
        async (fast) => await ask(fast, 'n2'),
      )
      expect(value(first)).toEqual({ fence: 1 })
      expect(value(second)).toBeNull()
    }),
  )

  test(
    'two cancel one execution: it ends once',
    withRace(server, async ({ hand, store, both }) => {
      await hand.lead()
      await hand.create('a')
      await hand.trigger('a', 'm1', at(1))
      const { first, second } = await both(
        async (slow) => await slow.executions.cancelExecution(idOf('m1'), by(at(2))),
        async (fast) => await fast.executions.cancelExecution(idOf('m1'), by(at(3))),
      )
      expect(value(first).state).toBe('cancelled')
      expect(second).toMatchObject({ status: 'rejected', reason: { code: 'invalid_transition' } })
      expect((await store.executions.findExecution(idOf('m1')))?.finishedAt).toBe(at(2))
    }),
  )
}
