/** `scheduler_leader_log` as a table, and the marks of what was put into others' queues. */
import { describe, expect, test } from 'vitest'
import type { MarkRequest } from '../../../src/store/store.ts'
import { second, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

export function describeLeaderLog(open: OpenStoreUnderTest): void {
  describe('the leader log as a table', () => {
    test(
      'what is inserted comes back as it was, to the millisecond',
      withStore(open, async ({ store }) => {
        const inserted = await store.compat.insertLeaderLog(
          { leader_instance: 'ñ "n1" \'; --', start_time: t0 + 789, last_heartbeat: at(1) },
          at(2),
        )
        expect(inserted).toEqual({
          id: inserted.id,
          leader_instance: 'ñ "n1" \'; --',
          start_time: t0 + 789,
          stop_time: null,
          last_heartbeat: at(1),
          handled_missed_tasks: false,
          created_at: at(2),
          updated_at: at(2),
        })
        expect(await store.compat.findLeaderLog({ where: { start_time: t0 + 789 }, orderBy: [] })).toEqual([
          inserted,
        ])
        expect(await store.compat.findLeaderLog({ where: { start_time: t0 }, orderBy: [] })).toEqual([])
      }),
    )

    test(
      'an update changes what its criteria match, and nothing else',
      withStore(open, async ({ store }) => {
        const ids: number[] = []
        for (const leader_instance of ['a', 'b', 'a']) {
          ids.push((await store.compat.insertLeaderLog({ leader_instance, start_time: t0 }, t0)).id)
        }
        const [a1 = 0, b = 0, a2 = 0] = ids
        const ended = { stop_time: at(5), last_heartbeat: at(5), handled_missed_tasks: true }
        expect(await store.compat.updateLeaderLog({ leader_instance: 'a', id: a2 }, ended, at(6))).toBe(1)
        expect(await store.compat.updateLeaderLog({ leader_instance: 'c' }, ended, at(6))).toBe(0)
        const found = (where: object) => store.compat.findLeaderLog({ where, orderBy: [] })
        expect(await found({ id: a2 })).toMatchObject([{ ...ended, start_time: t0, updated_at: at(6) }])
        expect((await found({ stop_time: null })).map(({ id }) => id)).toEqual([a1, b])
        expect((await found({ handled_missed_tasks: true })).map(({ id }) => id)).toEqual([a2])
        expect(
          (await found({ handled_missed_tasks: false, leader_instance: 'a' })).map(({ id }) => id),
        ).toEqual([a1])
        expect(await store.compat.updateLeaderLog({ id: a2 }, { stop_time: null }, at(7))).toBe(1)
        expect(await found({ stop_time: null })).toHaveLength(3)
      }),
    )

    test(
      'null sorts as the smallest, and what is equal by its id',
      withStore(open, async ({ store }) => {
        const inserted: number[] = []
        for (const stop_time of [at(2), null, at(1), null]) {
          inserted.push(
            (await store.compat.insertLeaderLog({ leader_instance: 'a', start_time: t0, stop_time }, t0)).id,
          )
        }
        const [two, none, one, noneEither] = inserted
        const ids = async (column: 'stop_time' | 'start_time', order: 'asc' | 'desc', limit?: number) => {
          const query = { where: {}, orderBy: [{ column, order }], ...(limit === undefined ? {} : { limit }) }
          return (await store.compat.findLeaderLog(query)).map(({ id }) => id)
        }
        expect(await ids('stop_time', 'asc')).toEqual([none, noneEither, one, two])
        expect(await ids('stop_time', 'desc')).toEqual([two, one, noneEither, none])
        expect(await ids('start_time', 'desc')).toEqual(inserted.toReversed())
        expect(await ids('start_time', 'asc', 2)).toEqual([two, none])
      }),
    )

    test(
      'a term that was inserted by hand is a term like others',
      withStore(open, async ({ store }) => {
        const { id } = await store.compat.insertLeaderLog({ leader_instance: 'by hand', start_time: t0 }, t0)
        const elected = await store.cluster.electLeader({ nodeId: 'n1', now: at(1), leaseMs: second })
        expect(elected?.id).toBeGreaterThan(id)
        expect(await store.cluster.listTerms({ limit: 10 })).toMatchObject([
          { id: elected?.id },
          { id, leaderInstance: 'by hand', repair: { found: 0 } },
        ])
      }),
    )
  })

  describe('marks', () => {
    const request = (fence: number, now = t0): MarkRequest => ({
      mark: 'mail:2027-01-04T00:00:00.000Z',
      fence,
      now,
      expiresAt: now + 60 * second,
    })

    test(
      'an unfinished claim is taken over by a later leader, never by an earlier one',
      withStore(open, async ({ store }) => {
        expect(await store.compat.claimMark(request(1))).toBe('claimed')
        expect(await store.compat.claimMark(request(1))).toBe('repeated')
        expect(await store.compat.claimMark(request(3))).toBe('repeated')
        expect(await store.compat.claimMark(request(2))).toBe('stale')
        expect(await store.compat.finishMark(request(2))).toBe(false)
        expect(await store.compat.claimMark(request(4))).toBe('repeated')
        expect(await store.compat.finishMark(request(4))).toBe(true)
        expect(await store.compat.claimMark(request(5))).toBe('enqueued')
        expect(await store.compat.claimMark(request(1))).toBe('enqueued')
        expect(await store.compat.claimMark({ ...request(1), mark: 'other' })).toBe('claimed')
      }),
    )

    test(
      'of many who claim at once, one is the first',
      withStore(open, async ({ store }) => {
        const claims = await Promise.all(Array.from({ length: 8 }, () => store.compat.claimMark(request(1))))
        expect(claims.toSorted()).toEqual(['claimed', ...Array.from({ length: 7 }, () => 'repeated')])
      }),
    )

    test(
      'a mark goes when it has expired and somebody purges, not before',
      withStore(open, async ({ store }) => {
        await store.compat.claimMark(request(1))
        await store.compat.claimMark({ ...request(1), mark: 'later', expiresAt: at(90) })
        expect(await store.compat.purgeMarks(at(60) - 1, 10)).toBe(0)
        await store.compat.finishMark(request(1, at(5)))
        expect(await store.compat.purgeMarks(at(60), 10)).toBe(0)
        expect(await store.compat.claimMark(request(2, at(80)))).toBe('enqueued')
        expect(await store.compat.purgeMarks(at(100), 1)).toBe(1)
        expect(await store.compat.claimMark(request(2, at(100)))).toBe('claimed')
        expect(await store.compat.purgeMarks(at(100), 10)).toBe(1)
      }),
    )
  })
}
