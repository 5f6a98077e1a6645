import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { containing, errorOf, jsonOf, runCli, startCli, testFolder } from './run-cli.ts'

interface Doctor {
  readonly ok: boolean
  readonly checks: readonly { readonly name: string; readonly status: string; readonly next?: string }[]
}

const config = `
import { defineConfig, defineJob } from 'evertick'
export default defineConfig({
  database: 'sqlite:app.db',
  jobs: [defineJob({ name: 'hourly', schedule: { every: '1h' }, run: () => {} })],
})
`
const statusOf = ({ checks }: Doctor, name: string) => checks.find((check) => check.name === name)?.status

test('a running setup has no problems', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config })
  const node = startCli(['start'], { cwd })
  await node.says('leads, term 1')
  const doctor = await jsonOf<Doctor>(['doctor'], { cwd })
  expect(doctor.checks.filter(({ status }) => status !== 'ok')).toEqual([])
  const names = 'node config database schema writable clock leader nodes alerts cursors jobs handlers leases'
  expect(doctor.checks.map(({ name }) => name)).toEqual([
    ...names.split(' '),
    'dead letters',
    'secrets',
    'time zones',
    'sizes',
  ])
  expect(await runCli(['doctor'], { cwd })).toMatchObject({
    code: 0,
    stdout: containing('No problems found.'),
  })
})

test('a setup without a leader, with a cursor in the future, is told what to do', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config })
  await runCli(['jobs', 'create', 'mine', '--every', '1h'], { cwd })
  const quiet = await jsonOf<Doctor>(['doctor'], { cwd })
  expect(quiet.ok).toBe(true)
  expect(statusOf(quiet, 'leader')).toBe('warn')
  const client = new DatabaseSync(join(cwd, 'app.db'))
  client.exec('UPDATE evertick_jobs SET accounted_until = accounted_until + 86400000')
  client.close()
  const ended = await runCli(['doctor'], { cwd })
  expect(ended).toMatchObject({ code: 7, stdout: containing('evertick jobs reset-cursor mine') })
  expect(await runCli(['jobs', 'reset-cursor', 'mine'], { cwd })).toMatchObject({ code: 0 })
  expect(statusOf(await jsonOf<Doctor>(['doctor'], { cwd }), 'cursors')).toBe('ok')
})

test('a bad configuration, a missing and an old database are found', async () => {
  const bad = testFolder({ 'evertick.config.mjs': 'export default { databse: "sqlite:a.db" }' })
  const config = await runCli(['doctor'], { cwd: bad })
  expect(config).toMatchObject({ code: 7, stdout: containing('Did you mean "database"?') })
  expect(await runCli(['doctor'], { cwd: testFolder() })).toMatchObject({ code: 7 })
  const empty = testFolder({ 'old.db': '' })
  const old = await jsonOf<Doctor>(['doctor', '--database', 'sqlite:old.db'], { cwd: empty })
  expect(statusOf(old, 'schema')).toBe('warn')
})

test('a damaged database is refused with its code, and left as it is', async () => {
  const cwd = testFolder()
  const at = { cwd, env: { EVERTICK_DATABASE_URL: 'sqlite:app.db' } }
  await runCli(['jobs', 'create', 'mine', '--every', '1h'], at)
  const file = join(cwd, 'app.db')
  const bytes = readFileSync(file)
  // The header stays: it still looks like a database.
  bytes.fill(0xff, 100)
  writeFileSync(file, bytes)
  const ended = await runCli(['jobs', 'list', '--json'], at)
  expect(ended.code).toBe(6)
  expect(errorOf(ended)).toMatchObject({ code: 'database_damaged', next: containing('backup') })
  expect(await runCli(['doctor'], at)).toMatchObject({ code: 7, stdout: containing('damaged') })
  expect(readFileSync(file).equals(bytes)).toBe(true)
  chmodSync(file, 0o644)
})
