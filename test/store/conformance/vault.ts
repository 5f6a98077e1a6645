/** Secrets by name, and what is sealed in jobs: written, found, deleted and sealed anew. */
import { describe, expect, test } from 'vitest'
import type { JobSpec } from '../../../src/core/job/job.ts'
import { by, jobSpec, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const http = { type: 'http', url: 'https://example.com/', method: null, body: null, expect: '2xx' } as const

function specWith(headers: Extract<JobSpec['handler'], { type: 'http' }>['headers']): JobSpec {
  return jobSpec({ schedule: null, handler: { ...http, headers } })
}

export function describeVault(open: OpenStoreUnderTest): void {
  describe('the vault', () => {
    test(
      'a secret is one row, whoever sets it how often, and the audit log has each change and no value',
      withStore(open, async ({ store }) => {
        await store.vault.putSecret({ name: 'b', sealed: 'one' }, by(t0))
        await store.vault.putSecret({ name: 'a', sealed: 'other' }, by(at(1)))
        const put = await store.vault.putSecret({ name: 'b', sealed: 'two' }, by(at(2), 'bob'))
        const b = {
          name: 'b',
          sealed: 'two',
          createdAt: t0,
          createdBy: 'ann',
          changedAt: at(2),
          changedBy: 'bob',
        }
        expect(put).toEqual(b)
        expect((await store.vault.listSecrets()).map(({ name }) => name)).toEqual(['a', 'b'])
        expect(await store.vault.findSecrets(['b', 'B', 'none'])).toEqual([b])
        const entries = await store.audit.listAuditLog({ limit: 10, action: 'secret.set' })
        expect(entries.map(({ actor, subject, before, after }) => [actor, subject, before, after])).toEqual([
          ['bob', 'b', { changedAt: t0 }, { changedAt: at(2) }],
          ['ann', 'a', null, { changedAt: at(1) }],
          ['ann', 'b', null, { changedAt: t0 }],
        ])
        expect(JSON.stringify(entries)).not.toContain('two')
      }),
    )

    test(
      'one that a job names is deleted only where that is meant; a deleted job names none',
      withStore(open, async ({ store, hand }) => {
        await store.vault.putSecret({ name: 'token', sealed: 'x' }, by(t0))
        await hand.create('uses', specWith({ a: { secret: 'token' }, b: { secret: 'gone' } }))
        await hand.create('input', jobSpec({ schedule: null, input: { secret: 'token' } }))
        expect(await store.vault.listSecretUses()).toEqual([{ job: 'uses', secrets: ['token', 'gone'] }])
        const refused = await store.vault.deleteSecret('token', by(at(1)), { used: 'refuse' })
        expect(refused).toEqual({ deleted: false, usedBy: ['uses'] })
        expect(await store.vault.findSecrets(['token'])).toHaveLength(1)
        const meant = await store.vault.deleteSecret('token', by(at(1)), { used: 'delete' })
        expect(meant).toEqual({ deleted: true, usedBy: ['uses'] })
        expect(await store.vault.findSecrets(['token'])).toEqual([])
        const again = await store.vault.deleteSecret('token', by(at(2)), { used: 'delete' })
        expect(again.deleted).toBe(false)
        const entries = await store.audit.listAuditLog({ limit: 10, action: 'secret.delete' })
        expect(entries.map(({ subject }) => subject)).toEqual(['token'])
        await store.jobs.changeJob('uses', { kind: 'delete' }, by(at(3)))
        expect(await store.vault.listSecretUses()).toEqual([])
      }),
    )

    test(
      'what was set meanwhile is not sealed anew over',
      withStore(open, async ({ store }) => {
        await store.vault.putSecret({ name: 'a', sealed: 'old' }, by(t0))
        expect(await store.vault.resealSecret('a', { from: 'old', to: 'new' })).toBe(true)
        expect(await store.vault.resealSecret('a', { from: 'old', to: 'lost' })).toBe(false)
        const [row] = await store.vault.findSecrets(['a'])
        expect(row).toMatchObject({ sealed: 'new', changedAt: t0, changedBy: 'ann' })
      }),
    )

    test(
      'ciphertexts are exchanged in the job and its revisions, and whatever else was edited stays',
      withStore(open, async ({ store, hand }) => {
        await hand.create('a', specWith({ x: { sealed: 'first' }, y: { sealed: 'kept' } }))
        await hand.create('plain', specWith({ x: 'first' }))
        await store.jobs.changeJob(
          'a',
          { kind: 'edit', spec: specWith({ x: { sealed: 'second' }, y: { sealed: 'kept' } }) },
          by(at(1)),
        )
        const [job, ...others] = await store.vault.listSealedJobs()
        expect([job?.name, others]).toEqual(['a', []])
        const id = job?.id ?? ''
        const headersOf = async () =>
          (await store.vault.listSealedHandlers(id)).map((handler) =>
            handler.type === 'http' ? handler.headers : {},
          )
        const second = { x: { sealed: 'second' }, y: { sealed: 'kept' } }
        expect(await headersOf()).toEqual([second, { ...second, x: { sealed: 'first' } }, second])
        const before = await store.jobs.findJob('a')
        // An edit between the look and the exchange.
        await store.jobs.changeJob(
          'a',
          { kind: 'edit', spec: specWith({ z: 'edited', y: { sealed: 'kept' } }) },
          by(at(2)),
        )
        await store.vault.resealJob(id, [
          { from: 'second', to: 'SECOND' },
          { from: 'first', to: 'FIRST' },
          { from: 'kept', to: 'KEPT' },
        ])
        const kept = { y: { sealed: 'KEPT' } }
        expect(await headersOf()).toEqual([
          { z: 'edited', ...kept },
          { x: { sealed: 'FIRST' }, ...kept },
          { x: { sealed: 'SECOND' }, ...kept },
          { z: 'edited', ...kept },
        ])
        const after = await store.jobs.findJob('a')
        expect(after?.revision).toBe((before?.revision ?? 0) + 1)
        expect(JSON.stringify(await store.audit.listAuditLog({ limit: 10 }))).not.toContain('second')
      }),
    )
  })
}
