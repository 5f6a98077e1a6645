/** When ticks may start: opening hours, and the calendars that jobs have them from. */
import { describe, expect, test } from 'vitest'
import type { JobSpec } from '../../../src/core/job/job.ts'
import { by, day, every, hour, idOf, jobSpec, minute, newJob, t0 } from '../builders.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

/** Of the Monday that t0 is: 8.5 is half past eight; a day later, 24 more. */
const h = (hours: number) => t0 + Math.round(hours * 60) * minute
const hourOf = (instant: number) => (instant - t0) / hour

/** Ticks on the hour. */
function office(window: Partial<JobSpec['window']> = {}, more: Parameters<typeof jobSpec>[0] = {}): JobSpec {
  return jobSpec({ schedule: every(hour), window: { open: ['08:00-18:00'], ...window }, ...more })
}

const deferred = (more: Parameters<typeof jobSpec>[0] = {}) => office({ onClosed: 'defer' }, more)

export function describeWindows(open: OpenStoreUnderTest): void {
  describe('opening hours', () => {
    test(
      'skip: closed ticks are one row, written with the next that is open',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', office(), h(16.5))
        await hand.account(led, h(17))
        expect(hourOf((await hand.job('a')).nextDueAt ?? 0)).toBe(32)
        expect((await hand.account(led, h(20))).accounted).toEqual([])
        await hand.drain(h(17))
        await hand.account(led, h(32))
        expect(await hand.ledger('a')).toEqual([
          '61200 fired',
          '64800-111600 skipped closed x14',
          '115200 fired',
        ])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'defer: the cursor stands at the first closed tick until the opening',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', deferred({ catchUp: { policy: 'all', maxMissedRuns: 2 } }), h(17.5))
        await hand.account(led, h(21))
        expect(await hand.job('a')).toMatchObject({ accountedUntil: h(17.5) + 1, nextDueAt: h(32) })
        await hand.account(led, h(32))
        expect(await hand.ledger('a')).toEqual([
          '64800-104400 skipped over_limit x12',
          '108000 caught_up',
          '111600 caught_up',
          '115200 fired',
        ])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'what could not start before the closing is cancelled, or put off until the opening',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('skips', office(), h(16.5))
        await hand.create('defers', deferred(), h(16.5))
        await hand.account(led, h(17))
        expect(await hand.claim(h(18))).toEqual([])
        await hand.expire(h(18))
        expect(await hand.executions('skips')).toMatchObject([{ state: 'cancelled', cancelReason: 'closed' }])
        expect(await hand.executions('defers')).toMatchObject([{ state: 'blocked', readyAt: h(32) }])
        // Nobody's turn, so it is in nobody's way.
        const trigger = await hand.trigger('defers', 'now', h(20))
        expect(trigger.state).toBe('pending')
        expect((await hand.drain(h(20))).map(({ id }) => id)).toEqual([idOf('now')])
        await hand.releaseAny(h(31.9))
        expect(await hand.claim(h(31.9))).toEqual([])
        await hand.releaseAny(h(32))
        expect((await hand.drain(h(32))).map(({ scheduledFor }) => hourOf(scheduledFor))).toEqual([17])
      }),
    )

    test(
      'under allow it waits as pending, and the start deadline counts from the opening',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        const spec = { overlap: 'allow', startDeadlineMs: 2 * hour } as const
        await hand.create('a', deferred(spec), h(16.5))
        await hand.account(led, h(17))
        await hand.expire(h(18.5))
        const [put] = await hand.executions('a')
        expect(put).toMatchObject({ state: 'pending', readyAt: h(32), startBy: h(34) })
        await hand.expire(h(34.1))
        expect(await hand.executions('a')).toMatchObject([
          { state: 'cancelled', cancelReason: 'start_deadline' },
        ])
      }),
    )

    test(
      'a crash is retried in open time',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', office(), h(16.5))
        await hand.account(led, h(17))
        const claim = await hand.claimOne(h(17) + 59 * minute + 55_000)
        await hand.expire(h(18.1))
        expect(await hand.execution(claim.id)).toMatchObject({ state: 'blocked', readyAt: h(32) })
        await hand.releaseAny(h(20))
        expect(await hand.claim(h(20))).toEqual([])
        await hand.releaseAny(h(32))
        expect(await hand.claimOne(h(32))).toMatchObject({ id: claim.id, attempt: 2 })
      }),
    )

    test(
      'a chain goes on when it opens, however often it was cut by a closing',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', deferred({ catchUp: { policy: 'all' } }), h(14.5))
        await hand.account(led, h(17.5))
        const first = await hand.claimOne(h(17.5))
        // Each is freed just after a closing.
        await hand.finish(first, h(18.01))
        expect(await hand.claim(h(18.02))).toEqual([])
        await hand.expire(h(18.1))
        expect(await hand.states('a')).toEqual(['catch_up completed', 'catch_up blocked', 'catch_up blocked'])
        await hand.account(led, h(32))
        const done = [...(await hand.drain(h(32))), ...(await hand.drain(h(32)))]
        expect(done.map(({ scheduledFor }) => hourOf(scheduledFor)).sort((a, b) => a - b)).toContain(16)
      }),
    )

    test(
      'an edit in closed time neither loses what waits for the opening nor runs it at once',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.lead()
        await hand.create('a', deferred(), h(18.5))
        await hand.change('a', { kind: 'edit', spec: deferred({ priority: 1 }) }, h(20))
        expect(await hand.ledger('a')).toEqual(['68400 coalesced latest x1', '72000 caught_up'])
        expect(await hand.executions('a')).toMatchObject([{ state: 'blocked', readyAt: h(32) }])
        // Longer hours: it may start now. Shorter ones: when those open.
        await hand.change(
          'a',
          { kind: 'edit', spec: deferred({ window: { open: ['08:00-22:00'], onClosed: 'defer' } }) },
          h(20.5),
        )
        expect(await hand.executions('a')).toMatchObject([
          { state: 'pending', readyAt: h(20.5), startBy: h(22) - 1 },
        ])
        await hand.change(
          'a',
          { kind: 'edit', spec: deferred({ window: { open: ['10:00-12:00'], onClosed: 'defer' } }) },
          h(20.6),
        )
        await hand.expire(h(20.7))
        expect(await hand.claim(h(20.7))).toEqual([])
        expect(await hand.executions('a')).toMatchObject([{ readyAt: h(34), startBy: h(36) - 1 }])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'a change of hours settles no ticks of a paused job, and a pause in closed time settles what was put off',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', deferred(), h(18.5))
        await hand.pause('a', h(20))
        expect(await hand.ledger('a')).toEqual(['68400 coalesced latest x1', '72000 caught_up'])
        const { accountedUntil } = await hand.job('a')
        await hand.change('a', { kind: 'edit', spec: office() }, h(22.5))
        expect((await hand.job('a')).accountedUntil).toBe(accountedUntil)
        await hand.resume('a', h(33))
        expect((await hand.ledger('a')).at(-1)).toBe('75600-118800 skipped paused x13')
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'without an opening ahead, ticks are skipped and what waits is cancelled',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', deferred(), h(16.5))
        await hand.account(led, h(17))
        const over = deferred({ window: { open: ['2027-01-03'], onClosed: 'defer' } })
        await hand.change('a', { kind: 'edit', spec: over }, h(17.1))
        await hand.expire(h(17.2))
        expect(await hand.executions('a')).toMatchObject([{ state: 'cancelled', cancelReason: 'closed' }])
        await hand.account(led, h(19))
        expect((await hand.ledger('a')).at(-1)).toBe('64800-68400 skipped closed x2')
      }),
    )

    test(
      'a fixedDelay that would be due in closed time is due at the opening',
      withStore(open, async ({ hand }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', office({}, { schedule: { kind: 'fixed_delay', delayMs: hour } }), h(16))
        await hand.account(led, h(17))
        await hand.finish(await hand.claimOne(h(17)), h(17.5))
        expect(await hand.job('a')).toMatchObject({ openTickAt: h(32), nextDueAt: h(32) })
      }),
    )
  })

  describe('calendars', () => {
    const holidays = { timezone: null, open: [], closed: ['2027-01-06'] }

    test(
      'have versions; the same again is none; what a job has is not deleted',
      withStore(open, async ({ hand, store }) => {
        const { calendars } = store
        expect(await calendars.putCalendar('es', holidays, by(t0))).toMatchObject({ name: 'es', version: 1 })
        expect(await calendars.putCalendar('es', holidays, by(h(1)))).toMatchObject({
          version: 1,
          changedAt: t0,
        })
        await calendars.putCalendar('de', holidays, by(h(1), 'bob'))
        const more = { ...holidays, closed: ['2027-01-06', '12-25'] }
        expect(await calendars.putCalendar('es', more, by(h(2), 'bob'))).toEqual({
          name: 'es',
          version: 2,
          ...more,
          createdAt: t0,
          createdBy: 'ann',
          changedAt: h(2),
          changedBy: 'bob',
        })
        expect((await calendars.listCalendars()).map(({ name }) => name)).toEqual(['de', 'es'])
        expect(await calendars.findCalendar('fr')).toBeNull()
        await hand.create('a', office({ calendar: 'es' }))
        await hand.create('b', office({}, { input: '"calendar":{"name":"es",' }))
        expect(await calendars.listCalendarUses()).toMatchObject([{ job: 'a', calendar: 'es' }])
        expect(await calendars.deleteCalendar('es', by(h(3)))).toEqual({ deleted: false, usedBy: ['a'] })
        expect(await calendars.deleteCalendar('de', by(h(3)))).toEqual({ deleted: true, usedBy: [] })
        expect(await calendars.deleteCalendar('de', by(h(3)))).toEqual({ deleted: false, usedBy: [] })
        const log = await store.audit.listAuditLog({ limit: 10 })
        expect(log.map(({ action, subject }) => `${action} ${subject}`)).toEqual(
          expect.arrayContaining(['calendar.put es', 'calendar.put de', 'calendar.delete de']),
        )
      }),
    )

    test(
      'a job keeps its own copy; a new version moves it as a revision, and once',
      withStore(open, async ({ hand, store }) => {
        const { calendars } = store
        await calendars.putCalendar('es', holidays, by(t0))
        await hand.create('a', office({ calendar: 'es' }))
        await hand.create('b', office({ calendar: 'es' }))
        expect((await hand.job('a')).spec.calendar).toEqual({ name: 'es', version: 1, ...holidays })
        await calendars.putCalendar('es', { ...holidays, closed: ['2027-01-07'] }, by(h(1)))
        expect((await hand.job('a')).spec.calendar?.version).toBe(1)
        expect(await calendars.moveCalendarJobs(by(h(1)))).toBe(2)
        expect(await calendars.moveCalendarJobs(by(h(2)))).toBe(0)
        const { id, spec, revision } = await hand.job('a')
        expect([spec.calendar?.version, spec.calendar?.closed, revision]).toEqual([2, ['2027-01-07'], 2])
        // What was closed then stays what it was.
        const revisions = await store.jobs.listRevisions(id)
        expect(revisions.map((one) => one.spec.calendar?.closed)).toEqual([['2027-01-06'], ['2027-01-07']])
        await hand.change('a', { kind: 'edit', spec: office() }, h(3))
        expect((await hand.job('a')).spec.calendar).toBeUndefined()
      }),
    )

    test(
      'an unknown one is refused',
      withStore(open, async ({ store }) => {
        await expect(store.jobs.createJob(newJob('a', office({ calendar: 'none' })))).rejects.toMatchObject({
          code: 'calendar_not_found',
        })
      }),
    )

    test(
      'a holiday of the calendar is closed, in its own zone',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        // In Auckland the sixth begins at 11:00 UTC on the fifth.
        await store.calendars.putCalendar('nz', { ...holidays, timezone: 'Pacific/Auckland' }, by(t0))
        await hand.create('a', jobSpec({ schedule: every(6 * hour), window: { calendar: 'nz' } }), h(24))
        await hand.account(led, t0 + 3 * day)
        expect(await hand.ledger('a')).toEqual([
          '108000 coalesced latest x1',
          '129600-194400 skipped closed x4',
          '216000-237600 coalesced latest x2',
          '259200 fired',
        ])
      }),
    )
  })
}
