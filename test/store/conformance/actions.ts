/** What operators and deploys do to a job: each action first settles what is due, and is seen at once. */
import { describe, expect, test } from 'vitest'
import type { JobChange } from '../../../src/store/store.ts'
import { by, every, idOf, jobSpec, newExecution, newJob, second, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const all = jobSpec({ overlap: 'allow', catchUp: { policy: 'all' } })

export function describeActions(open: OpenStoreUnderTest): void {
  describe('actions', () => {
    test(
      'what was due before a pause follows the catch-up policy; only later ticks are paused',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        await hand.create('a', all)
        const paused = await hand.pause('a', at(100))
        expect(paused).toMatchObject({ state: 'paused', nextDueAt: null, pause: { at: at(100), by: 'ann' } })
        expect(await hand.executions('a')).toHaveLength(10)
        await hand.account(led, at(200))
        await hand.resume('a', at(205))
        expect((await hand.ledger('a')).slice(9)).toEqual(['100 fired', '110-200 skipped paused x10'])
        expect(await hand.job('a')).toMatchObject({ state: 'active', pause: null, nextDueAt: at(210) })
      }),
    )

    test(
      'a pause with an end leaves later ticks to the catch-up policy, whoever looks first',
      withStore(open, async ({ hand, store }) => {
        const led = await hand.lead()
        for (const name of ['scan', 'action']) {
          await hand.create(name, all)
          await hand.pause(name, at(5), at(65))
        }
        expect((await hand.job('scan')).nextDueAt).toBe(at(65))
        await hand.change('action', { kind: 'disable', reason: 'orphan' }, at(305))
        await hand.account(led, at(305))
        for (const name of ['scan', 'action']) {
          const [first, ...later] = await hand.ledger(name)
          expect(first).toBe('10-60 skipped paused x6')
          expect(later).toHaveLength(24)
        }
        const [resumed] = (await store.audit.listAuditLog({ subject: 'scan', limit: 1 })) ?? []
        expect(resumed).toMatchObject({ actor: 'evertick', action: 'job.resume' })
      }),
    )

    test(
      'the missed ticks survive a deploy of a paused job that leaves its schedule alone',
      withStore(open, async ({ hand }) => {
        await hand.create('a', all)
        await hand.pause('a', at(5))
        await hand.change('a', { kind: 'edit', spec: { ...all, description: 'new' } }, at(50))
        expect(await hand.ledger('a')).toEqual([])
        await hand.resume('a', at(61), 'policy')
        expect(await hand.ledger('a')).toHaveLength(6)
      }),
    )

    test.each([
      ['skip', 'all', ['10-60 skipped paused x6']],
      ['policy', 'none', ['10-50 skipped catchup_off x5', '60 fired']],
      ['latest', 'none', ['10-50 coalesced latest x5', '60 fired']],
      ['all', 'none', ['10', '20', '30', '40', '50'].map((tick) => `${tick} caught_up`).concat('60 fired')],
    ] as const)('resume with %s where the policy is %s', async (catchUp, policy, ledger) => {
      await withStore(open, async ({ hand, store }) => {
        await hand.create('a', jobSpec({ overlap: 'allow', catchUp: { policy } }))
        await hand.pause('a', at(5))
        await hand.resume('a', at(61), catchUp)
        expect(await hand.ledger('a')).toEqual(ledger)
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      })()
    })

    test(
      'cancel ends what is unfinished, blocked ones too; what is due becomes `ended`; resume revives',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ catchUp: { policy: 'all' } }))
        await hand.account(led, at(35))
        const running = await hand.claimOne(at(35))
        const job = await hand.change('a', { kind: 'cancel' }, at(55))
        expect(job).toMatchObject({ state: 'cancelled', nextDueAt: null })
        expect((await hand.ledger('a')).at(-1)).toBe('40-50 skipped ended x2')
        expect(await hand.states('a')).toEqual([
          'catch_up cancelled',
          'catch_up cancelled',
          'schedule running',
        ])
        expect(await hand.execution(running.id)).toMatchObject({
          cancelRequestedAt: at(55),
          cancelReason: 'job_cancelled',
        })
        const error = { name: 'Error', message: 'no' }
        const retrying = { state: 'retrying', readyAt: at(56), error, countsAttempt: true } as const
        await hand.finish(running, at(56), retrying)
        expect(await hand.claim(at(1_000))).toEqual([])
        expect((await hand.execution(running.id)).state).toBe('cancelled')
        await expect(store.work.enqueueExecutions([newExecution('e1', 'a')])).rejects.toMatchObject({
          code: 'invalid_transition',
        })
        await expect(
          store.executions.retryExecution(running.id, { id: idOf('r1'), fromStep: null }, by(at(60))),
        ).rejects.toMatchObject({
          code: 'invalid_transition',
        })
        await hand.resume('a', at(75))
        expect((await hand.ledger('a')).at(-1)).toBe('40-70 skipped ended x4')
        expect(await hand.job('a')).toMatchObject({ state: 'active', nextDueAt: at(80) })
      }),
    )

    test(
      'a reservation of a cancelled job never starts, whichever way it comes back',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        for (const name of ['a', 'b', 'c']) await hand.create(name)
        await hand.account(led, at(10))
        const reserved = await hand.claim(at(10), { start: 0 })
        for (const name of ['a', 'b', 'c']) await hand.change(name, { kind: 'cancel' }, at(11))
        const claimOf = (name: string) =>
          reserved.find(({ jobName }) => jobName === name) ?? { id: '', fence: 0 }
        const lost = await store.work.startAttempts([claimOf('a')], at(12))
        expect(lost).toEqual([claimOf('a').id])
        await store.work.releaseClaims([claimOf('b')], at(12))
        await hand.expire(at(100))
        for (const name of ['a', 'b', 'c']) {
          expect(await hand.states(name)).toEqual(['schedule cancelled'])
        }
      }),
    )

    test(
      'delete is cancel and hidden; the name is free again',
      withStore(open, async ({ hand, store }) => {
        await hand.create('a')
        const gone = await hand.change('a', { kind: 'delete' }, at(15))
        expect(gone).toMatchObject({ state: 'cancelled', deletedAt: at(15) })
        expect(await store.jobs.findJob('a')).toBeNull()
        expect(await store.jobs.findJob(gone.id)).toBeNull()
        expect(await store.jobs.listJobs({ limit: 10 })).toEqual([])
        await expect(hand.pause('a', at(16))).rejects.toMatchObject({ code: 'job_not_found' })
        await store.jobs.createJob({ ...newJob('a', jobSpec(), at(20)), id: idOf('job-again') })
        await expect(store.jobs.createJob({ ...newJob('a'), id: 'third' })).rejects.toMatchObject({
          code: 'job_exists',
        })
        expect(await store.ticks.auditLedger({})).toMatchObject({ jobs: 2, ticks: 1, unaccounted: 0 })
      }),
    )

    test(
      'an edit settles under the old revision, and the new one holds from the cursor on',
      withStore(open, async ({ hand, store }) => {
        const led = await hand.lead()
        await hand.create('a', all)
        const spec = { ...all, schedule: every(15 * second), priority: 7 }
        const edited = await hand.change(
          'a',
          { kind: 'edit', spec, managedBy: 'api', managedHash: 'h' },
          at(25),
        )
        expect(edited).toMatchObject({
          revision: 2,
          revisionFrom: at(25) + 1,
          managedBy: 'api',
          managedHash: 'h',
        })
        await hand.account(led, at(45))
        expect(await hand.ledger('a')).toEqual(['10 caught_up', '20 fired', '30 caught_up', '45 fired'])
        const revisions = await store.jobs.listRevisions(edited.id)
        expect(revisions.map(({ revision, from, changedBy }) => [revision, from, changedBy])).toEqual([
          [1, t0 + 1, 'code'],
          [2, at(25) + 1, 'ann'],
        ])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 4, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'a run of skipped ticks is one row, but never over an edit of the schedule',
      withStore(open, async ({ hand, store }) => {
        await hand.create('a')
        await hand.pause('a', at(5))
        await hand.resume('a', at(25))
        await hand.pause('a', at(26))
        await hand.resume('a', at(45))
        expect(await hand.ledger('a')).toEqual(['10-40 skipped paused x4'])
        await hand.pause('a', at(46))
        await hand.change('a', { kind: 'edit', spec: jobSpec({ schedule: every(7 * second) }) }, at(55))
        await hand.resume('a', at(65))
        expect(await hand.ledger('a')).toEqual(['10-50 skipped paused x5', '56-63 skipped paused x2'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 7, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'ticks of a disabled job are `disabled`, those due before follow the catch-up policy',
      withStore(open, async ({ hand }) => {
        const led = await hand.lead()
        await hand.create('a', jobSpec({ overlap: 'allow', catchUp: { policy: 'none' } }))
        await hand.create('paused', jobSpec({ overlap: 'allow' }))
        for (const name of ['a', 'paused']) {
          await hand.change(name, { kind: 'disable', reason: 'no handler' }, at(31))
        }
        await hand.account(led, at(50))
        await hand.change('a', { kind: 'enable' }, at(55))
        expect(await hand.ledger('a')).toEqual([
          '10-20 skipped catchup_off x2',
          '30 fired',
          '40-50 skipped disabled x2',
        ])
        await hand.pause('paused', at(55))
        await hand.resume('paused', at(75))
        expect((await hand.ledger('paused')).slice(-2)).toEqual([
          '40-50 skipped disabled x2',
          '60-70 skipped paused x2',
        ])
      }),
    )

    test(
      'an illegal action is refused, names the state, and changes nothing',
      withStore(open, async ({ hand, store }) => {
        await hand.create('a')
        const before = await hand.job('a')
        const refusals: JobChange[] = [{ kind: 'resume', catchUp: 'skip' }, { kind: 'enable' }]
        for (const change of refusals) {
          await expect(hand.change('a', change, at(100))).rejects.toMatchObject({
            code: 'invalid_transition',
            message: expect.stringContaining('active') as unknown,
          })
        }
        expect(await hand.job('a')).toEqual(before)
        expect(await store.audit.listAuditLog({ limit: 10 })).toHaveLength(1)
      }),
    )

    test(
      'a second pause that brings nothing is refused; another end or reason is a change, and its cursor stands',
      withStore(open, async ({ hand }) => {
        await hand.create('a')
        await hand.change('a', { kind: 'pause', reason: 'deploy', until: at(500) }, at(5))
        const first = await hand.job('a')
        const same: JobChange[] = [{ kind: 'pause' }, { kind: 'pause', reason: 'deploy', until: at(500) }]
        for (const change of same) {
          await expect(hand.change('a', change, at(26))).rejects.toMatchObject({
            code: 'invalid_transition',
            transition: { state: 'paused', asked: 'paused' },
          })
        }
        expect(await hand.job('a')).toEqual(first)
        const longer = await hand.change('a', { kind: 'pause', until: at(900) }, at(26))
        expect(longer).toMatchObject({
          state: 'paused',
          accountedUntil: first.accountedUntil,
          pause: { at: at(5), until: at(900), reason: 'deploy' },
        })
      }),
    )

    test(
      'every action is in the audit log, with who and what',
      withStore(open, async ({ hand, store }) => {
        await hand.create('a')
        await hand.change('a', { kind: 'pause', reason: 'deploy' }, at(1))
        await hand.resume('a', at(2))
        await hand.change('a', { kind: 'edit', spec: jobSpec({ priority: 1 }) }, at(3))
        await hand.trigger('a', 'm1', at(4))
        await hand.change('a', { kind: 'cancel' }, at(5))
        const log = await store.audit.listAuditLog({ subject: 'a', limit: 10 })
        expect(log.map(({ action }) => action)).toEqual(
          ['cancel', 'trigger', 'edit', 'resume', 'pause', 'create'].map((action) => `job.${action}`),
        )
        expect(log[4]).toMatchObject({
          at: at(1),
          actor: 'ann',
          before: { state: 'active' },
          after: { state: 'paused', reason: 'deploy' },
        })
        expect(log[2]).toMatchObject({ before: { priority: 0 }, after: { priority: 1 } })
        const page = await store.audit.listAuditLog({ limit: 2, beforeId: log[1]?.id ?? 0 })
        expect(page.map(({ id }) => id)).toEqual([log[2]?.id, log[3]?.id])
      }),
    )
  })
}
