/** The same commands against a database and against a server of one just like it: the same words, the same JSON. */
import { writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { beforeAll, expect, test } from 'vitest'
import { createProgram, localCommands } from '../../src/cli/program.ts'
import { inProcess, type Ran } from './in-process.ts'
import { type Side, twoSides } from './two-sides.ts'

const sides = twoSides()
/** Of the history, so the same on both sides. */
let failed: string
let ran: string

beforeAll(async () => {
  const { folder, local } = sides()
  const { executions } = local.evertick
  failed = (await executions.list({ job: 'failing', state: 'failed' })).executions[0]?.id ?? ''
  ran = (await executions.list({ job: 'minutely', state: 'completed' })).executions[0]?.id ?? ''
  const jobs = [
    { name: 'from-a-file', schedule: { cron: '0 4 * * *' }, retry: { attempts: 2 } },
    { name: 'another', schedule: { every: '1h', anchor: 'epoch' } },
  ]
  const files = {
    'jobs.yaml': jobs,
    'less.yaml': [{ ...jobs[0], priority: 3 }],
    'bad.yaml': [{ ...jobs[0], retri: 1 }],
    'jobs.json': [{ name: 'another' }, { name: 'imported' }],
  }
  for (const [name, list] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(list))
  writeFileSync(join(folder, 'jobs.crontab'), '0 4 * * * /usr/bin/backup --all\n@reboot /bin/true\n')
})

async function run({ flags, env }: Side, args: readonly string[]): Promise<Ran> {
  return await inProcess([...args, ...flags], { cwd: sides().folder, env })
}

/** Without what must differ: ids, instants and names that were made on one side only. */
function comparable({ code, stdout, stderr }: Ran): Ran {
  const plain = (text: string) =>
    text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, '<at>')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
      .replaceAll(/\b\d{13}\b/g, '<ms>')
      .replaceAll(/[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/g, '<token>')
      .replaceAll(/after \d+ ms/g, 'after <ms>')
      .replaceAll(/"tookMs":\d+/g, '"tookMs":<ms>')
      .replaceAll(/whsec_[\w+/=]+/g, '<secret>')
      .replaceAll(/(?<=\/ping\/|"token":")[\w-]{32}/g, '<secret>')
      .replaceAll(/\b(?:cli:\w+|cli|token:tests)\b/g, '<who>')
      // A person is called by name.
      .replaceAll(/(?<= by )[\w-]+(?=: a test)/g, '<who>')
      .replaceAll(`\t${userInfo().username}\t`, '\t<who>\t')
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
  ['jobs create', 'host-backup', '--every', '1h', '--check-in', '30m'],
  ['jobs rotate-check-in', 'host-backup'],
  ['jobs rotate-check-in', 'minutely'],
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
  ['executions signal', () => ran, 'approve', '{}'],
  ['executions signal', 'nothing', 'approve'],
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
  ['alerts rules set', 'own', '--kind', 'failing', '--param', 'runs=5', '--tag', 'money', '--pause', '30m'],
  ['alerts rules set', 'late', '--off'],
  ['alerts rules list'],
  ['alerts list', '--all'],
  ['alerts rules delete', 'own'],
  ['alerts show', 'nothing'],
  ['alerts ack', 'nothing', '--note', 'mine'],
  ['alerts snooze', 'nothing', '--until', '2h'],
  ['webhooks create', 'ops', '--to', 'https://127.0.0.1/hook', '--event', 'job.*', '--header', 'x-team: ops'],
  ['webhooks list'],
  ['webhooks show', 'ops'],
  ['webhooks update', 'ops', '--event', 'execution.failed', '--job', 'etl-*', '--attempts', '2'],
  ['webhooks update', 'ops', '--event', 'nothing'],
  ['webhooks test', 'ops'],
  ['webhooks rotate', 'ops'],
  ['webhooks deliveries', 'ops', '--state', 'failed'],
  ['webhooks resend', 'ops', '--since', '2h'],
  ['webhooks pause', 'ops', '--reason', 'a test'],
  ['webhooks resume', 'ops'],
  ['webhooks delete', 'ops'],
  ['secrets set', 'token'],
  ['secrets set', 'not valid'],
  ['jobs update', 'minutely', '--secret-http', 'token', '--secret-header', 'x-key: token'],
  ['secrets list'],
  ['secrets delete', 'token'],
  ['secrets rotate'],
  ['secrets delete', 'token', '--force'],
  ['secrets delete', 'token'],
  ['queues resume', 'default'],
  ['nodes'],
  ['stats'],
  ['import crontab', 'jobs.crontab', '--dry-run'],
  ['import crontab', 'jobs.crontab', '--tz', 'Europe/Madrid'],
  ['import crontab', 'jobs.crontab', '--tz', 'Europe/Madrid'],
  ['export crontab'],
  ['export crontab', '--system'],
  ['apply', '-f', 'jobs.yaml', '--dry-run'],
  ['apply', '-f', 'jobs.yaml'],
  ['apply', '-f', 'bad.yaml'],
  ['diff', '-f', 'jobs.yaml'],
  ['diff', '-f', 'less.yaml', '--name', 'jobs'],
  ['export yaml', 'from-a-file', 'another'],
  ['export json', 'from-a-file'],
  ['export json', 'nowhere'],
  ['import json', 'jobs.json', '--dry-run'],
  ['import json', 'jobs.json'],
  ['apply', '-f', 'jobs.json'],
  ['apply', '-f', 'less.yaml', '--name', 'jobs', '--prune'],
  ['token create', '--role', 'viewer', '--name', 'ci', '--ttl', '1h'],
  ['token create', '--role', 'king'],
  ['token list'],
  ['token revoke', 'nobody'],
]

/** These have tests of their own. */
const elsewhere = ['doctor', 'events', 'token revoke', 'add', 'edit', 'rm', 'run', 'next']

function leavesOf(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')]
  return command.commands.flatMap((each) => leavesOf(each, [...path, each.name()]))
}

test('every command is compared here, or works on its own machine only', () => {
  const compared = new Set(lines.map(([command]) => command))
  const cli = { env: {}, cwd: sides().folder, exitCode: 0 } as never
  const missing = leavesOf(createProgram(cli))
    .filter((path) => !localCommands.some((local) => `${path} `.startsWith(`${local} `)) && path !== 'help')
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
    const local = await run(sides().local, [...args, ...format])
    const remote = await run(sides().remote, [...args, ...format])
    expect(comparable(remote)).toEqual(comparable(local))
    expect(local.stdout + local.stderr).not.toBe('')
  }
})

test('the short forms of commands ask the server, too', async () => {
  const { remote } = sides()
  for (const args of [
    ['add', 'short', '--every', '1h'],
    ['edit', 'short', '--every', '2h'],
    ['run', 'short'],
    ['next', 'short', '--count', '1'],
    ['rm', 'short'],
  ]) {
    expect([args[0], (await run(remote, args)).code]).toEqual([args[0], 0])
  }
  await expect(sides().local.evertick.jobs.get('short')).rejects.toThrow('no job')
})

test('a token is made and taken back on the server', async () => {
  const { remote } = sides()
  const made = JSON.parse((await run(remote, ['token', 'create', '--role', 'viewer', '--json'])).stdout) as {
    id: string
  }
  expect((await run(remote, ['token', 'revoke', made.id])).code).toBe(0)
  expect((await run(remote, ['token', 'revoke', made.id])).code).toBe(3)
})

test('the doctor says of a server what it would say of its database, and who asks', async () => {
  const checks = await Promise.all(
    [sides().local, sides().remote].map(async (side) => {
      const { stdout } = comparable(await run(side, ['doctor', '--json']))
      const { checks } = JSON.parse(stdout) as { checks: { name: string }[] }
      return new Map(checks.map((check) => [check.name, check]))
    }),
  )
  const [local, remote] = checks as [Map<string, unknown>, Map<string, unknown>]
  const settings = ['log', 'archive', 'api', 'secret']
  const database = ['database', 'schema', 'writable', 'files', 'disk', 'secrets', 'time zones', 'sizes']
  const inside = [...settings, ...database]
  expect([...remote.keys()].filter((name) => !local.has(name))).toEqual(['server', 'access'])
  expect([...local.keys()].filter((name) => !remote.has(name))).toEqual(inside)
  const shared = [...remote.keys()].filter((name) => local.has(name))
  expect(shared.map((name) => remote.get(name))).toEqual(shared.map((name) => local.get(name)))
})
