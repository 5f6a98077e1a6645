/** Each pair of verbs that two nodes may run at once, on a server, where nobody waits for one writer. */
import { describe, expect, test } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { by, day, jobSpec, newExecution, newJob, t0 } from '../builders.ts'
import { at, type ByHand, leaseMs } from '../by-hand.ts'
import { type ServerUnderTest, value, withRace } from './race.ts'

const ahead = { aheadMs: 2_000 }
const expired = at(0) + leaseMs + 5_000

async function claimedOf({ hand, store }: { hand: ByHand; store: Store }) {
  await hand.work()
  await hand.create('a', jobSpec({ schedule: null }))
  await store.enqueueExecutions([newExecution('e1', 'a')])
  return await hand.claimOne(at(0))
}

export function describeRaces(name: string, server: () => ServerUnderTest, { skip = false } = {}): void {
  describe.skipIf(skip)(`two at once: ${name}`, () => {
    describeClaims(server)
    describeTicks(server)
    describeLeases(server)
    describeKeys(server)
  })
}

function describeClaims(server: () => ServerUnderTest): void {
  test(
    'two claims take different rows, and neither waits',
    withRace(server, async ({ hand, store, both }) => {
      await hand.work()
      await hand.create('a', jobSpec({ schedule: null }))
      await store.enqueueExecutions(['e1', 'e2', 'e3'].map((id) => newExecution(id, 'a')))
      const { first, second, waited } = await both(
        async (_, slow) => await slow.claim(at(1), { limit: 2 }),
        async (_, fast) => await fast.claim(at(1), { limit: 2 }),
      )
      expect(waited).toBe(false)
      expect([...value(first), ...value(second)].map(({ id }) => id)).toEqual(['e1', 'e2', 'e3'])
    }),
  )

  test(
    'a tick that is being claimed ahead keeps its account when a pause comes',
    withRace(server, async ({ hand, both }) => {
      await hand.work()
      const led = await hand.lead()
      await hand.create('a')
      await hand.account(led, at(9), ahead)
      const { first, second } = await both(
        async (_, slow) => await slow.claim(at(9.5), { readyBy: at(10) }),
        async (_, fast) => await fast.pause('a', at(9.6)),
      )
      expect(value(first)).toHaveLength(1)
      expect(value(second).accountedUntil).toBe(at(10) + 1)
      expect(await hand.ledger('a')).toEqual(['10 fired'])
    }),
  )

  test(
    'a tick that a pause takes back is claimed by nobody',
    withRace(server, async ({ hand, both }) => {
      await hand.work()
      const led = await hand.lead()
      await hand.create('a')
      await hand.account(led, at(9), ahead)
      const { first, second } = await both(
        async (_, slow) => await slow.pause('a', at(9.5)),
        async (_, fast) => await fast.claim(at(9.6), { readyBy: at(10) }),
      )
      expect(value(first)).toMatchObject({ accountedUntil: at(9.5) + 1, runs: 0 })
      expect(value(second)).toEqual([])
      expect(await hand.executions('a')).toEqual([])
    }),
  )

  test(
    'a catch-up that is being claimed does not step back for a tick: the tick waits',
    withRace(server, async ({ hand, both }) => {
      await hand.work()
      const led = await hand.lead()
      await hand.create('a', jobSpec({ catchUp: { policy: 'all' } }))
      await hand.account(led, at(38))
      const { first } = await both(
        async (_, slow) => await slow.claim(at(39), { limit: 1 }),
        async (_, fast) => await fast.account(led, at(40)),
      )
      expect(value(first)).toHaveLength(1)
      const active = (await hand.states('a')).filter((state) => /running|pending|retrying/.test(state))
      expect(active).toEqual(['catch_up running'])
    }),
  )

  test(
    'what was enqueued while its job was being cancelled runs nothing',
    withRace(server, async ({ hand, store, both }) => {
      await hand.work()
      await hand.create('a', jobSpec({ schedule: null }))
      const { first, second } = await both(
        async (slow) => await slow.enqueueExecutions([newExecution('e1', 'a')]),
        async (_, fast) => await fast.change('a', { kind: 'cancel' }, at(1)),
      )
      expect(value(first)).toEqual([{ id: 'e1', created: true }])
      expect(value(second).state).toBe('cancelled')
      expect(await hand.claim(at(2))).toEqual([])
      expect(await store.findExecution('e1')).toMatchObject({
        state: 'cancelled',
        cancelReason: 'job_cancelled',
      })
    }),
  )

  test(
    'a start and a cancel of the job: whichever is first, nothing runs unasked',
    withRace(server, async ({ hand, store, both }) => {
      await hand.work()
      await hand.create('a', jobSpec({ schedule: null }))
      await store.enqueueExecutions([newExecution('e1', 'a')])
      const claim = await hand.claimOne(at(0), { start: 0 })
      const { first, second } = await both(
        async (_, slow) => await slow.change('a', { kind: 'cancel' }, at(1)),
        async (fast) => await fast.startAttempts([claim], at(1)),
      )
      value(first)
      expect(value(second)).toEqual(['e1'])
      expect(await hand.execution('e1')).toMatchObject({ state: 'cancelled', attempt: 0 })
    }),
  )
}

