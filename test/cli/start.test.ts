import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../process/until.ts'
import { containing, jsonOf, runCli, startCli, testFolder } from './run-cli.ts'

const config = `
import { defineConfig, defineJob } from 'evertick'
const tick = defineJob({ name: 'tick', schedule: { every: '200ms' }, catchUp: 'latest', run: () => 'ran' })
const stubborn = defineJob({ name: 'stubborn', run: () => new Promise(() => setInterval(() => {}, 1000)) })
export default defineConfig({ jobs: [tick, stubborn] })
`

test('SIGINT stops gracefully with 130, and the next start tells what was missed', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config })
  const first = startCli(['start'], { cwd })
  await first.says(/tick\s+Every 200 milliseconds/)
  await first.says(/✓ tick\s+ran in/)
  first.signal('SIGINT')
  const stopped = await first.ended
  expect(stopped.code).toBe(130)
  expect(stopped.stderr).toMatch(/Goodbye after .*: [\d,]+ ticks? accounted for/)
  // Three ticks long: of several that were missed, one is caught up and the others are coalesced into it.
  await delay(600)

  const second = startCli(['start'], { cwd })
  await second.says('While you were away')
  await second.says(/│ tick\s+\d+/)
  second.signal('SIGTERM')
  const ended = await second.ended
  expect(ended.code).toBe(143)
  expect(ended.stdout).toMatch(/[\d,]+ ticks? fell due: .*coalesced/)
  expect(ended.stdout).not.toContain('\u001b[')
  expect(await jsonOf(['audit'], { cwd })).toMatchObject({ ok: true })
})

test('jobs that nobody can run are named once at the start, and explain and why say the same', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config })
  await runCli(['migrate', 'up'], { cwd })
  await runCli(['jobs', 'create', 'backup', '--every', '200ms', '--command', '/usr/bin/backup'], { cwd })
  const cli = startCli(['start'], { cwd })
  await cli.says(/✓ tick/)
  await cli.says('No node can run job "backup": No live node may run /usr/bin/backup. Add /usr/bin/backup')
  const { stdout } = await runCli(['why', 'backup'], { cwd })
  expect(stdout).toContain('No live node may run /usr/bin/backup.')
  expect((await runCli(['jobs', 'list', '--health', 'disabled'], { cwd })).stdout).toContain('backup')
  expect((await runCli(['explain', 'backup'], { cwd })).stdout).toContain(
    'held back: no node has its handler',
  )
  cli.signal('SIGINT')
  expect((await cli.ended).stderr.split('No node can run job')).toHaveLength(2)
})

test('a second Ctrl-C leaves at once', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config })
  const cli = startCli(['start'], { cwd })
  await cli.says(/✓ tick/)
  await runCli(['run', 'stubborn'], { cwd })
  await cli.says(/stubborn\s+is running/)
  cli.signal('SIGINT')
  await cli.says('Ctrl-C again')
  // npm passes on the terminal's signal at once; only a later one is a second Ctrl-C.
  const again = setInterval(() => cli.signal('SIGINT'), 100)
  expect((await cli.ended.finally(() => clearInterval(again))).code).toBe(130)
})

test('the example heeds EVERTICK_… only, and --fresh begins anew', async () => {
  const cwd = testFolder({ 'evertick.config.ts': 'this is not even TypeScript' })
  const env = { DATABASE_URL: 'postgres://stray/app', PORT: '80', EVERTICK_DATA_DIR: 'data' }
  const first = startCli(['start', '--example'], { cwd, env })
  await first.says('Stop me with Ctrl-C, wait a minute, start me again')
  await first.says('leads, term 1')
  const busy = await runCli(['start', '--example', '--fresh'], { cwd, env })
  expect(busy).toMatchObject({ code: 6, stderr: containing('Stop process') })
  first.signal('SIGINT')
  expect((await first.ended).code).toBe(130)
  expect(first.stdout).toContain(join('data', 'evertick.db'))
  expect(existsSync(join(cwd, 'data', 'evertick.db'))).toBe(true)
  const fresh = startCli(['start', '--example', '--fresh'], { cwd, env })
  await fresh.says('leads, term 1')
  expect(fresh.stdout).not.toContain('While you were away')
  fresh.signal('SIGTERM')
  expect((await fresh.ended).code).toBe(143)
})

test('--fresh deletes no database but its own', async () => {
  const cwd = testFolder({
    'evertick.config.mjs': "export default { database: 'sqlite:precious.db' }",
    'precious.db': '',
  })
  const ended = await runCli(['start', '--fresh'], { cwd })
  expect(ended).toMatchObject({ code: 2, stderr: containing('--fresh') })
  expect(existsSync(join(cwd, 'precious.db'))).toBe(true)
})

test('with --json every event is a line', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config })
  const cli = startCli(['start', '--json'], { cwd })
  await cli.says('execution:completed')
  cli.signal('SIGINT')
  const { stdout } = await cli.ended
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event: string }).event)
  expect(events).toEqual(expect.arrayContaining(['leader:elected', 'tick:accounted', 'execution:completed']))
})

test.each(['start', 'worker'])('%s ends with 6 and what to do when its file is deleted', async (command) => {
  const cwd = testFolder({ 'evertick.config.ts': config })
  const env = { EVERTICK_DATABASE_URL: 'sqlite:own.db' }
  await runCli(['migrate', 'up'], { cwd, env })
  const cli = startCli([command], { cwd, env })
  await cli.says(command === 'start' ? /✓ tick/ : 'Serving default')
  await until('its files', () => existsSync(join(cwd, 'own.db-wal')))
  for (const part of ['', '-wal', '-shm']) rmSync(join(cwd, `own.db${part}`))
  const ended = await cli.ended
  expect(ended.code).toBe(6)
  expect(ended.stderr).toMatch(/own\.db was deleted, moved or replaced under this node/)
  expect(ended.stderr).toContain('start the node again')
})
