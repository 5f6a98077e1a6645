import { chmodSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { checkNames } from '../../src/cli/commands/doctor/check.ts'
import { checkCluster } from '../../src/cli/commands/doctor/cluster-checks.ts'
import { roomCheck } from '../../src/cli/commands/doctor/file-checks.ts'
import { Evertick } from '../../src/index.ts'
import { inProcess } from './in-process.ts'
import { containing, errorOf, jsonOf, type RunOptions, runCli, startCli, testFolder } from './run-cli.ts'

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
/** A database with a job, and a way past Evertick into its tables. */
async function withJob() {
  const cwd = testFolder()
  const at = { cwd, env: { EVERTICK_DATABASE_URL: `sqlite:${cwd}/app.db` } }
  await inProcess(['migrate', 'up'], at)
  await inProcess(['jobs', 'create', 'mine', '--every', '1h'], at)
  const door = new DatabaseSync(join(cwd, 'app.db'))
  onTestFinished(() => door.close())
  return { cwd, at, door }
}

async function examined(at: RunOptions): Promise<(name: string) => string | undefined> {
  const doctor = JSON.parse((await inProcess(['doctor', '--json'], at)).stdout) as Doctor
  return (name) => statusOf(doctor, name)
}

const statusOf = ({ checks }: Doctor, name: string) => checks.find((check) => check.name === name)?.status

test('a running setup has no problems', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config })
  const node = startCli(['start'], { cwd })
  await node.says('leads, term 1')
  const doctor = await jsonOf<Doctor>(['doctor'], { cwd })
  expect(doctor.checks.filter(({ status }) => status !== 'ok')).toEqual([])
  // What only a database server, or a node that is asked over HTTP, can tell.
  const elsewhere = ['server', 'access', 'hints', 'durability', 'connections', 'rights', 'failover']
  expect(doctor.checks.map(({ name }) => name)).toEqual(
    checkNames.filter((name) => !elsewhere.includes(name)),
  )
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

test('settings that would let people in, keep quiet or lose the archive are found', async () => {
  const cwd = testFolder({
    'app.db': '',
    'evertick.config.mjs': "export default { archive: 'app.db/archive' }",
  })
  const env = { EVERTICK_DATABASE_URL: 'sqlite:app.db' }
  const sayWith = async (more: Record<string, string>) => {
    const { checks } = await jsonOf<Doctor>(['doctor'], { cwd, env: { ...env, ...more } })
    return (name: string) => statusOf({ ok: true, checks }, name)
  }
  const bare = await sayWith({})
  expect(['log', 'archive', 'api', 'secret'].map(bare)).toEqual(['ok', 'fail', 'ok', 'ok'])
  const open = await sayWith({
    EVERTICK_HOST: '0.0.0.0',
    EVERTICK_LOG_LEVEL: 'silent',
    EVERTICK_JWT_SECRET: 'short',
  })
  expect(['log', 'api', 'secret'].map(open)).toEqual(['warn', 'warn', 'fail'])
  const named = await sayWith({ EVERTICK_HOST: '0.0.0.0', EVERTICK_ALLOWED_HOSTS: 'jobs.example.com' })
  expect(named('api')).toBe('ok')
  expect((await sayWith({ EVERTICK_PORT: 'eighty' }))('api')).toBe('fail')
})

test('a secret in a file is to be rotated after a year', async () => {
  const { cwd, at } = await withJob()
  const file = join(cwd, 'jwt-secret')
  writeFileSync(file, 'x'.repeat(48), { mode: 0o600 })
  expect((await examined(at))('secret')).toBe('ok')
  const longAgo = new Date(Date.now() - 366 * 86_400_000)
  utimesSync(file, longAgo, longAgo)
  expect((await examined(at))('secret')).toBe('warn')
})

test('files that others may read are found, and a disk that fills', async () => {
  const { cwd, at } = await withJob()
  expect((await examined(at))('files')).toBe('ok')
  chmodSync(join(cwd, 'app.db'), 0o644)
  expect((await examined(at))('files')).toBe('warn')
  const room = (free: number, size = 1e6, log = 0) => roomCheck({ free, size, log }).status
  expect([room(50e6), room(500e6), room(5e9), room(5e9, 6e9), room(50e9, 6e9, 2e9)]).toEqual([
    'fail',
    'warn',
    'ok',
    'warn',
    'warn',
  ])
})

test('after its first day a setup is asked for a backup and for somebody who is told', async () => {
  const { cwd, at, door } = await withJob()
  const both = async () => ['alert channel', 'backup'].map(await examined(at))
  expect(await both()).toEqual(['ok', 'ok'])
  door.exec('UPDATE evertick_jobs SET created_at = created_at - 2 * 86400000')
  expect(await both()).toEqual(['warn', 'warn'])
  await inProcess(['backup', join(cwd, 'a.backup')], at)
  await inProcess(['webhooks', 'create', 'ops', '--to', 'https://example.com/hook', '--event', 'job.*'], at)
  expect(await both()).toEqual(['warn', 'ok'])
  await inProcess(['webhooks', 'create', 'all', '--to', 'https://example.com/hook', '--event', 'alert.*'], at)
  door.exec("UPDATE evertick_audit_log SET at = at - 8 * 86400000 WHERE action = 'database.backup'")
  expect(await both()).toEqual(['ok', 'warn'])
})

test('two versions, a lead that wanders and work that waits in a paused queue are found', async () => {
  const { at, door } = await withJob()
  const three = async () => ['leadership', 'versions', 'queues'].map(await examined(at))
  await inProcess(['queues', 'pause', 'default'], at)
  expect(await three()).toEqual(['ok', 'ok', 'ok'])
  await inProcess(['jobs', 'trigger', 'mine'], at)
  const now = Date.now()
  for (const version of ['0.1.0', '0.2.0'])
    door
      .prepare(
        `INSERT INTO evertick_nodes (id, host, pid, roles, queues, version, lease_ms, started_at, seen_at)
         VALUES (?, 'h', 1, '["worker"]', '{}', ?, 30000, ?, ?)`,
      )
      .run(version, version, now, now)
  const term = door.prepare(
    `INSERT INTO scheduler_leader_log (leader_instance, start_time, stop_time, last_heartbeat, handled_missed_tasks)
     VALUES ('a', ?, ?, ?, 1)`,
  )
  const instant = new Date(now).toISOString().replace('T', ' ').replace('Z', '')
  for (let made = 0; made < 6; made += 1) term.run(instant, instant, instant)
  expect(await three()).toEqual(['warn', 'warn', 'warn'])
})

test('a server whose clock is another one than that of this machine is found', async () => {
  const evertick = await Evertick.open({ database: 'sqlite::memory:' })
  onTestFinished(() => evertick.stop())
  const clock = async (offsetMs: number | null) =>
    (await checkCluster(evertick, offsetMs)).find(({ name }) => name === 'clock')
  expect(await clock(null)).toMatchObject({ status: 'ok' })
  expect(await clock(4_000)).toMatchObject({ status: 'ok' })
  expect(await clock(60_000)).toMatchObject({ status: 'warn', message: containing('1 min ahead of') })
  expect(await clock(-60_000)).toMatchObject({ status: 'warn', message: containing('1 min behind') })
})