function describeTicks(server: () => ServerUnderTest): void {
  test(
    'two accounts of one tick: the second finds it settled',
    withRace(server, async ({ hand, both }) => {
      const led = await hand.lead()
      await hand.create('a')
      const { first, second } = await both(
        async (_, slow) => await slow.account(led, at(10)),
        async (_, fast) => await fast.account(led, at(10)),
      )
      expect(value(first).accounted).toHaveLength(1)
      expect(value(second).accounted).toHaveLength(0)
      expect(await hand.ledger('a')).toEqual(['10 fired'])
    }),
  )

  test(
    'a leader that was replaced meanwhile accounts for nothing',
    withRace(server, async ({ hand, store, both }) => {
      const old = await hand.lead('n1')
      await hand.create('a')
      const { first, second } = await both(
        async (slow) => await slow.electLeader({ nodeId: 'n2', now: at(0) + 2_000 * day, leaseMs: day }),
        async (_, fast) => await fast.account(old, at(10)),
      )
      expect(value(first)).toMatchObject({ leaderInstance: 'n2' })
      expect(value(second).led).toBe(false)
      expect(await store.listExecutions({ limit: 10 })).toEqual([])
    }),
  )

  test(
    'a takeover waits for an account that is about to commit',
    withRace(server, async ({ hand, both }) => {
      const led = await hand.lead('n1')
      await hand.create('a')
      const { first, second, waited } = await both(
        async (_, slow) => await slow.account(led, at(10)),
        async (fast) => await fast.electLeader({ nodeId: 'n2', now: at(0) + 2_000 * day, leaseMs: day }),
      )
      expect(waited).toBe(true)
      expect(value(first).led).toBe(true)
      expect(value(second)).toMatchObject({ leaderInstance: 'n2' })
    }),
  )

  test(
    'a pause that comes while the tick is accounted settles behind it',
    withRace(server, async ({ hand, both }) => {
      const led = await hand.lead()
      await hand.create('a')
      const { first, second, waited } = await both(
        async (_, slow) => await slow.account(led, at(10)),
        async (_, fast) => await fast.pause('a', at(10.5)),
      )
      expect(waited).toBe(true)
      expect(value(first).accounted).toHaveLength(1)
      expect(value(second)).toMatchObject({ state: 'paused', accountedUntil: at(10.5) + 1 })
      expect(await hand.ledger('a')).toEqual(['10 fired'])
    }),
  )

  test(
    'an account that comes while the job is paused finds it changed',
    withRace(server, async ({ hand, both }) => {
      const led = await hand.lead()
      await hand.create('a')
      const { first, second } = await both(
        async (_, slow) => await slow.pause('a', at(9)),
        async (_, fast) => await fast.account(led, at(10)),
      )
      expect(value(first).state).toBe('paused')
      expect(value(second).accounted).toEqual([])
      expect(await hand.executions('a')).toEqual([])
    }),
  )

  test(
    'a tick that is due while the run before it ends finds the lane free',
    withRace(server, async ({ hand, both }) => {
      await hand.work()
      const led = await hand.lead()
      await hand.create('a')
      await hand.account(led, at(10))
      const claim = await hand.claimOne(at(10))
      const { second } = await both(
        async (_, slow) => await slow.finish(claim, at(19)),
        async (_, fast) => await fast.account(led, at(20)),
      )
      value(second)
      expect(await hand.ledger('a')).toEqual(['10 fired', '20 fired'])
    }),
  )

  test(
    'a trigger and a tick at once: one starts, the other waits or is refused',
    withRace(server, async ({ hand, both }) => {
      const led = await hand.lead()
      await hand.create('a')
      const { first } = await both(
        async (_, slow) => await slow.trigger('a', 'm1', at(9.9)),
        async (_, fast) => await fast.account(led, at(10)),
      )
      value(first)
      expect((await hand.states('a')).toSorted()).toEqual(['manual pending', 'schedule blocked'])
    }),
  )

  test(
    'two ends of one lane release what waits once',
    withRace(server, async ({ hand, store, both }) => {
      await hand.work()
      const led = await hand.lead()
      await hand.create('a', jobSpec({ overlap: 'buffer_all', maxConcurrent: 2 }))
      for (const now of [10, 20, 30, 40]) await hand.account(led, at(now))
      const [one, two] = await hand.claim(at(40))
      if (one === undefined || two === undefined) throw new Error('two were to run')
      const { first, second } = await both(
        async (_, slow) => await slow.finish(one, at(41)),
        async (_, fast) => await fast.finish(two, at(41)),
      )
      value(first)
      value(second)
      const counts = await store.countExecutions()
      expect(counts).toEqual({ completed: 2, pending: 2 })
    }),
  )

  test(
    'the end of a fixedDelay run and a pause: the next instant is not lost',
    withRace(server, async ({ hand, both }) => {
      await hand.work()
      const led = await hand.lead()
      await hand.create('a', jobSpec({ schedule: { kind: 'fixed_delay', delayMs: 10_000 } }))
      await hand.account(led, at(10))
      const claim = await hand.claimOne(at(10))
      const { first, second } = await both(
        async (_, slow) => await slow.finish(claim, at(12)),
        async (_, fast) => await fast.pause('a', at(12)),
      )
      value(first)
      expect(value(second)).toMatchObject({ state: 'paused', openTickAt: at(22), nextDueAt: null })
      expect((await hand.resume('a', at(13))).nextDueAt).toBe(at(22))
    }),
  )

  test(
    'retention and an account at once: no tick is passed over',
    withRace(server, async ({ hand, both }) => {
      await hand.work()
      const led = await hand.lead()
      await hand.create('a', jobSpec({ overlap: 'allow', retention: { executions: 2 } }))
      for (const now of [10, 20, 30, 40, 50]) await hand.account(led, at(now))
      await hand.drain(at(50))
      const { first, second } = await both(
        async (slow) => await slow.purgeHistory({ afterJobId: null, jobs: 10, now: at(55) }),
        async (_, fast) => await fast.account(led, at(60)),
      )
      expect(value(first).executions).toBeGreaterThan(0)
      expect(value(second).accounted).toHaveLength(1)
    }),
  )
}

