/** The audit log cannot be changed unseen: each way to tamper with a real file, behind a node's back, is found. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Evertick } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { sealByHand } from './seal-by-hand.ts'

interface Sealed {
  readonly evertick: Evertick
  readonly sql: (text: string, ...params: (string | number)[]) => void
  readonly ids: readonly number[]
}

const folder = mkdtempSync(join(tmpdir(), 'evertick-chain-'))
const original = join(folder, 'evertick.db')
let copies = 0

/** Eleven changes that a leader has sealed in two batches, and one that it has not. */
beforeAll(async () => {
  const clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'))
  const evertick = await Evertick.open({ database: `sqlite:${original}`, clock })
  const { jobs, queues } = evertick
  await jobs.create({ name: 'report' }, { actor: 'ann', origin: '10.0.0.7' })
  for (let turn = 0; turn < 5; turn += 1) {
    await queues.pause('mail', { actor: 'bob', reason: `reason ${turn}` })
    if (turn === 2) {
      await sealByHand(evertick)
      // Ids have gaps wherever a transaction was rolled back.
      write(original, `UPDATE sqlite_sequence SET seq = seq + 10 WHERE name = 'evertick_audit_log'`)
    }
    await queues.resume('mail', { actor: 'bob' })
  }
  await sealByHand(evertick)
  clock.moveTo(clock.now() + 3_600_000)
  await queues.pause('mail')
  await evertick.stop()
})

afterAll(() => rmSync(folder, { recursive: true }))

function write(file: string, text: string, ...params: (string | number)[]): void {
  const db = new DatabaseSync(file)
  db.prepare(text).run(...params)
  db.close()
}

async function sealedLog(): Promise<Sealed> {
  copies += 1
  const file = join(folder, `copy-${copies}.db`)
  copyFileSync(original, file)
  const evertick = await Evertick.open({ database: `sqlite:${file}` })
  onTestFinished(() => evertick.stop())
  const { entries } = await evertick.auditLog.list()
  const ids = entries.map(({ id }) => id).toReversed()
  return { evertick, sql: (text, ...params) => write(file, text, ...params), ids }
}

const proofOf = ({ evertick }: Sealed) => evertick.auditLog.verify()

test('the leader seals what it finds, and the proof says how much', async () => {
  const log = await sealedLog()
  const proof = await proofOf(log)
  expect(proof).toMatchObject({ ok: true, entries: 12, sealed: 11, unsealed: 1, contains: null, broken: [] })
  expect(proof.head).toMatch(/^[0-9a-f]{64}$/)
})

test('an entry says who, from where, what and on what, before and after', async () => {
  const { auditLog } = (await sealedLog()).evertick
  expect((await auditLog.list({ actor: 'ann' })).entries).toMatchObject([
    { actor: 'ann', origin: '10.0.0.7', action: 'job.create', subject: 'report', before: null },
  ])
  const { entries, nextCursor } = await auditLog.list({ action: 'queue.pause', actor: 'bob', limit: 1 })
  expect(entries).toMatchObject([{ subject: 'mail', after: { reason: 'reason 4' } }])
  // Nobody said from where: it was this host.
  expect(entries[0]?.origin).toBe(hostname())
  const next = await auditLog.list({ action: 'queue.pause', actor: 'bob', limit: 1, cursor: nextCursor ?? 0 })
  expect(next.entries).toMatchObject([{ after: { reason: 'reason 3' } }])
  const { entries: late } = await auditLog.list({ from: '2026-01-01T00:30:00Z' })
  expect(late.map(({ action }) => action)).toEqual(['queue.pause'])
})

