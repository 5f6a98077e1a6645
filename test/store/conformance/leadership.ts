/** Who leads, who holds a lock, who lives. */
import { describe, expect, test } from 'vitest'
import type { ElectRequest } from '../../../src/store/store.ts'
import { idOf, jobSpec, minute, newExecution, node, second, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { migrations } from '../migrations-by-name.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const leaseMs = 10 * second

export function describeLeadership(open: OpenStoreUnderTest): void {
  describe('leadership', () => {
    test(
      'one of two nodes leads; the other waits until a second after the lease',
      withStore(open, async ({ store }) => {
        const first = await store.cluster.electLeader({ nodeId: 'n1', now: t0, leaseMs })
        expect(first).toMatchObject({ leaderInstance: 'n1', startAt: t0, handledMissedTasks: false })
        expect(await store.cluster.electLeader({ nodeId: 'n2', now: at(11) - 1, leaseMs })).toBeNull()
        expect(await store.cluster.electLeader({ nodeId: 'n1', now: at(5), leaseMs })).toBeNull()
        const next = await store.cluster.electLeader({ nodeId: 'n2', now: at(11), leaseMs })
        expect(next?.id).toBeGreaterThan(first?.id ?? 0)
        expect(await store.cluster.currentLeader()).toEqual({
          holder: 'n2',
          termId: next?.id,
          leaseMs,
          expiresAt: at(21),
          lifeline: null,
        })
      }),
    )

    test(
      'a renewal names term and holder, and fails once another leads',
      withStore(open, async ({ store }) => {
        const term = await store.cluster.electLeader({ nodeId: 'n1', now: t0, leaseMs })
        const renew = (holder: string, termId: number, now: number) =>
          store.cluster.renewTerm({ holder, termId, now, leaseMs, lifeline: null })
        const id = term?.id ?? 0
        expect(await renew('n1', id, at(3))).toBe(true)
        expect(await renew('n2', id, at(3))).toBe(false)
        expect(await renew('n1', id + 1, at(3))).toBe(false)
        await store.cluster.electLeader({ nodeId: 'n2', now: at(14), leaseMs })
        expect(await renew('n1', id, at(14))).toBe(false)
        const terms = await store.cluster.listTerms({ limit: 10 })
        expect(terms.map((one) => [one.leaderInstance, one.stopAt, one.lastHeartbeatAt])).toEqual([
          ['n2', null, at(14)],
          ['n1', null, at(3)],
        ])
        expect(await store.cluster.listTerms({ instance: 'n1', limit: 10 })).toHaveLength(1)
      }),
    )

    test(
      'a lease that has not run out is taken only as it was seen, and under a new fence',
      withStore(open, async ({ store }) => {
        const first = await store.cluster.electLeader({ nodeId: 'n1', now: t0, leaseMs })
        const leader = { holder: 'n1', termId: first?.id ?? 0 }
        const renew = (now: number, lifeline: string | null) =>
          store.cluster.renewTerm({ ...leader, now, leaseMs, lifeline })
        await renew(at(1), 'line')
        const seen = await store.cluster.currentLeader()
        expect(seen).toEqual({ ...leader, leaseMs, expiresAt: at(11), lifeline: 'line' })
        const take = (abandoned: ElectRequest['abandoned']) =>
          store.cluster.electLeader({ nodeId: 'n2', now: at(2), leaseMs, abandoned })
        // It lives: it has named another lifeline, or renewed its lease.
        await renew(at(1), null)
        expect(await take(seen ?? undefined)).toBeNull()
        await renew(at(2), 'line')
        expect(await take(seen ?? undefined)).toBeNull()
        expect(
          await take({ ...leader, termId: leader.termId + 1, expiresAt: at(12), lifeline: 'line' }),
        ).toBeNull()

        const second = await take({ ...leader, expiresAt: at(12), lifeline: 'line' })
        expect(second).toMatchObject({ leaderInstance: 'n2', startAt: at(2) })
        expect(second?.id).toBeGreaterThan(leader.termId)
        expect(await store.cluster.currentLeader()).toMatchObject({ termId: second?.id, lifeline: null })
        expect(await renew(at(3), 'line')).toBe(false)
      }),
    )

    test(
      'a term that follows at once does not begin before the last one has ended, by whichever clock',
      withStore(open, async ({ store }) => {
        const first = await store.cluster.electLeader({ nodeId: 'n1', now: t0, leaseMs })
        await store.cluster.endTerm(first?.id ?? 0, 'n1', at(2) + 40)
        const second = await store.cluster.electLeader({ nodeId: 'n2', now: at(2), leaseMs })
        expect(second).toMatchObject({ startAt: at(2) + 40, lastHeartbeatAt: at(2) + 40 })
        expect(await store.cluster.currentLeader()).toMatchObject({ leaseMs, expiresAt: at(12) + 40 })
        // One that was a minute ahead is not believed.
        await store.cluster.endTerm(second?.id ?? 0, 'n2', at(60))
        const third = await store.cluster.electLeader({ nodeId: 'n1', now: at(3), leaseMs })
        expect(third).toMatchObject({ startAt: at(3) })
      }),
    )

    test(
      'a graceful end frees the lead at once; a stale one ends nothing',
      withStore(open, async ({ store }) => {
        const first = await store.cluster.electLeader({ nodeId: 'n1', now: t0, leaseMs })
        await store.cluster.endTerm(first?.id ?? 0, 'n1', at(2) + 345)
        expect(await store.cluster.currentLeader()).toBeNull()
        const [ended] = await store.cluster.listTerms({ limit: 1 })
        expect(ended).toMatchObject({ stopAt: at(2) + 345, lastHeartbeatAt: at(2) + 345 })
        const next = await store.cluster.electLeader({ nodeId: 'n2', now: at(3), leaseMs })
        expect(next?.id).toBe((first?.id ?? 0) + 1)
        await store.cluster.endTerm(first?.id ?? 0, 'n1', at(4))
        expect(await store.cluster.currentLeader()).toMatchObject({ holder: 'n2' })
      }),
    )

    test(
      'the log keeps readable timestamps to the millisecond',
      withStore(open, async ({ store, sql }) => {
        await store.cluster.electLeader({ nodeId: 'n1', now: t0 + 789, leaseMs })
        const [row] = await sql(
          'SELECT leader_instance, start_time, stop_time, handled_missed_tasks FROM @scheduler_leader_log',
        )
        expect(row).toMatchObject({ leader_instance: 'n1', stop_time: null })
        expect(String(row?.['start_time'])).toContain('2027-01-04 00:00:00.789')
      }),
    )
  })

  describe('locks', () => {
    test(
      'a held lock is refused; each acquisition has a larger fence; the token guards',
      withStore(open, async ({ store }) => {
        const take = (token: string, now: number) =>
          store.cluster.acquireLock({
            name: 'report',
            holder: `h-${token}`,
            token,
            now,
            expiresAt: now + leaseMs,
          })
        expect(await take('a', t0)).toEqual({ fence: 1 })
        expect(await take('b', at(5))).toBeNull()
        expect(await store.cluster.releaseLock('report', 'b')).toBe(false)
        expect(await store.cluster.extendLock('report', 'b', at(60), at(5))).toBe(false)
        expect(await store.cluster.extendLock('report', 'a', at(20), at(5))).toBe(true)
        expect(await store.cluster.listLocks()).toEqual([
          { name: 'report', holder: 'h-a', fence: 1, expiresAt: at(20) },
        ])
        expect(await store.cluster.releaseLock('report', 'a')).toBe(true)
        expect(await store.cluster.listLocks()).toEqual([])
        expect(await take('b', at(6))).toEqual({ fence: 2 })
        expect(await store.cluster.releaseLock('report', 'a')).toBe(false)
        expect(await store.cluster.releaseLock('report', null)).toBe(true)
        expect(await store.cluster.releaseLock('report', null)).toBe(false)
      }),
    )

    test(
      'an expired lock is not extended, and passes on a second after its time',
      withStore(open, async ({ store }) => {
        const take = (token: string, now: number) =>
          store.cluster.acquireLock({ name: 'l', holder: token, token, now, expiresAt: now + leaseMs })
        await take('a', t0)
        expect(await store.cluster.extendLock('l', 'a', at(60), at(10))).toBe(false)
        expect(await take('b', at(11) - 1)).toBeNull()
        expect(await take('b', at(11))).toEqual({ fence: 2 })
      }),
    )

    test(
      'expired locks of a prefix are cleared a second after their time; others, and held ones, stay',
      withStore(open, async ({ store }) => {
        const take = (name: string, now: number) =>
          store.cluster.acquireLock({ name, holder: 'h', token: name, now, expiresAt: now + leaseMs })
        for (const name of ['job:a', 'job:b', 'jobs', 'jo%']) await take(name, t0)
        await take('job:late', at(5))
        expect(await store.compat.clearExpiredLocks('job:', at(11) - 1)).toBe(0)
        expect(await store.compat.clearExpiredLocks('job:', at(11))).toBe(2)
        expect(await store.compat.clearExpiredLocks('job:', at(11))).toBe(0)
        expect((await store.cluster.listLocks()).map(({ name }) => name)).toEqual(['jo%', 'job:late', 'jobs'])
        expect(await take('job:a', at(11))).toEqual({ fence: 2 })
        expect(await store.compat.clearExpiredLocks('jo%', at(20))).toBe(1)
      }),
    )
  })

  describe('nodes', () => {
    test(
      'a node is listed with what it does; a heartbeat clears those long gone and says whether it is known',
      withStore(open, async ({ store }) => {
        await store.cluster.registerNode(node('n1'), ['work', 'work'])
        await store.cluster.registerNode(node('n2', at(1)), ['mail'])
        expect(await store.cluster.listNodes()).toEqual([node('n1'), node('n2', at(1))])
        expect(await store.cluster.touchNode('n2', t0 + minute + 1, minute)).toEqual({
          known: true,
          schemaVersion: migrations.length,
        })
        expect((await store.cluster.listNodes()).map(({ id }) => id)).toEqual(['n2'])
        expect(await store.cluster.touchNode('n1', t0 + minute + 2, minute)).toMatchObject({ known: false })
        await store.cluster.removeNode('n2')
        expect(await store.cluster.listNodes()).toEqual([])
      }),
    )

    test(
      'of a known node only what has changed of its handlers is written; an unknown one has to register',
      withStore(open, async ({ store }) => {
        expect(await store.cluster.changeHandlers('n1', { added: ['work'], removed: [] })).toBe(false)
        expect(await store.cluster.listHandlers()).toEqual([])
        await store.cluster.registerNode(node('n1'), ['mail', 'work'])
        await store.cluster.registerNode(node('n2'), ['work'])
        expect(
          await store.cluster.changeHandlers('n1', { added: ['print', 'mail'], removed: ['work'] }),
        ).toBe(true)
        expect(await store.cluster.listHandlers()).toEqual(['mail', 'print', 'work'])
        await store.cluster.removeNode('n2')
        expect(await store.cluster.listHandlers()).toEqual(['mail', 'print'])
      }),
    )

    test(
      'a silent node is not cleared away while something is leased to it',
      withStore(open, async ({ store, hand }) => {
        await hand.work('n1')
        await hand.create('a', jobSpec({ schedule: null }))
        await store.work.enqueueExecutions([newExecution('e1', 'a')])
        const request = { queue: 'default', limit: 1, start: 1, now: t0, readyBy: t0 }
        await store.work.claimExecutions({ ...request, nodeId: 'n1', leaseMs: 5 * minute })
        await store.cluster.registerNode(node('n2'), [])
        const silent = async (now: number) => {
          await store.cluster.touchNode('n2', now, minute)
          return (await store.cluster.listNodes()).map(({ id }) => id)
        }
        expect(await silent(t0 + 2 * minute)).toEqual(['n1', 'n2'])
        expect(await silent(t0 + 5 * minute - 1)).toEqual(['n1', 'n2'])
        expect(await silent(t0 + 5 * minute)).toEqual(['n2'])
      }),
    )

    test(
      'a job without a living handler is an orphan only after its patience under one leader',
      withStore(open, async ({ store, hand }) => {
        const first = await hand.lead('n1')
        await hand.create('a')
        await hand.create('m', jobSpec({ handler: { type: 'function', name: 'mail' } }))
        await hand.work('n1', ['work'])
        const orphans = (now: number) => store.cluster.findOrphans(now - 10 * minute, now)
        expect(await orphans(t0)).toEqual([])
        expect(await orphans(t0 + 9 * minute)).toEqual([])
        expect(await orphans(t0 + 10 * minute)).toEqual([idOf('job-m')])
        await hand.work('n2', ['mail'])
        expect(await orphans(t0 + 11 * minute)).toEqual([])
        await store.cluster.removeNode('n2')
        expect(await orphans(t0 + 12 * minute)).toEqual([])
        await store.cluster.endTerm(first.termId, 'n1', t0 + 20 * minute)
        await hand.lead('n3', t0 + 20 * minute)
        expect(await orphans(t0 + 22 * minute)).toEqual([])
        expect(await orphans(t0 + 32 * minute)).toEqual([idOf('job-m')])
      }),
    )
  })
}