function describeLeases(server: () => ServerUnderTest): void {
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
      expect(await race.hand.execution('e1')).toMatchObject({ state: 'completed' })
      expect(await race.store.listAttempts('e1')).toEqual([])
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
      expect(value(second).refused).toEqual(['e1'])
      expect(await race.hand.execution('e1')).toMatchObject({ state: 'retrying' })
    }),
  )

  test(
    'a lease that is just being renewed is not taken back',
    withRace(server, async (race) => {
      const claim = await claimedOf(race)
      const { first, second } = await race.both(
        async (slow) =>
          await slow.extendLeases({ claims: [claim], leasedUntil: expired + day, now: expired - 1_000 }),
        async (_, fast) => await fast.expire(expired),
      )
      expect(value(first).lost).toEqual([])
      expect(value(second).expired).toEqual([])
      expect(await race.hand.execution('e1')).toMatchObject({ state: 'running', fence: claim.fence })
    }),
  )

  test(
    'a renewal that comes after its lease was taken back hears that it is lost',
    withRace(server, async (race) => {
      const claim = await claimedOf(race)
      const { first, second } = await race.both(
        async (_, slow) => await slow.expire(expired),
        async (fast) =>
          await fast.extendLeases({ claims: [claim], leasedUntil: expired + day, now: expired }),
      )
      expect(value(first).expired).toHaveLength(1)
      expect(value(second).lost).toEqual(['e1'])
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
      expect(await race.store.listAttempts('e1')).toHaveLength(1)
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
          await fast.completeWithin({
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

function describeKeys(server: () => ServerUnderTest): void {
  test(
    'two enqueues with one unique key: the second is the first',
    withRace(server, async ({ hand, store, both }) => {
      await hand.create('a', jobSpec({ schedule: null }))
      const unique = (id: string) => [newExecution(id, 'a', { uniqueKey: 'k' })]
      const { first, second } = await both(
        async (slow) => await slow.enqueueExecutions(unique('e1')),
        async (fast) => await fast.enqueueExecutions(unique('e2')),
      )
      expect(value(first)).toEqual([{ id: 'e1', created: true }])
      expect(value(second)).toEqual([{ id: 'e1', created: false }])
      expect(await store.listExecutions({ limit: 10 })).toHaveLength(1)
    }),
  )

  test(
    'two nodes make one job: the second hears that it exists',
    withRace(server, async ({ store, both }) => {
      const { first, second } = await both(
        async (slow) => await slow.createJob(newJob('a')),
        async (fast) => await fast.createJob({ ...newJob('a'), id: 'job-b' }),
      )
      expect(value(first).id).toBe('job-a')
      expect(second).toMatchObject({ status: 'rejected', reason: { code: 'job_exists' } })
      expect(await store.listJobs({ limit: 10 })).toHaveLength(1)
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
        async (slow) => await slow.electLeader({ nodeId: 'n1', now: t0, leaseMs: day }),
        async (fast) => await fast.electLeader({ nodeId: 'n2', now: t0, leaseMs: day }),
      )
      expect(value(first)).toMatchObject({ leaderInstance: 'n1' })
      expect(value(second)).toBeNull()
      expect(await store.listTerms({ limit: 10 })).toHaveLength(1)
    }),
  )

  test(
    'two nodes want an expired lead: one gets it',
    withRace(server, async ({ hand, store, both }) => {
      await hand.lead('n0')
      const now = at(0) + 2_000 * day
      const { first, second } = await both(
        async (slow) => await slow.electLeader({ nodeId: 'n1', now, leaseMs: day }),
        async (fast) => await fast.electLeader({ nodeId: 'n2', now, leaseMs: day }),
      )
      expect(value(first)).toMatchObject({ leaderInstance: 'n1' })
      expect(value(second)).toBeNull()
      expect(await store.listTerms({ limit: 10 })).toHaveLength(2)
    }),
  )

  test(
    'a renewal that comes after a takeover is refused',
    withRace(server, async ({ hand, both }) => {
      const led = await hand.lead('n0')
      const now = at(0) + 2_000 * day
      const { second } = await both(
        async (slow) => await slow.electLeader({ nodeId: 'n1', now, leaseMs: day }),
        async (fast) => await fast.renewTerm({ ...led, now, leaseMs: day }),
      )
      expect(value(second)).toBe(false)
    }),
  )

  test(
    'two want one lock that nobody has held before: one gets it',
    withRace(server, async ({ both }) => {
      const ask = async (store: Store, holder: string) =>
        await store.acquireLock({ name: 'l', holder, token: holder, now: t0, expiresAt: t0 + day })
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
        async (slow) => await slow.cancelExecution('m1', by(at(2))),
        async (fast) => await fast.cancelExecution('m1', by(at(3))),
      )
      expect(value(first).state).toBe('cancelled')
      expect(second).toMatchObject({ status: 'rejected', reason: { code: 'invalid_transition' } })
      expect((await store.findExecution('m1'))?.finishedAt).toBe(at(2))
    }),
  )
}
