/** The same commands against a database and against a server of one just like it: the same words, the same JSON. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { createProgram, localCommands } from '../../src/cli/program.ts'
import { Evertick } from '../../src/index.ts'
import { secret } from '../http/api-under-test.ts'
import { makeHistory } from './history.ts'
import { inProcess, type Ran } from './in-process.ts'
import { errorOf, runCli, startCli, testFolder } from './run-cli.ts'

interface Side {
  readonly evertick: Evertick
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

let folder: string
let sides: readonly [local: Side, remote: Side]
/** Of the history, so the same on both sides. */
let failed: string
let ran: string

async function openSide(
  name: string,
  history: string,
): Promise<{ evertick: Evertick; database: string; token: string }> {
  const file = join(folder, `${name}.db`)
  copyFileSync(history, file)
  const database = `sqlite:${file}`
  const api = { port: 0, secrets: [secret] }
  const evertick = await Evertick.open({ database, nodeId: 'the-node', roles: ['api'], api })
  await evertick.start()
  await evertick.locks.acquire('import', { ttl: '1h' })
  const access = openAccess(evertick, database, apiConfig({ secrets: [secret] }))
  const { token } = await access.createToken({ name: 'tests', role: 'admin' })
  return { evertick, database, token }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evertick-remote-'))
  const history = await makeHistory()
  const file = join(history.folder, 'history.db')
  const [one, other] = [await openSide('local', file), await openSide('remote', file)]
  rmSync(history.folder, { recursive: true, force: true })
  const env = { EVERTICK_JWT_SECRET: secret }
  sides = [
    { evertick: one.evertick, flags: ['--database', one.database], env },
    {
      evertick: other.evertick,
      flags: ['--url', other.evertick.url ?? ''],
      env: { ...env, EVERTICK_TOKEN: other.token },
    },
  ]
  const { executions } = await one.evertick.executions.list({ job: 'failing', state: 'failed' })
  failed = executions[0]?.id ?? ''
  ran = (await one.evertick.executions.list({ job: 'minutely', state: 'completed' })).executions[0]?.id ?? ''
  writeFileSync(join(folder, 'jobs.crontab'), '0 4 * * * /usr/bin/backup --all\n@reboot /bin/true\n')
})
afterAll(async () => {
  for (const { evertick } of sides) await evertick.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function run({ flags, env }: Side, args: readonly string[]): Promise<Ran> {
  return await inProcess([...args, ...flags], { cwd: folder, env })
}

/** Without what must differ: ids, instants and names that were made on one side only. */
function comparable({ code, stdout, stderr }: Ran): Ran {
  const plain = (text: string) =>
    text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, '<at>')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
      .replaceAll(/\b\d{13}\b/g, '<ms>')
      .replaceAll(/[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/g, '<token>')
      .replaceAll(/\b(?:cli:\w+|cli|token:tests)\b/g, '<who>')
      .replaceAll(hostname(), '<where>')
      .replaceAll('127.0.0.1', '<where>')
      .replaceAll(/\d+ s ago|now\b/g, '<ago>')
      .replaceAll(/\bin \d+ ?(?:ms|s|min|m)\b/g, 'in <a while>')
  return { code, stdout: plain(stdout), stderr: plain(stderr) }
}

const span = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T00:12:00Z']

type Argument = string | (() => string)

/** Every command that looks at or changes a system, in an order in which each has something to do. */
const lines: readonly (readonly [command: string, ...args: Argument[]])[] = [
  ['jobs list'],
  ['jobs list', '--state', 'active', '--tag', 'billing', '--search', 'minute'],
  ['jobs list', '--limit', '1'],
  ['jobs list', '--health', 'failing'],
  ['jobs show', 'minutely'],
  ['jobs show', 'nowhere'],
  ['jobs create', 'made', '--every', '1h', '--tag', 'two words', '--input', '{"a":1}', '--attempts', '2'],
  ['jobs create', 'made', '--every', '1h'],
  ['jobs create', 'wrong', '--every', 'soon'],
  ['jobs create', 'past', '--at', '2020-01-01T00:00:00Z'],
  ['jobs update', 'made', '--description', 'changed', '--overlap', 'buffer_one'],
  ['jobs pause', 'made', '--reason', 'a test', '--until', '2h'],
  ['jobs resume', 'made', '--catch-up', 'latest'],
  ['jobs trigger', 'made', '--input', '{"b":2}', '--metadata', '{"by":"hand"}'],
  ['jobs upcoming', 'minutely', '--count', '3'],
  ['jobs stats', 'minutely'],
  ['jobs retry', 'failing'],
  ['jobs retry', 'minutely'],
  ['jobs convert', '--dry-run'],
  ['jobs convert'],
  ['jobs convert', '--back'],
  ['jobs reset-cursor', 'minutely'],
  ['jobs cancel', 'made'],
  ['jobs delete', 'made'],
  ['jobs delete', 'made'],
  ['executions list', '--limit', '300'],
  ['executions list', '--job', 'failing', '--state', 'failed', '--limit', '1'],
  ['executions list', '--job', 'nowhere'],
  ['why', 'minutely'],
  ['why', () => failed],
  ['why', 'nothing'],
  ['executions show', () => failed],
  ['executions show', 'nothing'],
  ['executions logs', () => ran],
  ['executions retry', () => failed],
  ['executions cancel', () => ran],
  ['explain', 'minutely', ...span],
  ['explain', 'each-minute', ...span, '--limit', '3', '--all'],
  ['backfill', 'minutely', ...span, '--dry-run'],
  ['backfill', 'minutely', ...span],
  ['backfill', 'minutely', ...span, '--limit', '1'],
  ['audit'],
  ['audit-log', '--limit', '5'],
  ['audit-log', '--subject', 'minutely'],
  ['leader status'],
  ['leader terms'],
  ['leader terms', '--instance', 'first', '--limit', '1'],
  ['leader step-down'],
  ['leases list'],
  ['leases list', '--expired'],
  ['leases reset-expired'],
  ['locks list'],
  ['locks release', 'import'],
  ['locks release', 'import'],
  ['queues pause', 'default', '--reason', 'a test'],
  ['queues list'],
  ['queues resume', 'default'],
  ['nodes'],
  ['stats'],
  ['import crontab', 'jobs.crontab', '--dry-run'],
  ['import crontab', 'jobs.crontab', '--tz', 'Europe/Madrid'],
  ['import crontab', 'jobs.crontab', '--tz', 'Europe/Madrid'],
  ['export crontab'],
  ['export crontab', '--system'],
  ['token create', '--role', 'viewer', '--name', 'ci', '--ttl', '1h'],
  ['token create', '--role', 'king'],
  ['token list'],
  ['token revoke', 'nobody'],
]

/** These have tests of their own below. */
const elsewhere = ['doctor', 'events', 'token revoke', 'add', 'edit', 'rm', 'run', 'next']

function leavesOf(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')]
  return command.commands.flatMap((each) => leavesOf(each, [...path, each.name()]))
}

test('every command is compared here, or works on its own machine only', () => {
  const compared = new Set(lines.map(([command]) => command))
  const cli = { env: {}, cwd: folder, exitCode: 0 } as never
  const missing = leavesOf(createProgram(cli))
    .filter((path) => !localCommands.includes(path.split(' ')[0] ?? '') && path !== 'help')
    .filter((path) => !compared.has(path) && !elsewhere.includes(path))
  expect(missing).toEqual([])
})

const titled = lines.map((line) => ({
  line,
  title: line.map((arg) => (typeof arg === 'string' ? arg : '<id>')).join(' '),
}))

// In JSON first, then in words: what each line changes has then changed on both sides alike.
test.each(titled)('$title: the same from a server as from a database', async ({ line }) => {
  const [command, ...given] = line
  const args = [...command.split(' '), ...given.map((arg) => (typeof arg === 'string' ? arg : arg()))]
  for (const format of [['--json'], []]) {
    const [local, remote] = [
      await run(sides[0], [...args, ...format]),
      await run(sides[1], [...args, ...format]),
    ]
    expect(comparable(remote)).toEqual(comparable(local))
    expect(local.stdout + local.stderr).not.toBe('')
  }
})

test('the short forms of commands ask the server, too', async () => {
  const [, remote] = sides
  for (const args of [
    ['add', 'short', '--every', '1h'],
    ['edit', 'short', '--every', '2h'],
    ['run', 'short'],
    ['next', 'short', '--count', '1'],
    ['rm', 'short'],
  ]) {
    expect([args[0], (await run(remote, args)).code]).toEqual([args[0], 0])
  }
  await expect(sides[0].evertick.jobs.get('short')).rejects.toThrow('no job')
})

test('a token is made and taken back on the server', async () => {
  const [, remote] = sides
  const made = JSON.parse((await run(remote, ['token', 'create', '--role', 'viewer', '--json'])).stdout) as {
    id: string
  }
  expect((await run(remote, ['token', 'revoke', made.id])).code).toBe(0)
  expect((await run(remote, ['token', 'revoke', made.id])).code).toBe(3)
})

test('the doctor says of a server what it would say of its database, and who asks', async () => {
  const checks = await Promise.all(
    sides.map(async (side) => {
      const { stdout } = comparable(await run(side, ['doctor', '--json']))
      const { checks } = JSON.parse(stdout) as { checks: { name: string }[] }
      return new Map(checks.map((check) => [check.name, check]))
    }),
  )
  const [local, remote] = checks as [Map<string, unknown>, Map<string, unknown>]
  const inside = ['database', 'schema', 'writable', 'time zones']
  expect([...remote.keys()].filter((name) => !local.has(name))).toEqual(['server', 'access'])
  expect([...local.keys()].filter((name) => !remote.has(name))).toEqual(inside)
  const shared = [...remote.keys()].filter((name) => local.has(name))
  expect(shared.map((name) => remote.get(name))).toEqual(shared.map((name) => local.get(name)))
})

describe('which one is asked', () => {
  const nowhere = 'http://127.0.0.1:1'

  test('a flag goes before the environment, and a server before a database', async () => {
    const [local, remote] = sides
    const [, database = ''] = local.flags
    const [, url = ''] = remote.flags
    await sides[1].evertick.jobs.create({ name: 'only-there', schedule: { every: '1h' } })
    const asked = async (flags: string[], env: Record<string, string>) => {
      const ran = await inProcess(['jobs', 'show', 'only-there', ...flags], {
        cwd: folder,
        env: { ...remote.env, ...env },
      })
      return ran.code === 0 ? 'the server' : ran.code === 3 ? 'the database' : `exit code ${ran.code}`
    }
    expect(await asked(['--url', url, '--database', database], {})).toBe('the server')
    expect(await asked(['--url', url], { EVERTICK_URL: nowhere, EVERTICK_DATABASE_URL: database })).toBe(
      'the server',
    )
    expect(await asked(['--database', database], { EVERTICK_URL: url })).toBe('the database')
    expect(await asked([], { EVERTICK_URL: url, EVERTICK_DATABASE_URL: database })).toBe('the server')
    expect(await asked([], { EVERTICK_URL: '', EVERTICK_DATABASE_URL: database })).toBe('the database')
    expect(await asked(['--token', 'wrong', '--url', url], {})).toBe('exit code 5')
    const file = join(folder, 'token')
    writeFileSync(file, `${remote.env.EVERTICK_TOKEN}\n`)
    expect(await asked(['--url', url], { EVERTICK_TOKEN: '', EVERTICK_TOKEN_FILE: file })).toBe('the server')
  })

  test('no token, a wrong one, nobody there, no server for a token: each has its exit code and next step', async () => {
    const [, url = ''] = sides[1].flags
    const failure = async (flags: string[], env: Record<string, string> = {}) => {
      const ran = await inProcess(['jobs', 'list', '--json', ...flags], { cwd: folder, env })
      const { code, next = '' } = errorOf(ran)
      return [ran.code, code, next.split(' ').slice(0, 3).join(' '), ran.stderr.includes('hunter2')]
    }
    expect(await failure(['--url', url])).toEqual([5, 'unauthenticated', 'Create one on', false])
    expect(await failure(['--url', url, '--token', 'hunter2'])).toEqual([
      5,
      'unauthenticated',
      expect.any(String),
      false,
    ])
    expect(await failure(['--url', nowhere, '--token', 'hunter2'])).toEqual([
      6,
      'server_unavailable',
      'Check the URL,',
      false,
    ])
    expect(await failure(['--url', 'jobs.example.com', '--token', 'a'])).toEqual([
      2,
      'invalid_option',
      'Write one such',
      false,
    ])
    expect(await failure(['--token', 'hunter2'])).toEqual([2, 'invalid_option', 'Set --url or', false])
  })

  test.each(localCommands)('%s is refused with --url, and takes no notice of EVERTICK_URL', async (name) => {
    const rest = { cron: ['* * * * *'], migrate: ['status'], completion: ['bash'] }[name] ?? []
    const refused = await inProcess([name, ...rest, '--url', nowhere, '--json'], { cwd: folder, env: {} })
    expect([refused.code, errorOf(refused).field]).toEqual([2, '--url'])
  })

  test('a command of this machine runs although the environment names a server', async () => {
    const [local] = sides
    const env = { ...local.env, EVERTICK_URL: nowhere, EVERTICK_DATABASE_URL: local.flags[1] ?? '' }
    for (const args of [['migrate', 'status'], ['login'], ['cron', '* * * * *']]) {
      expect([args[0], (await inProcess(args, { cwd: folder, env })).code]).toEqual([args[0], 0])
    }
  })
})

describe('events --follow', () => {
  test.each([0, 1] as const)('a line for each change until Ctrl-C, from side %i', async (which) => {
    const { evertick, flags, env } = sides[which]
    const cwd = testFolder()
    const plain = startCli(['events', '--follow', ...flags], { cwd, env })
    const json = startCli(['events', '--follow', '--job', 'each-minute', '--json', ...flags], { cwd, env })
    await plain.says('Waiting for events')
    // Nothing says that a reader of JSON is ready: a change is made until it is seen.
    const changes = setInterval(() => {
      void evertick.jobs.pause('minutely').then(() => evertick.jobs.resume('minutely'))
      void evertick.jobs.pause('each-minute').then(() => evertick.jobs.resume('each-minute'))
    }, 300)
    await Promise.all([plain.says(/job +minutely +changed/), json.says('"job":"each-minute"')])
    clearInterval(changes)
    for (const cli of [plain, json]) {
      cli.signal('SIGINT')
      expect((await cli.ended).code).toBe(130)
    }
    const told = json.stdout.trimEnd().split('\n')
    const events = told.map((line) => JSON.parse(line) as { type: string; job: string })
    expect(new Set(events.map(({ job }) => job))).toEqual(new Set(['each-minute']))
    const change = events.find(({ type }) => type === 'job')
    expect(Object.keys(change ?? {})).toEqual(['at', 'type', 'id', 'job', 'deleted'])
  })

  test('without --follow it says what there is instead', async () => {
    const { code, stderr } = await runCli(['events'], { cwd: testFolder() })
    expect([code, stderr]).toEqual([2, expect.stringContaining('--follow')])
  })
})