const changes = {
  'a word of an entry': ({ sql, ids }: Sealed) =>
    sql(`UPDATE evertick_audit_log SET actor = 'eve' WHERE id = ?`, ids[3] ?? 0),
  'where it came from': ({ sql, ids }: Sealed) =>
    sql('UPDATE evertick_audit_log SET origin = NULL WHERE id = ?', ids[0] ?? 0),
  'the instant of an entry': ({ sql, ids }: Sealed) =>
    sql('UPDATE evertick_audit_log SET at = at + 1 WHERE id = ?', ids[8] ?? 0),
  'two entries swapped': ({ sql, ids }: Sealed) => {
    const [one, other] = [ids[1] ?? 0, ids[2] ?? 0]
    sql('UPDATE evertick_audit_log SET id = -1 WHERE id = ?', one)
    sql('UPDATE evertick_audit_log SET id = ? WHERE id = ?', one, other)
    sql('UPDATE evertick_audit_log SET id = ? WHERE id = -1', other)
  },
  'the hash of a seal': ({ sql }: Sealed) =>
    sql('UPDATE evertick_audit_seals SET hash = ? WHERE id = 1', 'a'.repeat(64)),
  'the instant of a seal': ({ sql }: Sealed) =>
    sql('UPDATE evertick_audit_seals SET sealed_at = sealed_at - 1 WHERE id = 2'),
  'the reach of a seal': ({ sql }: Sealed) =>
    sql('UPDATE evertick_audit_seals SET to_id = to_id - 1 WHERE id = 2'),
}

test.each(Object.entries(changes))('%s is found', async (_name, change) => {
  const log = await sealedLog()
  change(log)
  const proof = await proofOf(log)
  expect(proof.ok).toBe(false)
  expect(proof.broken.length).toBeGreaterThan(0)
})

test('an entry that is gone is found, also the first and the last that was sealed', async () => {
  for (const index of [0, 4, 10]) {
    const log = await sealedLog()
    log.sql('DELETE FROM evertick_audit_log WHERE id = ?', log.ids[index] ?? 0)
    expect((await proofOf(log)).broken).toMatchObject([
      { why: expect.stringContaining('1 of the') as string },
    ])
  }
})

test('the tail of what was sealed cannot be cut off', async () => {
  const log = await sealedLog()
  log.sql('DELETE FROM evertick_audit_log WHERE id >= ?', log.ids[7] ?? 0)
  expect((await proofOf(log)).broken).toMatchObject([{ why: expect.stringContaining('missing') as string }])
})

test('an entry that was slipped in is found, between others and before the first', async () => {
  for (const id of [0, 10]) {
    const log = await sealedLog()
    expect(log.ids).not.toContain(id)
    const text = `INSERT INTO evertick_audit_log (id, at, actor, action, subject) VALUES (?, 1, 'eve', 'job.pause', 'report')`
    log.sql(text, id)
    expect((await proofOf(log)).broken).toMatchObject([
      { why: expect.stringContaining('1 entry was added') as string },
    ])
  }
})

test('a seal that is gone is found', async () => {
  const log = await sealedLog()
  log.sql('DELETE FROM evertick_audit_seals WHERE id = 1')
  expect((await proofOf(log)).broken).toMatchObject([{ why: 'the seals before seal 2 are missing' }])
})

test('whoever forges the whole chain is caught by a head that was kept elsewhere', async () => {
  const log = await sealedLog()
  const { head } = await proofOf(log)
  const kept = { head: head ?? '' }
  expect(await log.evertick.auditLog.verify(kept)).toMatchObject({ ok: true, contains: true })
  log.sql('DELETE FROM evertick_audit_seals')
  log.sql(`UPDATE evertick_audit_log SET actor = 'eve' WHERE actor = 'bob'`)
  await sealByHand(log.evertick)
  // The leader has sealed the forgery as if it were the log.
  expect(await proofOf(log)).toMatchObject({ ok: true, unsealed: 0 })
  expect(await log.evertick.auditLog.verify(kept)).toMatchObject({ ok: false, contains: false })
})

test('an option that means nothing is refused', async () => {
  const { auditLog } = (await sealedLog()).evertick
  await expect(auditLog.list({ actr: 'ann' } as never)).rejects.toMatchObject({ field: 'actr' })
  await expect(auditLog.verify({ heads: 'x' } as never)).rejects.toMatchObject({ field: 'heads' })
  await expect(auditLog.list({ limit: 0 })).rejects.toMatchObject({ field: 'limit' })
})
