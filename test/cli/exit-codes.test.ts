import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { Evertick } from '../../src/index.ts'
import { sealByHand } from '../app/seal-by-hand.ts'
import { migrations } from '../store/migrations-by-name.ts'
import { type History, makeHistory } from './history.ts'
import { aText, containing, errorOf, jsonOf, runCli, startCli, testFolder } from './run-cli.ts'

const database = ['--database', 'sqlite:own.db']

test('2: what cannot be understood, with the way to mend it', async () => {
  const cwd = testFolder()
  const wrong = [
    ['cron', '61 * * * *'],
    ['explain', 'x', '--from', 'yesterday', ...database],
    ['jobs', 'list', '--stat', 'paused'],
    ['jbs'],
    ['jobs'],
    ['start', '--role', 'schedular', '--example'],
  ]
  await runCli(['migrate', 'up', ...database], { cwd })
  const ended = await Promise.all(wrong.map((args) => runCli(args, { cwd })))
  expect(ended.map(({ code }) => code)).toEqual(wrong.map(() => 2))
  const texts = ended.map(({ stderr }) => stderr)
  expect(texts[0]).toContain('"61" is outside 0-59')
  expect(texts[1]).toContain('2h')
  expect(texts[2]).toContain('Did you mean --state?')
  expect(texts[4]).toContain('Usage: evertick jobs')
  expect(texts[5]).toContain('Did you mean "scheduler"?')
})

test('3, 4: what does not exist, and what contradicts what is there', async () => {
  const cwd = testFolder()
  const create = ['jobs', 'create', 'mine', '--every', '1h', ...database]
  expect(await runCli(create, { cwd })).toMatchObject({ code: 0 })
  const again = await runCli([...create, '--json'], { cwd })
  expect(again.code).toBe(4)
  expect(errorOf(again)).toMatchObject({ code: 'job_exists' })
  expect(await runCli(['jobs', 'pause', 'mine', ...database], { cwd })).toMatchObject({ code: 0 })
  const paused = await runCli(['jobs', 'pause', 'mine', ...database, '--json'], { cwd })
  expect(paused.code).toBe(4)
  expect(errorOf(paused)).toMatchObject({
    code: 'invalid_transition',
    state: 'paused',
    asked: 'paused',
    actions: ['resume', 'cancel', 'edit', 'trigger', 'backfill', 'delete'],
  })
  expect(await runCli(['jobs', 'retry', 'mine', ...database], { cwd })).toMatchObject({ code: 4 })
  expect(await runCli(['executions', 'show', 'none', ...database], { cwd })).toMatchObject({ code: 3 })
  expect(await runCli(['locks', 'release', 'none', ...database], { cwd })).toMatchObject({ code: 3 })
})

test('6: a database that is not there, is no database, or is none that this Evertick knows', async () => {
  const cwd = testFolder({ 'notes.db': 'These are notes, not a database. '.repeat(100) })
  const missing = await runCli(['jobs', 'list'], { cwd })
  expect(missing).toMatchObject({ code: 6, stderr: containing('EVERTICK_DATABASE_URL') })
  const typo = await runCli(['jobs', 'list', '--database', 'sqlite:onw.db', '--json'], { cwd })
  expect(errorOf(typo)).toMatchObject({ code: 'database_missing', field: 'database' })
  const foreign = await runCli(['jobs', 'list', '--database', 'sqlite:notes.db', '--json'], { cwd })
  expect(foreign.code).toBe(6)
  expect(errorOf(foreign)).toMatchObject({ code: 'database_foreign' })
  const unknown = await runCli(['jobs', 'list', '--database', 'oracle://a:secret@b/c'], { cwd })
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).not.toContain('secret')
})

test('1: what was understood, and failed', async () => {
  const cwd = testFolder()
  const client = new DatabaseSync(join(cwd, 'own.db'))
  client.exec('CREATE TABLE evertick_jobs (mine TEXT)')
  client.close()
  const ended = await runCli(['migrate', 'up', ...database], { cwd })
  expect(ended).toMatchObject({ code: 1, stderr: containing('Nothing was changed') })
})

