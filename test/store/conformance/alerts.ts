/** Alerts: one unresolved for each rule and subject, whoever leads; answered by people; told once. */
import { describe, expect, test } from 'vitest'
import { verdictsOf } from '../../../src/core/alert/judge.ts'
import type { Message } from '../../../src/core/notice/message.ts'
import { by, day, idOf, jobSpec, minute, newExecution, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { onlyRule, watchOnce } from '../watch-by-hand.ts'
import { webhookSpec } from './outbox.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const failed = { state: 'failed', error: { name: 'Error', message: 'no' } } as const
const failing = { kind: 'failing', params: { runs: 2 } } as const

/** A job that has failed as often as this, in the seconds from `from` on. */
async function fail({ store, hand }: Bench, name: string, times: number, from = 1): Promise<void> {
  for (let run = 0; run < times; run += 1) {
    await store.work.enqueueExecutions([newExecution(`${name}${from}${run}`, name)])
    await hand.finish(await hand.claimOne(at(from + run)), at(from + run), failed)
  }
}

async function succeed({ store, hand }: Bench, name: string, second: number): Promise<void> {
  await store.work.enqueueExecutions([newExecution(`${name}ok${second}`, name)])
  await hand.finish(await hand.claimOne(at(second)), at(second))
}

/** A leader, and a job without a schedule that has failed twice. */
async function failingJob(bench: Bench) {
  const leader = await bench.hand.lead()
  await bench.hand.work()
  await bench.hand.create('a', jobSpec({ schedule: null }))
  await onlyRule(bench.store, failing, t0)
  await fail(bench, 'a', 2)
  return leader
}

const all = { limit: 100, now: at(100) }

export function describeAlerts(open: OpenStoreUnderTest): void {
  describe('alerts', () => {
    test(
      'a job that fails opens one, its success ends it, and a later failure opens another',
      withStore(open, async (bench) => {
        const { store } = bench
        const leader = await failingJob(bench)
        const first = await watchOnce(store, leader, at(10))
        expect(first).toMatchObject({
          led: true,
          opened: [{ name: 'a', value: 2, openedAt: at(10) }],
          resolved: [],
        })
        expect(await watchOnce(store, leader, at(25))).toMatchObject({ opened: [], resolved: [] })
        await succeed(bench, 'a', 30)
        expect(await watchOnce(store, leader, at(40))).toMatchObject({
          opened: [],
          resolved: [{ name: 'a' }],
        })
        await fail(bench, 'a', 2, 50)
        await watchOnce(store, leader, at(60))
        const listed = await store.alerts.listAlerts(all)
        expect(listed.map(({ openedAt, resolvedAt }) => [openedAt, resolvedAt])).toEqual([
          [at(60), null],
          [at(10), at(40)],
        ])
      }),
    )

    test(
      'of one rule and one subject there is one that is not resolved, by however many it is written at once',
      withStore(open, async (bench) => {
        const { store } = bench
        const leader = await failingJob(bench)
        const { found, unresolved } = await store.alerts.lookAtAlerts(at(10))
        const changes = verdictsOf(found, unresolved, at(10))
        const written = await Promise.all(
          Array.from({ length: 6 }, () => store.alerts.changeAlerts({ leader, now: at(10), changes })),
        )
        expect(written.flatMap(({ opened }) => opened)).toHaveLength(1)
        expect(await store.alerts.listAlerts(all)).toHaveLength(1)
      }),
    )

    test(
      'whoever leads no longer writes nothing, and the next leader goes on with what is open',
      withStore(open, async (bench) => {
        const { store, hand, sql } = bench
        const leader = await failingJob(bench)
        await watchOnce(store, leader, at(10))
        await sql(`UPDATE @locks SET expires_at = 0 WHERE name = 'leader'`)
        const next = await hand.lead('n2', at(20))
        await succeed(bench, 'a', 30)
        expect(await watchOnce(store, leader, at(40))).toEqual({
          led: false,
          opened: [],
          resolved: [],
          paused: [],
        })
        expect(await store.alerts.tellAlerts({ leader, now: at(40), rule: 'own', tiding: 'opened' })).toEqual(
          {
            led: false,
            count: 0,
          },
        )
        expect(await store.alerts.countAlerts(at(40))).toEqual({ open: 1, acknowledged: 0, snoozed: 0 })
        expect(await watchOnce(store, next, at(40))).toMatchObject({ led: true, resolved: [{ name: 'a' }] })
      }),
    )

    test(
      'one that must hold for a while waits unseen, opens after it, and is forgotten where it does not hold',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        const leader = await failingJob(bench)
        await onlyRule(store, { ...failing, forMs: minute }, t0)
        await hand.create('b', jobSpec({ schedule: null }))
        await fail(bench, 'b', 2, 5)
        await watchOnce(store, leader, at(10))
        expect(await store.alerts.listAlerts(all)).toEqual([])
        await succeed(bench, 'b', 30)
        await watchOnce(store, leader, at(69))
        expect(await store.alerts.listAlerts(all)).toEqual([])
        await watchOnce(store, leader, at(70))
        expect(await store.alerts.listAlerts(all)).toMatchObject([
          { name: 'a', sinceAt: at(10), openedAt: at(70) },
        ])
      }),
    )

    test(
      'a rule that is switched off ends what it has opened',
      withStore(open, async (bench) => {
        const { store } = bench
        const leader = await failingJob(bench)
        await watchOnce(store, leader, at(10))
        await onlyRule(store, { ...failing, enabled: false }, at(20))
        expect(await watchOnce(store, leader, at(30))).toMatchObject({ resolved: [{ name: 'a' }] })
      }),
    )

    test(
      'are told once, all that a rule has; what was over before it was told is told as one',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        const leader = await failingJob(bench)
        await hand.create('b', jobSpec({ schedule: null }))
        await fail(bench, 'b', 2, 5)
        await watchOnce(store, leader, at(10))
        await succeed(bench, 'b', 12)
        await watchOnce(store, leader, at(15))
        const { untold } = await store.alerts.lookAtAlerts(at(20))
        expect(untold).toEqual([{ rule: 'own', tiding: 'opened', oldestAt: at(10) }])
        const tell = () => store.alerts.tellAlerts({ leader, now: at(20), rule: 'own', tiding: 'opened' })
        expect(await tell()).toEqual({ led: true, count: 2 })
        expect(await tell()).toEqual({ led: true, count: 0 })
        expect((await store.alerts.lookAtAlerts(at(20))).untold).toEqual([])
        await succeed(bench, 'a', 30)
        await watchOnce(store, leader, at(40))
        expect((await store.alerts.lookAtAlerts(at(40))).untold).toEqual([
          { rule: 'own', tiding: 'resolved', oldestAt: at(40) },
        ])
      }),
    )

    test(
      'of one rule are one message to whoever listens, written with what marks them as told',
      withStore(open, async (bench) => {
        const { store, hand, sql } = bench
        const leader = await failingJob(bench)
        await hand.create('b', jobSpec({ schedule: null }))
        await fail(bench, 'b', 2, 5)
        await hand.create('@webhook/pager', webhookSpec(['alert.*']))
        await watchOnce(store, leader, at(10))
        const tell = { leader, now: at(20), rule: 'own', tiding: 'opened' } as const
        const stale = await store.alerts.tellAlerts({
          ...tell,
          leader: { ...leader, termId: leader.termId + 1 },
        })
        expect([stale, await sql('SELECT seq FROM @notices')]).toEqual([{ led: false, count: 0 }, []])
        for (let again = 0; again < 2; again += 1) await store.alerts.tellAlerts(tell)
        const notices = await sql('SELECT type, subject, job_id, body FROM @notices')
        expect(notices).toMatchObject([{ type: 'alert.opened', subject: 'own', job_id: null }])
        expect(JSON.parse(String(notices[0]?.body))).toMatchObject({
          rule: 'own',
          count: 2,
          sentence: 'a failed 2 times in a row. b failed 2 times in a row.',
          alerts: [{ name: 'a', state: 'open' }, { name: 'b' }],
        })
      }),
    )

    test(
      'of several jobs are told to a webhook that asks for some of them: each hears of its own, and of no other',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        const leader = await failingJob(bench)
        await hand.create('b', jobSpec({ schedule: null, tags: ['billing'] }))
        await hand.create('c', jobSpec({ schedule: null, tags: ['billing'] }))
        await fail(bench, 'b', 2, 5)
        await fail(bench, 'c', 2, 8)
        await hand.create('@webhook/all', webhookSpec(['alert.*']))
        await hand.create('@webhook/billing', webhookSpec(['alert.*'], { tags: ['billing'] }))
        await hand.create('@webhook/one', webhookSpec(['alert.opened'], { jobs: ['a'] }))
        await hand.create('@webhook/deaf', webhookSpec(['alert.*'], { jobs: ['d*'] }))
        await hand.create('@webhook/runs', webhookSpec(['execution.failed'], { jobs: ['a'] }))
        await watchOnce(store, leader, at(12))
        for (let again = 0; again < 2; again += 1) {
          await store.alerts.tellAlerts({ leader, now: at(22), rule: 'own', tiding: 'opened' })
          await store.notices.passNotices({ leader, limit: 100, now: at(23) })
        }
        const told = async (webhook: string) =>
          (await hand.executions(`@webhook/${webhook}`)).map(({ input }) => input as Message)
        const [all, ...more] = await told('all')
        expect([all?.data['count'], more]).toEqual([3, []])
        const [billing, ...again] = await told('billing')
        expect(again).toEqual([])
        expect(billing?.type).toBe('alert.opened')
        expect(billing?.data).toMatchObject({
          count: 2,
          sentence: 'b failed 2 times in a row. c failed 2 times in a row.',
          alerts: [{ name: 'b' }, { name: 'c' }],
        })
        expect(Object.keys(billing?.data ?? {}).sort()).toEqual(Object.keys(all?.data ?? {}).sort())
        // About one job alone, as if it were the only one.
        expect((await told('one')).map(({ data }) => data)).toMatchObject([
          { count: 1, job: 'a', sentence: 'a failed 2 times in a row.' },
        ])
        expect([await told('deaf'), await told('runs')]).toEqual([[], []])
      }),
    )

    test(
      'are repeated as their rule says, but not to somebody who has acknowledged or snoozed them',
      withStore(open, async (bench) => {
        const { store } = bench
        const leader = await failingJob(bench)
        await onlyRule(store, { ...failing, repeatMs: minute }, t0)
        await watchOnce(store, leader, at(10))
        const tell = (now: number, tiding: 'opened' | 'repeated') =>
          store.alerts.tellAlerts({ leader, now, rule: 'own', tiding })
        await tell(at(20), 'opened')
        const untold = async (now: number) => {
          await watchOnce(store, leader, now)
          return (await store.alerts.lookAtAlerts(now)).untold.map(({ tiding }) => tiding)
        }
        expect(await untold(at(79))).toEqual([])
        expect(await untold(at(80))).toEqual(['repeated'])
        await tell(at(80), 'repeated')
        const [alert] = await store.alerts.listAlerts(all)
        const id = alert?.id ?? ''
        await store.alerts.answerAlert(id, { kind: 'ack', note: null }, by(at(90)))
        expect(await untold(at(300))).toEqual([])
        await store.alerts.answerAlert(id, { kind: 'snooze', until: at(400), note: null }, by(at(310)))
        expect(await untold(at(399))).toEqual([])
        expect(await untold(at(400))).toEqual(['repeated'])
      }),
    )

    test(
      'say who has answered them, and the audit log does',
      withStore(open, async (bench) => {
        const { store } = bench
        const leader = await failingJob(bench)
        await watchOnce(store, leader, at(10))
        const [alert] = await store.alerts.listAlerts(all)
        const id = alert?.id ?? ''
        expect(await store.alerts.findAlert(id)).toEqual(alert)
        await store.alerts.answerAlert(id, { kind: 'ack', note: 'on it' }, { ...by(at(20)), origin: 'here' })
        const states = async (...wanted: ('open' | 'acknowledged' | 'snoozed' | 'resolved')[]) =>
          (await store.alerts.listAlerts({ ...all, states: wanted })).length
        expect([
          await states('open'),
          await states('acknowledged'),
          await states('open', 'acknowledged'),
        ]).toEqual([0, 1, 1])
        await store.alerts.answerAlert(id, { kind: 'snooze', until: at(200), note: null }, by(at(30), 'bob'))
        expect(await store.alerts.findAlert(id)).toMatchObject({
          acknowledgedAt: null,
          acknowledgedBy: null,
          snoozedUntil: at(200),
          snoozedBy: 'bob',
          note: 'on it',
        })
        expect(await store.alerts.countAlerts(at(100))).toEqual({ open: 0, acknowledged: 0, snoozed: 1 })
        expect(await store.alerts.countAlerts(at(200))).toEqual({ open: 1, acknowledged: 0, snoozed: 0 })
        const entries = await store.audit.listAuditLog({ subject: 'a', from: at(20), limit: 10 })
        expect(entries.map((entry) => [entry.action, entry.actor, entry.at, entry.origin])).toEqual([
          ['alert.snooze', 'bob', at(30), null],
          ['alert.ack', 'ann', at(20), 'here'],
        ])
        await succeed(bench, 'a', 40)
        await watchOnce(store, leader, at(50))
        const over = await store.alerts.answerAlert(id, { kind: 'ack', note: null }, by(at(60)))
        expect(over).toMatchObject({ resolvedAt: at(50), acknowledgedAt: null })
        expect(
          await store.alerts.answerAlert(idOf('none'), { kind: 'ack', note: null }, by(at(60))),
        ).toBeNull()
      }),
    )

    test(
      'go a while after they are over, those that are told',
      withStore(open, async (bench) => {
        const { store } = bench
        const leader = await failingJob(bench)
        await watchOnce(store, leader, at(10))
        await store.alerts.tellAlerts({ leader, now: at(20), rule: 'own', tiding: 'opened' })
        expect(await store.alerts.purgeAlerts(at(20) + day)).toBe(0)
        await succeed(bench, 'a', 30)
        await watchOnce(store, leader, at(40))
        expect(await store.alerts.purgeAlerts(at(40) + day)).toBe(0)
        await store.alerts.tellAlerts({ leader, now: at(50), rule: 'own', tiding: 'resolved' })
        expect(await store.alerts.purgeAlerts(at(40))).toBe(0)
        expect(await store.alerts.purgeAlerts(at(40) + 1)).toBe(1)
        expect(await store.alerts.listAlerts(all)).toEqual([])
      }),
    )

    test(
      'a rule is written, changed and removed by somebody, and the audit log says what it was',
      withStore(open, async ({ store }) => {
        await onlyRule(store, failing, at(1))
        await store.alerts.putAlertRule(
          {
            ...failing,
            name: 'own',
            enabled: true,
            severity: 'critical',
            jobs: null,
            forMs: 0,
            repeatMs: null,
            quiet: null,
            action: null,
          },
          by(at(2), 'bob'),
        )
        expect(await store.alerts.listAlertRules()).toMatchObject([
          { rule: { name: 'own', severity: 'critical' }, changedAt: at(2), changedBy: 'bob' },
        ])
        expect(await store.alerts.deleteAlertRule('own', by(at(3)))).toBe(true)
        expect(await store.alerts.deleteAlertRule('own', by(at(3)))).toBe(false)
        const entries = await store.audit.listAuditLog({ subject: 'own', limit: 10 })
        expect(entries).toMatchObject([
          { action: 'alert_rule.delete', before: { severity: 'critical' }, after: null },
          {
            action: 'alert_rule.put',
            actor: 'bob',
            before: { severity: 'warning' },
            after: { severity: 'critical' },
          },
          { action: 'alert_rule.put', before: null },
        ])
      }),
    )
  })
}
