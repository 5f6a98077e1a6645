/** The leader's verb: what becomes of due ticks, and who may say so. */
import { describe, expect, test } from 'vitest'
import { by, day, every, idOf, jobSpec, minute, newJob, second, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

export function describeAccounting(open: OpenStoreUnderTest): void {
  describe('accounting', () => {
    test(
      'a due tick becomes one execution, and the cursor stands behind it',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        await hand.create('a')
        const result = await hand.account(led, at(10))
        expect(result).toMatchObject({ led: true, done: 1, stale: 0, nextDueAt: at(20), readyAt: at(10) })
        expect(result.accounted).toEqual([
          {
            jobId: idOf('job-a'),
            jobName: 'a',
            executions: 1,
            ranges: 0,
            ticks: 1,
            accounts: [{ account: 'fired', reason: null, ticks: 1 }],
          },
        ])
        const [execution] = await hand.executions('a')
        expect(execution).toMatchObject({
          cause: 'schedule',
          tickAt: at(10),
          scheduledFor: at(10),
          account: 'fired',
          state: 'pending',
          idempotencyKey: `${idOf('job-a')}:2027-01-04T00:00:10.000Z`,
        })
        expect(await hand.job('a')).toMatchObject({ accountedUntil: at(10) + 1, nextDueAt: at(20), runs: 1 })
      }),
    )

    test(
      'the creation itself is no tick',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        await hand.create('a')
        expect((await hand.account(led, t0)).accounted).toEqual([])
        expect(await hand.executions('a')).toEqual([])
      }),
    )

    test(
      'accounting again changes nothing',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        await hand.create('a')
        await hand.account(led, at(10))
        await hand.account(led, at(10))
        await hand.account(led, at(12))
        expect(await hand.ledger('a')).toEqual(['10 fired'])
      }),
    )

    test(
      "another leader's fence refuses, and nothing is written",
      withStore(open, async ({ hand, store }) => {
        const old = await hand.lead('n1')
        await hand.create('a')
        await store.cluster.endTerm(old.termId, 'n1', t0)
        const led = await hand.lead('n2')
        for (const stale of [old, { ...led, holder: 'n1' }, { ...led, termId: old.termId }]) {
          expect(await hand.account(stale, at(10))).toMatchObject({ led: false, done: 0, accounted: [] })
        }
        expect(await hand.ledger('a')).toEqual([])
        expect(await hand.account(led, at(10))).toMatchObject({ led: true, done: 1 })
      }),
    )

    test(
      'a job read before an operator paused it is refused by its version',
      withStore(open, async ({ hand, store }) => {
        const led = await hand.lead()
        await hand.create('a')
        const { jobs } = await store.ticks.findDueJobs(at(10), 10)
        await hand.pause('a', at(9))
        expect(await hand.account(led, at(10), { jobs })).toMatchObject({ led: true, done: 1, stale: 1 })
        expect(await hand.ledger('a')).toEqual([])
      }),
    )

    test(
      'a batch ends between jobs, by executions or by time, and the rest comes next',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        const spec = jobSpec({ catchUp: { policy: 'all', maxMissedRuns: 5 } })
        for (const name of ['a', 'b', 'c']) await hand.create(name, spec)
        expect(await hand.account(led, at(1_000), { maxExecutions: 7 })).toMatchObject({ done: 2 })
        expect(await hand.account(led, at(1_000), { outOfTime: () => true })).toMatchObject({ done: 1 })
        expect(await hand.account(led, at(1_000))).toMatchObject({ done: 0, accounted: [] })
        for (const name of ['a', 'b', 'c']) expect(await hand.executions(name)).toHaveLength(6)
      }),
    )

    test(
      'the size of a batch decides nothing: 2,500 missed ticks make 1 run or 100',
      withStore(open, async ({ hand, store }) => {
        const led = await hand.lead()
        await hand.create('latest', jobSpec({ schedule: every(second) }))
        await hand.create('all', jobSpec({ schedule: every(second), catchUp: { policy: 'all' } }))
        const now = at(2_500) + 999
        while ((await hand.account(led, now, { maxExecutions: 1 })).done > 0);
        expect(await hand.executions('latest')).toHaveLength(1)
        expect(await hand.ledger('latest')).toContain('1-2499 coalesced latest x2499')
        expect((await hand.executions('all')).filter(({ cause }) => cause === 'catch_up')).toHaveLength(100)
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 5_000, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'a month of missed seconds is a handful of rows',
      withStore(open, async ({ hand, store }) => {
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: every(second), catchUp: { policy: 'none' } }))
        await hand.account(led, t0 + 30 * day)
        // The month of the calendar ends a row: 27 days and 23:59:59 of January, then 2 days of February.
        expect(await hand.ledger('a')).toEqual([
          '1-2419199 skipped catchup_off x2419199',
          '2419200-2591999 skipped catchup_off x172800',
          '2592000 fired',
        ])
        expect(await store.ticks.auditLedger({})).toMatchObject({
          ticks: 2_592_000,
          executions: 1,
          ranges: 2,
        })
      }),
    )

    test(
      'catch-ups are spread over time, over all jobs of a batch',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        const spec = jobSpec({ overlap: 'allow', catchUp: { policy: 'all', maxMissedRuns: 2, graceMs: 0 } })
        await hand.create('a', spec)
        await hand.create('b', spec)
        const now = at(101)
        const result = await hand.account(led, now, { catchUpFrom: now + second, catchUpEveryMs: 100 })
        expect(result.catchUps).toBe(4)
        const ready = [...(await hand.executions('a')), ...(await hand.executions('b'))]
        expect(ready.map(({ readyAt }) => readyAt - now)).toEqual([1_000, 1_100, 1_200, 1_300])
        expect(ready.map((one) => `${one.caughtUpIndex} of ${one.caughtUpOf}`)).toEqual([
          '1 of 2',
          '2 of 2',
          '1 of 2',
          '2 of 2',
        ])
      }),
    )

    test(
      'a term counts what it repaired, and is done once no active job is behind it',
      withStore(open, async ({ hand, store }) => {
        const first = await hand.lead('n1')
        await hand.create('a', jobSpec({ catchUp: { policy: 'all', maxMissedRuns: 2 } }))
        await hand.create('b', jobSpec({ catchUp: { policy: 'none' } }))
        await hand.create('c')
        await hand.create('paused')
        await hand.pause('paused', at(1))
        await store.cluster.endTerm(first.termId, 'n1', at(5))
        const led = await hand.lead('n2', at(95))
        expect(await store.cluster.markMissedHandled(led.termId, at(95))).toBe(false)
        await hand.account(led, at(96))
        expect(await store.cluster.markMissedHandled(led.termId, at(96))).toBe(true)
        const [term] = await store.cluster.listTerms({ limit: 1 })
        // a: 2 run and 7 are over the limit; b: 9 are skipped; c: 1 runs for 9. None of the 27 is counted twice.
        expect(term).toMatchObject({
          id: led.termId,
          handledMissedTasks: true,
          repair: { found: 27, caughtUp: 3, coalesced: 8, skipped: 16 },
        })
      }),
    )

    test(
      'five leader flaps during one long run leave no more catch-ups than the limit',
      withStore(open, async ({ hand }) => {
        await hand.work()
        let led = await hand.lead('n0')
        await hand.create('a', jobSpec({ catchUp: { policy: 'all', maxMissedRuns: 3, graceMs: 0 } }))
        await hand.account(led, at(10))
        await hand.claimOne(at(10))
        for (let flap = 1; flap <= 5; flap += 1) {
          led = await hand.lead(`n${flap}`, t0 + flap * 2_000 * day)
          await hand.account(led, t0 + flap * 2_000 * day + 5)
        }
        const caughtUp = (await hand.executions('a')).filter(({ cause }) => cause === 'catch_up')
        expect(caughtUp.filter(({ state }) => state === 'blocked')).toHaveLength(3)
        const others = caughtUp.filter(({ state }) => state !== 'blocked')
        expect(others).toHaveLength(12)
        for (const one of others) {
          expect(one).toMatchObject({ state: 'cancelled', cancelReason: 'superseded' })
        }
      }),
    )

    test(
      'a catch-up that a worker has in reserve counts as not started: it is asked to stop, and does not begin',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        const catchUp = { policy: 'latest', graceMs: 0 } as const
        await hand.create('a', jobSpec({ overlap: 'allow', catchUp }))
        await hand.account(led, at(25))
        const [reserved] = await hand.claim(at(25), { start: 0, limit: 1 })
        if (reserved === undefined) throw new Error('nothing was claimed')
        await hand.account(led, at(55))
        expect(await store.work.startAttempts([reserved], at(56))).toEqual([reserved.id])
        const [first, second] = await hand.executions('a')
        expect(first).toMatchObject({ state: 'cancelled', cancelReason: 'superseded', attempt: 0 })
        expect(second).toMatchObject({ cause: 'catch_up', state: 'pending' })
      }),
    )

    test.each([
      ['sleeps', ['s']],
      ['was put off', undefined],
    ] as const)(
      'a catch-up that has begun, and %s, is not superseded, though its attempt was given back',
      async (_, names) =>
        await withStore(open, async ({ hand, store }) => {
          await hand.work()
          const led = await hand.lead()
          await hand.create('a', jobSpec({ catchUp: { policy: 'latest', maxMissedRuns: 1, graceMs: 0 } }))
          await hand.account(led, at(25))
          const claim = await hand.claimOne(at(25))
          if (names !== undefined) {
            const step = { ...claim, name: 's', kind: 'sleep', tries: 1, decided: null } as const
            await store.steps.recordSteps([{ ...step, begunAt: at(25), endsAt: at(500) }])
          }
          const rest = names === undefined ? {} : { rest: { state: 'sleeping', names } as const }
          const waits = { readyAt: at(500), error: null, countsAttempt: false, ...rest }
          await hand.finish(claim, at(26), { state: 'blocked', ...waits })
          expect(await hand.executions('a')).toMatchObject([{ state: 'blocked', attempt: 0 }])
          await hand.account(led, at(105))
          expect(await hand.states('a')).toEqual(['catch_up blocked', 'catch_up pending'])
          expect(await store.jobs.readHealth([claim.jobId], at(106))).toMatchObject([
            { unstartedSince: at(105) },
          ])
        })(),
    )

    test(
      'an `at` runs once and leaves its job completed; a missed and skipped one too',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        await hand.create('once', jobSpec({ schedule: { kind: 'at', at: at(10) } }))
        await hand.create('late', jobSpec({ schedule: { kind: 'at', at: at(-60) } }))
        const missed = jobSpec({ schedule: { kind: 'at', at: at(1) }, catchUp: { policy: 'none' } })
        await hand.create('missed', missed)
        await hand.account(led, at(12))
        expect(await hand.ledger('once')).toEqual(['10 fired'])
        expect(await hand.ledger('late')).toEqual(['-60 caught_up'])
        expect(await hand.ledger('missed')).toEqual(['1 skipped catchup_off x1'])
        for (const name of ['once', 'late', 'missed']) {
          expect(await hand.job(name)).toMatchObject({ state: 'completed', nextDueAt: null })
        }
      }),
    )

    test(
      'maxRuns ends the schedule with its last run, also where an edit lowers it below what has run',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        const spec = jobSpec({ overlap: 'allow', maxRuns: 2, catchUp: { policy: 'all' } })
        await hand.create('a', spec)
        await hand.account(led, at(61))
        expect(await hand.ledger('a')).toEqual(['10 caught_up', '20 caught_up'])
        expect(await hand.job('a')).toMatchObject({ state: 'completed', accountedUntil: at(20) + 1 })

        await hand.create('b', { ...spec, maxRuns: 5 })
        await hand.account(led, at(31))
        await hand.change('b', { kind: 'edit', spec: { ...spec, maxRuns: 1 } }, at(32))
        await hand.account(led, at(100))
        expect(await hand.executions('b')).toHaveLength(3)
        expect((await hand.job('b')).state).toBe('completed')
      }),
    )

    test(
      'a stored spec that no longer evaluates stops its job, not the scheduler',
      withStore(open, async ({ hand, store, sql }) => {
        const led = await hand.lead()
        const spec = jobSpec({ schedule: { kind: 'cron', cron: '* * * * *', timezone: 'Europe/Madrid' } })
        await store.jobs.createJob(newJob('gone', spec))
        await hand.create('a')
        const nowhere = JSON.stringify(spec).replace('Europe/Madrid', 'Europe/Nowhere')
        await sql('UPDATE @jobs SET spec = ? WHERE name = ?', nowhere, 'gone')
        await hand.account(led, t0 + minute)
        expect(await hand.job('gone')).toMatchObject({ state: 'error', nextDueAt: null })
        expect((await hand.executions('a')).length).toBe(1)
        const [entry] = await store.audit.listAuditLog({ subject: 'gone', limit: 1 })
        expect(entry).toMatchObject({ actor: 'evertick', action: 'job.error' })
        await hand.pause('gone', t0 + 2 * minute)
        await store.jobs.changeJob('gone', { kind: 'delete' }, by(t0 + 3 * minute))
        expect(await store.jobs.findJob('gone')).toBeNull()
      }),
    )
  })
}