test('7: an audit that finds a tick without an account names it', async () => {
  const history: History = await makeHistory()
  const client = new DatabaseSync(join(history.folder, 'history.db'))
  client.exec(`DELETE FROM evertick_job_executions WHERE id = (SELECT id FROM evertick_job_executions
    WHERE tick_at IS NOT NULL AND job_id = (SELECT id FROM evertick_jobs WHERE name = 'minutely') LIMIT 1)`)
  client.close()
  const at = { cwd: history.folder, env: { EVERTICK_DATABASE_URL: history.database } }
  const ended = await runCli(['audit'], at)
  expect(ended).toMatchObject({ code: 7, stdout: containing('1 tick unaccounted for') })
  expect(await jsonOf(['audit'], at)).toMatchObject({
    ok: false,
    unaccounted: 1,
    findings: [{ job: 'minutely', kind: 'unaccounted' }],
  })
})

test('a reader that leaves early is no crash', async () => {
  const cwd = testFolder()
  const cli = startCli(['cron', '* * * * * *', '--count', '100000'], { cwd })
  cli.child.stdout?.destroy()
  const { code, stderr } = await cli.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('migrate down asks for a yes, and without a terminal for --yes', async () => {
  const cwd = testFolder()
  writeFileSync(join(cwd, 'empty.db'), '')
  await runCli(['migrate', 'up', ...database], { cwd })
  expect(await runCli(['migrate', 'down', ...database], { cwd })).toMatchObject({ code: 2 })
  expect(await jsonOf(['migrate', 'status', ...database], { cwd })).toMatchObject({
    migrations: migrations.map((name) => ({ name, appliedAt: aText })),
  })
  expect(await jsonOf(['migrate', 'down', '--yes', ...database], { cwd })).toEqual({
    undone: migrations.toReversed(),
  })
})

test('migrate down --to takes back what came later; the jobs are there for an older Evertick, and after the next up', async () => {
  const cwd = testFolder()
  await runCli(['migrate', 'up', ...database], { cwd })
  await runCli(['jobs', 'create', 'mine', '--every', '1h', ...database], { cwd })
  const to = ['migrate', 'down', '--to', '0004_notices', ...database]
  expect(await runCli(to, { cwd })).toMatchObject({ code: 2, stderr: containing('Add --yes') })
  const later = migrations.filter((name) => name > '0004_notices')
  expect(await jsonOf([...to, '--yes'], { cwd })).toEqual({ undone: later.toReversed() })
  expect(await runCli(['jobs', 'list', '--json', ...database], { cwd })).toMatchObject({ code: 0 })
  const { jobs } = await jsonOf<{ jobs: { name: string }[] }>(['jobs', 'list', ...database], { cwd })
  expect(jobs.map(({ name }) => name)).toEqual(['mine'])
  const unknown = await runCli(['migrate', 'down', '--to', 'yesterday', ...database], { cwd })
  expect(unknown).toMatchObject({ code: 2, stderr: containing('0001_init') })
})

test('7: an audit log that was changed after it was sealed', async () => {
  const history: History = await makeHistory()
  const file = join(history.folder, 'history.db')
  const at = { cwd: history.folder, env: { EVERTICK_DATABASE_URL: history.database } }
  const evertick = await Evertick.open({ database: history.database })
  await sealByHand(evertick)
  await evertick.stop()
  const proof = await jsonOf(['audit-log', '--verify'], at)
  expect(proof).toMatchObject({ ok: true, broken: [] })
  expect(proof['sealed']).toBeGreaterThan(0)
  const head = (await runCli(['audit-log', '--head'], at)).stdout.trim()
  expect(head).toBe(proof['head'])
  expect(await runCli(['audit-log', '--since-head', head], at)).toMatchObject({ code: 0 })
  const client = new DatabaseSync(file)
  client.exec(`UPDATE evertick_audit_log SET actor = 'eve' WHERE id = 1`)
  client.close()
  const ended = await runCli(['audit-log', '--verify'], at)
  expect(ended).toMatchObject({ code: 7, stdout: containing('an entry or the seal itself was changed') })
  const unknown = await runCli(['audit-log', '--since-head', 'f'.repeat(64)], at)
  expect(unknown).toMatchObject({ code: 7, stdout: containing('The log has no seal with that head') })
  expect(await runCli(['audit-log', '--since-head', 'short'], at)).toMatchObject({ code: 2 })
})
