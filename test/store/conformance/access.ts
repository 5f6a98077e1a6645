/** Callers of the API: tokens, sessions and links, and the answers that are kept for whoever asks again. */
import { describe, expect, test } from 'vitest'
import type { AccessRow, IdempotentRequest } from '../../../src/store/store.ts'
import { by, day, minute, second, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

function access(id: string, given: Partial<AccessRow> = {}): AccessRow {
  const times = { createdAt: t0, expiresAt: t0 + day, usedAt: null, revokedAt: null }
  return {
    id,
    kind: 'token',
    name: 'deploy',
    role: 'operator',
    createdBy: 'ann',
    parentId: null,
    ...times,
    ...given,
  }
}

function request(given: Partial<IdempotentRequest> = {}): IdempotentRequest {
  return { caller: 'caller', key: 'key', hash: 'a'.repeat(64), takenAt: t0, ...given }
}

export function describeAccess(open: OpenStoreUnderTest): void {
  describe('callers', () => {
    test(
      'who was let in is found as it was written, and the audit log has it',
      withStore(open, async ({ store }) => {
        await store.access.addAccess(access('a'))
        expect(await store.access.findAccess('a')).toEqual(access('a'))
        expect(await store.access.findAccess('A')).toBeNull()
        const [entry] = await store.audit.listAuditLog({ limit: 1 })
        expect(entry).toMatchObject({
          actor: 'ann',
          action: 'token.create',
          subject: 'a',
          after: { name: 'deploy', role: 'operator', expiresAt: t0 + day },
        })
      }),
    )

    test(
      'what was made with a token is taken back with it, and nothing is made with one that is gone',
      withStore(open, async ({ store }) => {
        expect(await store.access.addAccess(access('a'))).toBe(true)
        expect(await store.access.addAccess(access('b', { parentId: 'a' }))).toBe(true)
        expect(await store.access.addAccess(access('c', { parentId: 'b' }))).toBe(true)
        await store.access.addAccess(access('other'))
        expect(await store.access.revokeAccess('a', by(at(5), 'bob'))).toEqual(['a', 'b', 'c'])
        expect((await store.access.findAccess('c'))?.revokedAt).toBe(at(5))
        expect((await store.audit.listAuditLog({ limit: 3 })).map(({ subject }) => subject)).toEqual([
          'c',
          'b',
          'a',
        ])
        expect(await store.access.liveAccess(['a', 'b', 'c', 'other', 'nobody'], at(6))).toEqual(['other'])
        expect(await store.access.liveAccess(['other'], t0 + day)).toEqual([])
        expect(await store.access.addAccess(access('d', { parentId: 'c' }))).toBe(false)
        expect(await store.access.findAccess('d')).toBeNull()
      }),
    )

    test(
      'an id is given once',
      withStore(open, async ({ store }) => {
        await store.access.addAccess(access('a'))
        await expect(store.access.addAccess(access('a', { role: 'admin' }))).rejects.toBeInstanceOf(Error)
        expect((await store.access.findAccess('a'))?.role).toBe('operator')
      }),
    )

    test(
      'the list has one kind, the newest first, and nothing that has ended',
      withStore(open, async ({ store }) => {
        await store.access.addAccess(access('old'))
        await store.access.addAccess(access('new', { createdAt: at(1) }))
        await store.access.addAccess(access('ended', { expiresAt: at(10) }))
        await store.access.addAccess(access('session', { kind: 'session' }))
        expect((await store.access.listAccess('token', at(10))).map(({ id }) => id)).toEqual(['new', 'old'])
        expect((await store.access.listAccess('session', at(10))).map(({ id }) => id)).toEqual(['session'])
      }),
    )

    test(
      'it is taken back once, by a name, and stays in the list as such',
      withStore(open, async ({ store }) => {
        await store.access.addAccess(access('a'))
        expect(await store.access.revokeAccess('a', by(at(5), 'bob'))).toEqual(['a'])
        expect(await store.access.revokeAccess('a', by(at(6), 'eve'))).toEqual([])
        expect(await store.access.revokeAccess('nobody', by(at(6)))).toEqual([])
        expect((await store.access.listAccess('token', at(7)))[0]?.revokedAt).toBe(at(5))
        const entries = await store.audit.listAuditLog({ limit: 10 })
        expect(entries.filter(({ action }) => action === 'token.revoke')).toMatchObject([
          { actor: 'bob', subject: 'a', at: at(5) },
        ])
      }),
    )

    test(
      'a link is followed once, also by many at once',
      withStore(open, async ({ store }) => {
        await store.access.addAccess(access('link', { kind: 'link' }))
        const all = await Promise.all(Array.from({ length: 8 }, () => store.access.redeemLink('link', at(1))))
        expect(all.filter((one) => one !== null)).toMatchObject([
          { id: 'link', role: 'operator', usedAt: at(1) },
        ])
        expect(await store.access.redeemLink('link', at(2))).toBeNull()
      }),
    )

    test(
      'a link that has ended, was taken back or is none is not followed',
      withStore(open, async ({ store }) => {
        await store.access.addAccess(access('ended', { kind: 'link', expiresAt: at(10) }))
        await store.access.addAccess(access('revoked', { kind: 'link' }))
        await store.access.revokeAccess('revoked', by(at(1)))
        await store.access.addAccess(access('token'))
        for (const id of ['ended', 'revoked', 'token', 'nobody']) {
          expect([id, await store.access.redeemLink(id, at(10))]).toEqual([id, null])
        }
        expect((await store.access.findAccess('token'))?.usedAt).toBeNull()
      }),
    )

    test(
      'what ended a month ago goes, and so do answers of the day before',
      withStore(open, async ({ store }) => {
        await store.access.addAccess(access('gone', { expiresAt: t0 }))
        await store.access.addAccess(access('kept', { expiresAt: t0 + 1 }))
        await store.access.beginIdempotent(request({ key: 'gone', takenAt: t0 }))
        await store.access.beginIdempotent(request({ key: 'kept', takenAt: t0 + 30 * day }))
        expect(await store.access.purgeAccess(t0 + 30 * day + 1)).toBe(2)
        expect(await store.access.findAccess('gone')).toBeNull()
        expect(await store.access.findAccess('kept')).not.toBeNull()
        expect(
          await store.access.beginIdempotent(request({ key: 'kept', takenAt: t0 + 30 * day + 1 })),
        ).toEqual({
          kind: 'under_way',
        })
      }),
    )
  })

  describe('kept answers', () => {
    const answer = { status: 201, headers: { etag: '"a:1"' }, body: '{"id":"ä"}' }
    const first = (begunAt: number, again = false) => ({ kind: 'first' as const, begunAt, again })

    test(
      'the same key with the same request gets the same answer, for a day',
      withStore(open, async ({ store }) => {
        expect(await store.access.beginIdempotent(request())).toEqual(first(t0))
        await store.access.endIdempotent(request(), answer)
        const again = (takenAt: number) => store.access.beginIdempotent(request({ takenAt }))
        expect(await again(at(1))).toEqual({ kind: 'answered', ...answer })
        expect(await again(t0 + day)).toEqual({ kind: 'answered', ...answer })
        expect(await again(t0 + day + 1)).toEqual(first(t0 + day + 1))
      }),
    )

    test(
      'the same key with another request is refused, and changes nothing',
      withStore(open, async ({ store }) => {
        await store.access.beginIdempotent(request())
        const other = request({ hash: 'b'.repeat(64) })
        expect(await store.access.beginIdempotent(other)).toEqual({ kind: 'another' })
        await store.access.endIdempotent(request(), answer)
        expect(await store.access.beginIdempotent(other)).toEqual({ kind: 'another' })
        expect(await store.access.beginIdempotent(request())).toEqual({ kind: 'answered', ...answer })
      }),
    )

    test(
      'a key is its caller’s own, letter by letter',
      withStore(open, async ({ store }) => {
        await store.access.beginIdempotent(request())
        for (const given of [{ caller: 'Caller' }, { caller: 'another' }, { key: 'KEY' }, { key: 'key ' }]) {
          expect([given, await store.access.beginIdempotent(request(given))]).toEqual([given, first(t0)])
        }
      }),
    )

    test(
      'of many who bring it at once, one is the first and the others hear that it is under way',
      withStore(open, async ({ store }) => {
        const all = await Promise.all(
          Array.from({ length: 8 }, () => store.access.beginIdempotent(request())),
        )
        expect(all.map(({ kind }) => kind).toSorted()).toEqual([
          'first',
          ...Array.from({ length: 7 }, () => 'under_way'),
        ])
      }),
    )

    test(
      'what failed frees its key at once',
      withStore(open, async ({ store }) => {
        await store.access.beginIdempotent(request())
        await store.access.endIdempotent(request(), 'undone')
        expect(await store.access.beginIdempotent(request({ takenAt: at(1) }))).toEqual(first(at(1)))
      }),
    )

    test(
      'what may have done something frees its key at once, for the same request at the same instant',
      withStore(open, async ({ store }) => {
        await store.access.beginIdempotent(request())
        await store.access.endIdempotent(request(), 'unclear')
        const other = request({ hash: 'b'.repeat(64), takenAt: at(1) })
        expect(await store.access.beginIdempotent(other)).toEqual({ kind: 'another' })
        expect(await store.access.beginIdempotent(request({ takenAt: at(1) }))).toEqual(first(t0, true))
      }),
    )

    test(
      'what its node left behind is free after a minute',
      withStore(open, async ({ store }) => {
        await store.access.beginIdempotent(request())
        expect(await store.access.beginIdempotent(request({ takenAt: t0 + minute - 1 }))).toEqual({
          kind: 'under_way',
        })
        expect(await store.access.beginIdempotent(request({ takenAt: t0 + minute }))).toEqual(first(t0, true))
      }),
    )

    test(
      'whoever comes back after that minute leaves the new one alone',
      withStore(open, async ({ store }) => {
        const [slow, next] = [request(), request({ takenAt: t0 + minute })]
        await store.access.beginIdempotent(slow)
        await store.access.beginIdempotent(next)
        await store.access.endIdempotent(slow, 'undone')
        const look = (takenAt: number) => store.access.beginIdempotent(request({ takenAt }))
        expect(await look(t0 + minute + second)).toEqual({ kind: 'under_way' })
        await store.access.endIdempotent(slow, { status: 200, headers: {}, body: 'late' })
        expect(await look(t0 + minute + second)).toEqual({ kind: 'under_way' })
        await store.access.endIdempotent(next, answer)
        expect(await look(t0 + minute + second)).toEqual({ kind: 'answered', ...answer })
        await store.access.endIdempotent(slow, 'undone')
        expect(await look(t0 + minute + second)).toEqual({ kind: 'answered', ...answer })
      }),
    )
  })
}
