/** What each kind of rule finds, and of which jobs; and what the action of a rule does to them. */
import { describe, expect, test } from 'vitest'
import { by, day, every, hour, idOf, jobSpec, minute, newExecution, second, t0 } from '../builders.ts'
import { at, leaseMs } from '../by-hand.ts'
import { factsAt, onlyRule, watchOnce } from '../watch-by-hand.ts'
import { webhookSpec } from './outbox.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const failed = { state: 'failed', error: { name: 'Error', message: 'no' } } as const
const unscheduled = jobSpec({ schedule: null })

async function run(
  { store, hand }: Bench,
  name: string,
  second: number,
  ends: 'well' | 'badly',
): Promise<void> {
  await store.work.enqueueExecutions([newExecution(`${name}${second}`, name)])
  const claim = await hand.claimOne(at(second))
  await hand.finish(claim, at(second), ends === 'well' ? undefined : failed)
}

async function twoJobs({ hand }: Bench, spec = unscheduled) {
  const leader = await hand.lead()
  await hand.work()
  for (const name of ['a', 'b']) await hand.create(name, spec)
  return leader
}

export function describeAlertFacts(open: OpenStoreUnderTest): void {
  describe('what a rule of alerts finds', () => {
    test(
      'failing: so many failures in a row, of the jobs that it names by name, pattern or tag',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        await twoJobs(bench)
        await hand.create('mail_1', jobSpec({ schedule: null, tags: ['team-x'] }))
        for (const name of ['a', 'b', 'mail_1']) await run(bench, name, 1, 'badly')
        await run(bench, 'b', 2, 'badly')
        const found = async (jobs: { names: string[]; tags: string[] } | null, runs = 1) => {
          await onlyRule(store, { kind: 'failing', params: { runs }, jobs }, t0)
          return await factsAt(store, at(10))
        }
        expect(await found(null, 2)).toEqual([['b', 2]])
        expect(await found(null)).toEqual([
          ['a', 1],
          ['b', 2],
          ['mail_1', 1],
        ])
        expect(await found({ names: ['a', 'c'], tags: [] })).toEqual([['a', 1]])
        // Only the asterisk stands for anything.
        expect(await found({ names: ['mail_*'], tags: [] })).toEqual([['mail_1', 1]])
        expect(await found({ names: ['mai_*'], tags: [] })).toEqual([])
        expect(await found({ names: ['a'], tags: ['team-x'] })).toEqual([
          ['a', 1],
          ['mail_1', 1],
        ])
      }),
    )

    test(
      'success_rate: too small a share of enough runs',
      withStore(open, async (bench) => {
        const { store } = bench
        await twoJobs(bench)
        for (const second of [1, 2, 3]) await run(bench, 'a', second, second === 1 ? 'badly' : 'well')
        await run(bench, 'b', 4, 'badly')
        await onlyRule(store, { kind: 'success_rate', params: { below: 0.9, runs: 2, withinMs: hour } }, t0)
        expect(await factsAt(store, at(10))).toEqual([['a', 667]])
        expect(await factsAt(store, at(10) + hour)).toEqual([])
      }),
    )

    test(
      'late: what its health calls late, for so much longer',
      withStore(open, async (bench) => {
        const { store } = bench
        await twoJobs(bench, jobSpec({ schedule: every(hour), catchUp: { graceMs: 10 * second } }))
        for (const name of ['a', 'b']) await run(bench, name, 1, 'well')
        await onlyRule(store, { kind: 'late', params: { overMs: 5 * minute } }, t0)
        // Late a minute after its instant, and for five minutes more.
        expect(await factsAt(store, t0 + hour + 6 * minute)).toEqual([])
        expect(await factsAt(store, t0 + hour + 6 * minute + 1)).toEqual([
          ['a', null],
          ['b', null],
        ])
      }),
    )

    test(
      'missed: ticks that were skipped since nobody led, for a while after it',
      withStore(open, async ({ store, hand }) => {
        await hand.work()
        await hand.create('a', jobSpec({ schedule: every(minute), catchUp: { policy: 'none' } }))
        await hand.create('b', jobSpec({ schedule: every(minute), catchUp: { policy: 'latest' } }))
        const leader = await hand.lead('n1', t0 + 10 * minute)
        await hand.account(leader, t0 + 10 * minute)
        await onlyRule(store, { kind: 'missed', params: { ticks: 2, withinMs: hour } }, t0)
        const found = await factsAt(store, t0 + 11 * minute)
        expect(found.map(([name]) => name)).toEqual(['a'])
        expect(await factsAt(store, t0 + 10 * minute + hour + 1)).toEqual([])
      }),
    )

    test(
      'silent: no success, or no end at all, within its time',
      withStore(open, async (bench) => {
        const { store } = bench
        await twoJobs(bench)
        // One to whom there was nothing to tell.
        await bench.hand.create('@webhook/pager', webhookSpec(['alert.*']))
        await run(bench, 'a', 1, 'well')
        await run(bench, 'b', 1, 'badly')
        await onlyRule(store, { kind: 'silent', params: { withinMs: hour, of: 'success' } }, t0)
        expect(await factsAt(store, t0 + hour)).toEqual([])
        expect(await factsAt(store, at(1) + hour)).toEqual([['b', null]])
        expect(await factsAt(store, at(1) + hour + 1)).toEqual([
          ['a', at(1)],
          ['b', null],
        ])
        await onlyRule(store, { kind: 'silent', params: { withinMs: hour, of: 'end' } }, t0)
        expect(await factsAt(store, at(1) + hour + 1)).toEqual([
          ['a', at(1)],
          ['b', at(1)],
        ])
      }),
    )

    test(
      'silent: a success that is no longer in the history was one nonetheless',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        const retention = { executions: 1, ageMs: 0 }
        const led = await twoJobs(bench, jobSpec({ schedule: every(10 * second), retention }))
        for (const [index, ending] of [undefined, failed, failed].entries()) {
          const now = at((index + 1) * 10)
          await hand.account(led, now)
          for (const claim of await hand.claim(now))
            await hand.finish(claim, now, claim.jobName === 'a' ? ending : failed)
        }
        await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now: at(31) })
        expect(await hand.states('a')).toEqual(['schedule failed'])
        await onlyRule(store, { kind: 'silent', params: { withinMs: minute, of: 'success' } }, t0)
        expect(await factsAt(store, at(70))).toEqual([['b', null]])
        expect(await factsAt(store, at(71))).toEqual([
          ['a', at(10)],
          ['b', null],
        ])
      }),
    )

    test(
      'waiting, queue_depth and queue_age: what is ready, and is not claimed',
      withStore(open, async (bench) => {
        const { store } = bench
        await twoJobs(bench)
        await store.work.enqueueExecutions([
          newExecution('e1', 'a', { readyAt: at(1) }),
          newExecution('e2', 'a', { readyAt: at(5) }),
        ])
        await onlyRule(store, { kind: 'waiting', params: { overMs: minute } }, t0)
        expect(await factsAt(store, at(61))).toEqual([])
        expect(await factsAt(store, at(62))).toEqual([['a', at(1)]])
        await onlyRule(store, { kind: 'queue_age', params: { overMs: minute } }, t0)
        expect(await factsAt(store, at(61))).toEqual([])
        expect(await factsAt(store, at(62))).toEqual([['default', at(1)]])
        await onlyRule(store, { kind: 'queue_depth', params: { executions: 2 } }, t0)
        expect(await factsAt(store, at(62))).toEqual([])
        await onlyRule(store, { kind: 'queue_depth', params: { executions: 1 } }, t0)
        expect(await factsAt(store, at(62))).toEqual([['default', 2]])
      }),
    )

    test(
      'expired_leases: those that ran out of late',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        await twoJobs(bench)
        await store.work.enqueueExecutions([newExecution('e1', 'a')])
        await hand.claimOne(at(1))
        const later = at(1) + leaseMs + minute
        await hand.expire(later)
        await onlyRule(store, { kind: 'expired_leases', params: { leases: 1, withinMs: hour } }, t0)
        expect(await factsAt(store, later)).toEqual([['a', 1]])
        expect(await factsAt(store, later + hour + 1)).toEqual([])
      }),
    )

    test(
      'no_runner: a job whose handler no live node has',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        await twoJobs(bench)
        await hand.create('c', jobSpec({ handler: { type: 'function', name: 'gone' } }))
        await onlyRule(store, { kind: 'no_runner', params: {} }, t0)
        expect(await factsAt(store, at(1))).toEqual([['c', null]])
      }),
    )

    test(
      'leader_gap: how long nobody led, and by default only after a crash',
      withStore(open, async (bench) => {
        const { store, hand, sql } = bench
        const first = await twoJobs(bench)
        await store.cluster.endTerm(first.termId, first.holder, at(10))
        await hand.lead('n2', at(310))
        const params = { overMs: minute, withinMs: hour }
        await onlyRule(store, { kind: 'leader_gap', params: { ...params, after: 'crash' } }, t0)
        expect(await factsAt(store, at(320))).toEqual([])
        await onlyRule(store, { kind: 'leader_gap', params: { ...params, after: 'any' } }, t0)
        expect(await factsAt(store, at(320))).toEqual([['', 300_000]])
        await sql(`UPDATE @locks SET expires_at = 0 WHERE name = 'leader'`)
        await hand.lead('n3', at(910))
        await onlyRule(store, { kind: 'leader_gap', params: { ...params, after: 'crash' } }, t0)
        expect(await factsAt(store, at(920))).toEqual([['', 600_000]])
        expect(await factsAt(store, at(911) + hour)).toEqual([])
      }),
    )

    test(
      'cursor_lag: how far the job that is furthest behind is behind',
      withStore(open, async (bench) => {
        const { store } = bench
        await twoJobs(bench, jobSpec({ schedule: every(hour) }))
        await onlyRule(store, { kind: 'cursor_lag', params: { overMs: minute } }, t0)
        expect(await factsAt(store, t0 + hour + minute)).toEqual([])
        expect(await factsAt(store, t0 + hour + minute + 1)).toEqual([['', t0 + hour]])
      }),
    )
  })

  describe('the action of a rule', () => {
    const breaker = { kind: 'failing', params: { runs: 2 }, action: { pauseMs: 10 * minute } } as const

    test(
      'pauses what fails, for its time, in its own name; one more failure after that pauses it again',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        const leader = await twoJobs(bench, jobSpec({ schedule: every(day) }))
        await onlyRule(store, breaker, t0)
        for (const second of [1, 2]) await run(bench, 'a', second, 'badly')
        const first = await watchOnce(store, leader, at(10))
        expect(first.paused).toMatchObject([{ rule: 'own', job: 'a', reason: 'a failed 2 times in a row.' }])
        const pause = { at: at(10), until: at(610), by: 'alert:own', reason: 'a failed 2 times in a row.' }
        expect(await hand.job('a')).toMatchObject({ state: 'paused', pause })
        expect(await hand.job('b')).toMatchObject({ state: 'active' })
        const [entry] = await store.audit.listAuditLog({ subject: 'a', action: 'job.pause', limit: 1 })
        expect(entry).toMatchObject({ actor: 'alert:own', after: { state: 'paused', until: at(610) } })
        await hand.account(leader, at(700))
        expect(await hand.job('a')).toMatchObject({ state: 'active', pause: null })
        expect((await watchOnce(store, leader, at(710))).paused).toEqual([])
        await run(bench, 'a', 720, 'badly')
        expect((await watchOnce(store, leader, at(730))).paused).toMatchObject([{ job: 'a' }])
        expect(await hand.job('a')).toMatchObject({
          state: 'paused',
          pause: { at: at(730), until: at(1_330) },
        })
      }),
    )

    test(
      'leaves the pause of a person as it is, and a job without a schedule alone',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        const leader = await twoJobs(bench, jobSpec({ schedule: every(day) }))
        await hand.create('c', unscheduled)
        await onlyRule(store, { ...breaker, action: { pauseMs: null } }, t0)
        for (const name of ['a', 'b', 'c'])
          for (const second of [1, 2]) await run(bench, name, second, 'badly')
        await store.jobs.changeJob('b', { kind: 'pause', reason: 'mine' }, by(at(5), 'bob'))
        const looked = await watchOnce(store, leader, at(10))
        expect(looked.paused).toMatchObject([{ job: 'a' }])
        expect(looked.opened).toHaveLength(3)
        expect(await hand.job('a')).toMatchObject({ pause: { until: null } })
        expect(await hand.job('b')).toMatchObject({ pause: { by: 'bob', reason: 'mine' } })
        expect(await hand.job('c')).toMatchObject({ state: 'active' })
        expect((await watchOnce(store, leader, at(20))).paused).toEqual([])
        expect(await store.alerts.listAlerts({ jobId: idOf('job-b'), limit: 10, now: at(20) })).toHaveLength(
          1,
        )
      }),
    )
  })
}
