/** Each pair of verbs that two nodes may run at once, on a server, where nobody waits for one writer. */
import { describe, expect, test } from 'vitest'
import { by, day, idOf, jobSpec, newExecution } from '../builders.ts'
import { at } from '../by-hand.ts'
import { describeKeyRaces, describeLeaseRaces } from './lease-races.ts'
import { type ServerUnderTest, value, withRace } from './race.ts'

const ahead = { aheadMs: 2_000 }

export function describeRaces(name: string, server: () => ServerUnderTest, { skip = false } = {}): void {
  describe.skipIf(skip)(`two at once: ${name}`, () => {
    describeClaims(server)
    describeTicks(server)
    describeLeaseRaces(server)
    describeKeyRaces(server)
  })
}

function describeClaims(server: () => ServerUnderTest): void {
  test(
    'two claims take different rows, and neither waits',
    withRace(server, async ({ hand, store, both }) => {
      await hand.work()
      await hand.create('a', jobSpec({ schedule: null }))
      await store.work.enqueueExecutions(['e1', 'e2', 'e3'].map((id) => newExecution(id, 'a')))
      const { first, second, waited } = await both(
        async (_, slow) => await slow.claim(at(1), { limit: 2 }),
        async (_, fast) => await fast.claim(at(1), { limit: 2 }),
      )
      expect(waited).toBe(false)
      expect([...value(first), ...value(second)].map(({ id }) => id)).toEqual([
        idOf('e1'),
        idOf('e2'),
        idOf('e3'),
      ])
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
        async (slow) => await slow.work.enqueueExecutions([newExecution('e1', 'a')]),
        async (_, fast) => await fast.change('a', { kind: 'cancel' }, at(1)),
      )
      expect(value(first)).toEqual([{ id: idOf('e1'), created: true }])
      expect(value(second).state).toBe('cancelled')
      expect(await hand.claim(at(2))).toEqual([])
      expect(await store.executions.findExecution(idOf('e1'))).toMatchObject({
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
      await store.work.enqueueExecutions([newExecution('e1', 'a')])
      const claim = await hand.claimOne(at(0), { start: 0 })
      const { first, second } = await both(
        async (_, slow) => await slow.change('a', { kind: 'cancel' }, at(1)),
        async (fast) => await fast.work.startAttempts([claim], at(1)),
      )
      value(first)
      expect(value(second)).toEqual([idOf('e1')])
      expect(await hand.execution(idOf('e1'))).toMatchObject({ state: 'cancelled', attempt: 0 })
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
        async (slow) =>
          await slow.cluster.electLeader({ nodeId: 'n2', now: at(0) + 2_000 * day, leaseMs: day }),
        async (_, fast) => await fast.account(old, at(10)),
      )
      expect(value(first)).toMatchObject({ leaderInstance: 'n2' })
      expect(value(second).led).toBe(false)
      expect(await store.executions.listExecutions({ limit: 10 })).toEqual([])
    }),
  )

  test(
    'a takeover waits for an account that is about to commit',
    withRace(server, async ({ hand, both }) => {
      const led = await hand.lead('n1')
      await hand.create('a')
      const { first, second, waited } = await both(
        async (_, slow) => await slow.account(led, at(10)),
        async (fast) =>
          await fast.cluster.electLeader({ nodeId: 'n2', now: at(0) + 2_000 * day, leaseMs: day }),
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
      const counts = await store.executions.countExecutions()
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
      await hand.create('a', jobSpec({ overlap: 'allow', retention: { executions: 2, ageMs: 0 } }))
      for (const now of [10, 20, 30, 40, 50]) await hand.account(led, at(now))
      await hand.drain(at(50))
      const { first, second } = await both(
        async (slow) => await slow.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(55) }),
        async (_, fast) => await fast.account(led, at(60)),
      )
      expect(value(first).executions).toBeGreaterThan(0)
      expect(value(second).accounted).toHaveLength(1)
    }),
  )

  test(
    'retention and a retry of what it folds at once: the retry finds it gone',
    withRace(server, async ({ hand, both }) => {
      await hand.work()
      const led = await hand.lead()
      await hand.create('a', jobSpec({ overlap: 'allow', retention: { executions: 1, ageMs: 0 } }))
      for (const now of [10, 20]) await hand.account(led, at(now))
      await hand.drain(at(20))
      const [oldest] = await hand.executions('a')
      const { first, second } = await both(
        async (slow) => await slow.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(25) }),
        async (fast) =>
          await fast.executions.retryExecution(oldest?.id ?? '', { id: 'again', fromStep: null }, by(at(25))),
      )
      expect(value(first).executions).toBe(1)
      expect(second).toMatchObject({ reason: { code: 'execution_not_found' } })
      expect(await hand.ledger('a')).toEqual(['10 fired completed x1', '20 fired'])
    }),
  )
}
