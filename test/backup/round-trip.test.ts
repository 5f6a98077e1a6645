/** What was backed up is what a restore brings back. */

import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { openFilled } from './filled.ts'
import { linesOf } from './lines.ts'
import { comparable, filledBackup, opened, testFolder } from './restored.ts'

test('a backup of a database in use has rows of nearly every table, as many as its header and its trailer say', async () => {
  const path = await filledBackup(testFolder())
  const { header, trailer, lines, rows } = linesOf(path)
  const empty = header.tables.filter((table) => table.rows === 0).map(({ name }) => name)
  // What commands use; what the ledger's own retention passes after 400 days; what other time zone data writes.
  expect(empty).toEqual([
    'usages',
    'notices',
    'ledger_totals',
    'zone_spans',
    'check_in_tokens',
    'check_ins',
    'alert_rules',
    'alerts',
  ])
  expect(trailer).toMatchObject({
    rows: Object.fromEntries(header.tables.map((table) => [table.name, table.rows])),
  })
  expect(header.tables.map(({ name }) => rows(name).length)).toEqual(header.tables.map((table) => table.rows))
  expect(lines).toHaveLength(header.tables.reduce((sum, table) => sum + table.rows, 0))
})

test('a restore brings back every row, adds its own, and the audits find nothing', async () => {
  const folder = testFolder()
  const path = await filledBackup(folder)
  const evertick = await opened(`sqlite:${join(folder, 'b.db')}`)
  const result = await evertick.restore(path, { actor: 'ann' })
  await evertick.backup(join(folder, 'b.backup'))
  expect(comparable(join(folder, 'b.backup'))).toEqual(comparable(path))
  expect(result.sha256).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'))
  expect(await evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
  expect(await evertick.auditLog.verify()).toMatchObject({ ok: true, unsealed: 1 })
  const { entries } = await evertick.auditLog.list({ action: 'database.restore' })
  expect(entries).toMatchObject([{ actor: 'ann', after: { file: path, sha256: result.sha256 } }])
})

test('a backup is for its owner alone, and nothing is left beside it', async () => {
  const folder = testFolder()
  const path = await filledBackup(folder)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect((await readdir(folder)).filter((name) => name.includes('.part'))).toEqual([])
})

test('a file of that name is only replaced on request', async () => {
  const folder = testFolder()
  const path = await filledBackup(folder)
  const evertick = await opened('sqlite::memory:')
  await expect(evertick.backup(path)).rejects.toMatchObject({ code: 'file_exists' })
  await evertick.backup(path, { replace: true })
  expect(linesOf(path).rows('jobs')).toEqual([])
})

test('a backup to a stream is the file', async () => {
  const folder = testFolder()
  const evertick = await opened('sqlite::memory:')
  const stream = new PassThrough()
  const [bytes, result] = await Promise.all([buffer(stream), evertick.backup(stream)])
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(result.sha256)
  await evertick.backup(join(folder, 'file'))
  const { header, lines } = linesOf(join(folder, 'file'))
  const [first = '', ...others] = gunzipSync(bytes).toString().trimEnd().split('\n')
  expect(JSON.parse(first)).toEqual({ ...header, madeAt: result.madeAt.toISOString() })
  expect(others.slice(0, -1)).toEqual(lines)
})

test('what is written during a backup is not in it', async () => {
  const folder = testFolder()
  const node = await openFilled(`sqlite:${join(folder, 'a.db')}`)
  const before = linesOf(await saved(node.evertick, join(folder, 'before'))).lines
  const stream = new PassThrough({ highWaterMark: 1 })
  const under = node.evertick.backup(stream)
  // Nothing is taken from the stream before all of this is written.
  await node.evertick.enqueue('sleeps')
  await node.evertick.jobs.pause('of-madrid')
  const bytes = await buffer(stream)
  await under
  await node.stop()
  const lines = gunzipSync(bytes).toString().trimEnd().split('\n').slice(1, -1)
  expect(lines).toEqual(before)
})

async function saved(evertick: { backup(path: string): Promise<unknown> }, path: string): Promise<string> {
  await evertick.backup(path)
  return path
}

test('a canary in every secret slot is in no backup', async () => {
  vi.stubEnv('EVERTICK_SECRETS_KEY', 'a-key-for-the-secrets-of-these-tests-0123456789')
  const canary = 'canary-5d1e7b'
  const evertick = await opened('sqlite::memory:', { allowCommandEnv: ['API_TOKEN'] })
  await evertick.jobs.create({
    name: 'calls',
    handler: {
      type: 'http',
      url: 'https://example.com/',
      headers: { Authorization: `Bearer ${canary}`, Cookie: canary, 'X-Api-Key': canary },
    },
  })
  const command = { type: 'command', command: '/bin/echo', env: { API_TOKEN: canary } } as const
  await evertick.jobs.create({ name: 'prints', handler: command })
  await evertick.secrets.set('token', canary)
  const lock = await evertick.locks.acquire('held', { ttl: '1h' })
  const path = join(testFolder(), 'backup')
  await evertick.backup(path)
  const text = gunzipSync(readFileSync(path)).toString()
  expect(text).toContain('sealed')
  expect(text).not.toContain(canary)
  expect(text).not.toContain(lock?.token)
  expect(text).not.toContain(process.env['EVERTICK_SECRETS_KEY'])
  vi.unstubAllEnvs()
})
