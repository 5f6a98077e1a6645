/** The audit log: who, when and from where; sealed once by whoever leads, so that nobody can change it unseen. */
import { describe, expect, test } from 'vitest'
import type { AuditLogQuery, NewAuditEntry, SealResult } from '../../../src/store/store.ts'
import { by, day, t0 } from '../builders.ts'
import { at, type Led } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

function entry(subject: string, given: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    at: t0,
    actor: 'ann',
    origin: '10.0.0.7',
    action: 'job.pause',
    subject,
    before: null,
    after: null,
    ...given,
  }
}

/** Whatever is there, up to the newest. */
async function seal(
  { store }: Pick<Bench, 'store'>,
  leader: Led,
  limit = 100,
  now = t0,
): Promise<SealResult> {
  const { newest } = await store.audit.sealAuditLog({ leader, upTo: 0, limit, now })
  return await store.audit.sealAuditLog({ leader, upTo: newest, limit, now })
}

export function describeAuditLog(open: OpenStoreUnderTest): void {
  describe('the audit log', () => {
    test(
      'an entry is read as it was written, letter by letter',
      withStore(open, async ({ store }) => {
        const odd = { text: 'ä "quoted" \u2028 😀', list: [1, null, { a: true }] }
        await store.audit.appendAuditLog([
          entry('a', { before: odd, after: odd }),
          entry('b', { origin: undefined }),
        ])
        const [b, a] = await store.audit.listAuditLog({ limit: 10 })
        expect(a).toEqual({ ...entry('a', { before: odd, after: odd }), id: a?.id })
        expect(b).toMatchObject({ subject: 'b', origin: null, before: null })
      }),
    )

    test(
      'it is filtered by who, what, on what and when, newest first, page by page',
      withStore(open, async ({ store }) => {
        await store.audit.appendAuditLog([
          entry('a'),
          entry('b', { at: at(1) }),
          entry('a', { at: at(2), actor: 'bob' }),
          entry('a', { at: at(3), action: 'job.resume' }),
        ])
        const seconds = async (query: Partial<AuditLogQuery>) =>
          (await store.audit.listAuditLog({ limit: 10, ...query })).map((found) => (found.at - t0) / 1_000)
        expect(await seconds({})).toEqual([3, 2, 1, 0])
        expect(await seconds({ actor: 'bob' })).toEqual([2])
        expect(await seconds({ action: 'job.pause' })).toEqual([2, 1, 0])
        expect(await seconds({ subject: 'a' })).toEqual([3, 2, 0])
        expect(await seconds({ from: at(1), to: at(3) })).toEqual([2, 1])
        expect(await seconds({ subject: 'a', actor: 'ann', action: 'job.pause' })).toEqual([0])
        const [first] = await store.audit.listAuditLog({ limit: 1 })
        expect(await seconds({ limit: 2, beforeId: first?.id ?? 0 })).toEqual([2, 1])
      }),
    )

    test(
      'an operator’s release of a lock is in it, a holder’s own is not',
      withStore(open, async ({ store }) => {
        const take = () =>
          store.cluster.acquireLock({ name: 'l', holder: 'h', token: 't', now: t0, expiresAt: t0 + day })
        await take()
        await store.cluster.releaseLock('l', 't')
        expect(await store.audit.listAuditLog({ limit: 10 })).toEqual([])
        await take()
        await store.cluster.releaseLock('l', null, { ...by(at(1)), origin: 'here' })
        expect(await store.cluster.releaseLock('l', null, by(at(2)))).toBe(false)
        expect(await store.audit.listAuditLog({ limit: 10 })).toMatchObject([
          { action: 'lock.release', subject: 'l', actor: 'ann', origin: 'here', at: at(1) },
        ])
      }),
    )
  })

  describe('seals', () => {
    test(
      'cover what was there at the look before, in batches, each entry once',
      withStore(open, async (bench) => {
        const { store, hand, sql } = bench
        const leader = await hand.lead()
        await store.audit.appendAuditLog(['a', 'b', 'c', 'd', 'e'].map((subject) => entry(subject)))
        const { newest } = await store.audit.sealAuditLog({ leader, upTo: 0, limit: 2, now: t0 })
        expect(newest).toBeGreaterThan(0)
        await store.audit.appendAuditLog([entry('late')])
        const results: SealResult[] = []
        for (let turn = 0; turn < 4; turn += 1) {
          results.push(await store.audit.sealAuditLog({ leader, upTo: newest, limit: 2, now: at(60) }))
        }
        expect(results.map(({ sealed, more }) => [sealed, more])).toEqual([
          [2, true],
          [2, true],
          [1, false],
          [0, false],
        ])
        const seals = await sql('SELECT id, entries, term_id FROM @audit_seals ORDER BY id')
        expect(seals.map(({ id, entries }) => [Number(id), Number(entries)])).toEqual([
          [1, 2],
          [2, 2],
          [3, 1],
        ])
        expect(await store.audit.verifyAuditLog({})).toMatchObject({
          entries: 6,
          sealed: 5,
          unsealed: 1,
          contains: null,
          broken: [],
        })
      }),
    )

    test(
      'are made once, also by many at once',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        const leader = await hand.lead()
        await store.audit.appendAuditLog(Array.from({ length: 20 }, (_, index) => entry(String(index))))
        const { newest } = await store.audit.sealAuditLog({ leader, upTo: 0, limit: 5, now: t0 })
        const all = await Promise.all(
          Array.from({ length: 8 }, () =>
            store.audit.sealAuditLog({ leader, upTo: newest, limit: 5, now: t0 }),
          ),
        )
        expect(all.reduce((sum, { sealed }) => sum + sealed, 0)).toBe(20)
        expect(await store.audit.verifyAuditLog({})).toMatchObject({ sealed: 20, unsealed: 0, broken: [] })
      }),
    )

    test(
      'are refused to whoever leads no longer',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        const leader = await hand.lead()
        await store.audit.appendAuditLog([entry('a')])
        const { newest } = await store.audit.sealAuditLog({ leader, upTo: 0, limit: 5, now: t0 })
        for (const stale of [
          { ...leader, termId: leader.termId + 1 },
          { ...leader, holder: 'another' },
        ]) {
          const result = await store.audit.sealAuditLog({ leader: stale, upTo: newest, limit: 5, now: t0 })
          expect(result).toMatchObject({ led: false, sealed: 0 })
        }
        expect(await store.audit.verifyAuditLog({})).toMatchObject({ sealed: 0, unsealed: 1, head: null })
      }),
    )

    test(
      'show what was changed behind their back',
      withStore(open, async (bench) => {
        const { store, hand, sql } = bench
        const leader = await hand.lead()
        await store.audit.appendAuditLog([entry('a'), entry('b', { after: { state: 'paused' } }), entry('c')])
        await seal(bench, leader)
        await sql('UPDATE @audit_log SET after_value = ? WHERE subject = ?', '{"state": "paused"}', 'b')
        const { broken } = await store.audit.verifyAuditLog({})
        expect(broken).toEqual([
          {
            at: expect.stringMatching(/^\d+-\d+$/) as string,
            why: 'an entry or the seal itself was changed',
          },
        ])
      }),
    )

    test(
      'prove a head that was kept elsewhere, and only such a one',
      withStore(open, async (bench) => {
        const { store, hand } = bench
        const leader = await hand.lead()
        await store.audit.appendAuditLog([entry('a')])
        await seal(bench, leader)
        const { head } = await store.audit.verifyAuditLog({})
        await store.audit.appendAuditLog([entry('b')])
        await seal(bench, leader)
        expect(await store.audit.verifyAuditLog({ head: head ?? '' })).toMatchObject({
          contains: true,
          sealed: 2,
        })
        expect(await store.audit.verifyAuditLog({ head: 'f'.repeat(64) })).toMatchObject({ contains: false })
      }),
    )

    test(
      'go by age, whole ones only, and what is left is verified from the first',
      withStore(open, async (bench) => {
        const { store, hand, sql } = bench
        const leader = await hand.lead()
        for (const days of [0, 1, 2]) {
          await store.audit.appendAuditLog([entry(`a${days}`), entry(`b${days}`)])
          await seal(bench, leader, 100, t0 + days * day)
        }
        expect(await store.audit.purgeAuditLog(t0, by(t0 + 3 * day))).toBe(0)
        expect(await store.audit.purgeAuditLog(t0 + day + 1, by(t0 + 3 * day, 'evertick'))).toBe(4)
        expect(await store.audit.purgeAuditLog(t0 + day + 1, by(t0 + 3 * day))).toBe(0)
        const left = await store.audit.listAuditLog({ limit: 10 })
        expect(left.map(({ subject }) => subject)).toEqual(['audit_log', 'b2', 'a2'])
        expect(left[0]).toMatchObject({ action: 'audit_log.prune', after: { seal: 2, entries: 4 } })
        expect(await store.audit.verifyAuditLog({})).toMatchObject({ sealed: 2, unsealed: 1, broken: [] })
        await sql('DELETE FROM @audit_log WHERE action = ?', 'audit_log.prune')
        expect((await store.audit.verifyAuditLog({})).broken).toHaveLength(1)
      }),
    )
  })
}
