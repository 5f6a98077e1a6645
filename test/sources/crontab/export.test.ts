/** Jobs as a crontab: what it can say, what it cannot, and that the way there and back changes nothing. */

import { userInfo } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contextOf } from '../../../src/app/app-context.ts'
import { exportCrontab } from '../../../src/app/crontab/export-crontab.ts'
import { importCrontab } from '../../../src/app/crontab/import-crontab.ts'
import { type CreateJob, Evertick, nextTicks, type Schedule } from '../../../src/index.ts'
import { parseCrontab } from '../../../src/sources/crontab/parse-crontab.ts'
import { ManualClock } from '../../../src/testing/index.ts'
import { randomCrontab } from './random-crontab.ts'

async function open(timezone = 'UTC', allowCommands: readonly string[] = []): Promise<Evertick> {
  const clock = new ManualClock('2026-01-01T00:00:00Z')
  const evertick = await Evertick.open({ database: 'sqlite::memory:', clock, timezone, allowCommands })
  onTestFinished(() => evertick.stop())
  return evertick
}

async function exported(...jobs: CreateJob[]) {
  const evertick = await open()
  for (const job of jobs) await evertick.jobs.create(job)
  return await exportCrontab(contextOf(evertick))
}

test('imported jobs come back with their zones, comments and users, and what needs a shell as a trigger', async () => {
  const evertick = await open('Europe/Madrid')
  const text = [
    'CRON_TZ=Asia/Tokyo',
    '# Backs everything up',
    '0 3 * * * root /opt/backup.sh +\\%F',
    'CRON_TZ=',
    '@daily www-data php cron.php%y',
  ].join('\n')
  expect(await importCrontab(evertick.jobs, text)).toMatchObject({
    format: 'system',
    created: ['backs-everything-up', 'php-cron-php'],
  })
  expect(await evertick.jobs.get('php-cron-php')).toMatchObject({
    schedule: { cron: '@daily', timezone: 'Europe/Madrid' },
    handler: { type: 'function', name: 'php-cron-php' },
    managedBy: 'api',
    metadata: { crontab: { command: 'php cron.php', user: 'www-data', stdin: 'y' } },
  })
  const { crontab, format } = await exportCrontab(contextOf(evertick))
  expect(format).toBe('system')
  expect(crontab.split('\n').slice(2)).toEqual([
    '',
    'CRON_TZ=Asia/Tokyo',
    '',
    '# Backs everything up',
    '# evertick: backs-everything-up',
    '0 3 * * * root evertick jobs trigger backs-everything-up',
    '',
    'CRON_TZ=Europe/Madrid',
    '',
    '# evertick: php-cron-php',
    '@daily www-data evertick jobs trigger php-cron-php',
    '',
  ])
})

/** The lines that a cron would run. */
const linesOf = (crontab: string) => crontab.split('\n').filter((line) => /^[*@\d]/.test(line))
const hourly = { schedule: { cron: '0 * * * *' } } as const

test('a command that some node allows is written out, quoted and with its percents escaped', async () => {
  const evertick = await open('UTC', ['/opt/run'])
  const args = ['plain', 'a b', "it's", '100%', '', '$HOME; rm *']
  await evertick.jobs.create({
    name: 'a',
    ...hourly,
    handler: { type: 'command', command: '/opt/run', args },
  })
  const { crontab } = await exportCrontab(contextOf(evertick))
  expect(linesOf(crontab)).toEqual([`0 * * * * /opt/run plain 'a b' "it's" '100\\%' '' '$HOME; rm *'`])
})

test.each<[string, CreateJob['handler'], Partial<CreateJob>]>([
  ['nobody allows', { type: 'command', command: '/opt/evil' }, {}],
  ['has a folder', { type: 'command', command: '/opt/run', cwd: '/tmp' }, {}],
  ['has an input', { type: 'command', command: '/opt/run' }, { input: 1 }],
  ['has a line break', { type: 'command', command: '/opt/run', args: ['a\n* * * * * root evil'] }, {}],
  ['has a control character', { type: 'command', command: '/opt/run', args: ['\u001b[2J'] }, {}],
  ['turns the direction of writing', { type: 'command', command: '/opt/run', args: ['\u202elive'] }, {}],
  ['has a backslash before a percent', { type: 'command', command: '/opt/run', args: ['\\%'] }, {}],
])('a command that %s is triggered instead', async (_, handler = 'a', more) => {
  const evertick = await open('UTC', ['/opt/run'])
  await evertick.jobs.create({ name: 'a', ...hourly, handler, ...more })
  const { crontab } = await exportCrontab(contextOf(evertick), { format: 'user' })
  expect(linesOf(crontab)).toEqual(['0 * * * * evertick jobs trigger a'])
})

test.each<[string, Record<string, unknown>]>([
  ['a command', { command: '/bin/evil' }],
  ['a line in the command', { command: 'x\n* * * * * root evil' }],
  ['a line in the input', { command: 'x', stdin: '\n* * * * * root evil' }],
  ['a line in the user', { command: 'x', user: 'root\n* * * * * root evil' }],
  ['a command in the user', { command: 'x', user: 'root evil;' }],
  ['a user that is no text', { command: 7, user: { evil: 1 } }],
])('metadata with %s adds no line, no command and no user', async (_, kept) => {
  const evertick = await open('UTC', ['/opt/run'])
  const metadata = { crontab: kept }
  await evertick.jobs.create({ name: 'a', ...hourly, metadata })
  await evertick.jobs.create({
    name: 'b',
    ...hourly,
    metadata: { crontab: { ...kept, user: kept['user'] ?? 'root' } },
    handler: { type: 'command', command: '/opt/run' },
  })
  const me = userInfo().username
  const lines = (format: 'user' | 'system') =>
    exportCrontab(contextOf(evertick), { format }).then(({ crontab }) => linesOf(crontab))
  expect(await lines('user')).toEqual(['0 * * * * evertick jobs trigger a', '0 * * * * /opt/run'])
  expect(await lines('system')).toEqual([
    `0 * * * * ${me} evertick jobs trigger a`,
    `0 * * * * ${me} /opt/run`,
  ])
})

test('a line break in a schedule or a description adds no line, and nothing steers a terminal', async () => {
  const { crontab } = await exported({
    name: 'a',
    schedule: { cron: '0\n3\t* *\n*' },
    description: 'one\n* * * * * root evil\r* * * * * evil\u001b[2J\u202e',
  })
  expect(linesOf(crontab)).toEqual(['0 3 * * * evertick jobs trigger a'])
  // oxlint-disable-next-line no-control-regex -- that there is none is the promise
  expect(crontab).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
})

test('other jobs are triggered', async () => {
  const { crontab } = await exported({
    name: 'my report',
    schedule: { cron: '0 9 * * 1-5' },
    description: 'Reports',
  })
  expect(crontab).toContain(
    "# Reports\n# evertick: my report\n0 9 * * 1-5 evertick jobs trigger 'my report'\n",
  )
})

describe('what a crontab cannot express stands below, with why', () => {
  test.each<[Omit<CreateJob, 'name'>, string]>([
    [{ schedule: { cron: '*/10 * * * * *' } }, 'a crontab cannot express "*/10 * * * * *"'],
    [{ schedule: { cron: 'H 3 * * *' } }, 'a crontab cannot express "H 3 * * *"'],
    [{ schedule: { cron: '0 0 L * *' } }, 'a crontab cannot express "0 0 L * *"'],
    [{ schedule: { cron: '0 0 * * 1#2' } }, 'a crontab cannot express "0 0 * * 1#2"'],
    [{ schedule: { cron: '5/15 * * * *' } }, 'a crontab cannot express "5/15 * * * *"'],
    [{ schedule: { cron: '0 22-2 * * *' } }, 'a crontab cannot express "0 22-2 * * *"'],
    [{ schedule: { every: '30s' } }, 'its interval does not divide an hour, a day or a week'],
    [{ schedule: { every: '7m' } }, 'its interval does not divide an hour, a day or a week'],
    [{ schedule: { fixedDelay: '5m' } }, 'it counts from the end of each run'],
    [{ schedule: { at: '2027-01-01T00:00:00Z' } }, 'it runs once'],
    [{}, 'it has no schedule'],
    [{ schedule: { cron: '0 * * * *' }, paused: true }, 'it is paused'],
    [{ schedule: { cron: '0 * * * *' }, maxRuns: 3 }, 'its schedule has a start or an end'],
  ])('%j: %s', async (job, why) => {
    const { leftOut, exported: written, crontab } = await exported({ name: 'a', ...job })
    expect(leftOut).toEqual([{ job: 'a', why }])
    expect(written).toEqual([])
    expect(crontab).toContain(`#   a: ${why}\n`)
    expect(parseCrontab(crontab).entries).toEqual([])
  })
})

describe('an interval that a crontab can say has the very same ticks', () => {
  test.each<[Schedule, string]>([
    [{ every: '1m', anchor: 'epoch' }, '* * * * *'],
    [{ every: '15m', anchor: 'epoch' }, '*/15 * * * *'],
    [{ every: '15m', anchor: '2026-01-01T00:04:00Z' }, '4-59/15 * * * *'],
    [{ every: '1h', anchor: '2026-01-01T00:30:00Z' }, '30 * * * *'],
    [{ every: '6h', anchor: '2026-01-01T02:10:00Z' }, '10 2-23/6 * * *'],
    [{ every: '1d', anchor: '2026-01-01T03:05:00Z' }, '5 3 * * *'],
    [{ every: '1w', anchor: '2026-01-04T03:05:00Z' }, '5 3 * * 0'],
  ])('%j', async (schedule, cron) => {
    const { crontab } = await exported({ name: 'a', schedule })
    const [entry] = parseCrontab(crontab).entries
    expect(entry).toMatchObject({ cron, timezone: 'UTC' })
    const from = new Date('2026-01-01T00:00:00Z')
    const ticks = (of: Schedule) => nextTicks(of, { from, count: 50 })
    expect(ticks({ cron })).toEqual(ticks(schedule))
  })
})

describe('importing again', () => {
  test('changes only what has changed, and says so', async () => {
    const evertick = await open()
    const text = (minute: number, command: string) =>
      `# One\n${minute} 1 * * * one\n# Two\n0 2 * * * ${command}`
    expect(await importCrontab(evertick.jobs, text(0, 'two'))).toMatchObject({ created: ['one', 'two'] })
    expect(await importCrontab(evertick.jobs, text(0, 'two'))).toMatchObject({
      created: [],
      updated: [],
      unchanged: ['one', 'two'],
    })
    expect((await evertick.jobs.get('one')).revision).toBe(1)
    expect(await importCrontab(evertick.jobs, text(5, 'two'), { dryRun: true })).toMatchObject({
      updated: ['one'],
    })
    expect((await evertick.jobs.get('one')).revision).toBe(1)
    expect(await importCrontab(evertick.jobs, text(5, 'deux'), { actor: 'cli:me' })).toMatchObject({
      updated: ['one', 'two'],
    })
    expect(await evertick.jobs.get('one')).toMatchObject({ revision: 2, schedule: { cron: '5 1 * * *' } })
    expect((await evertick.jobs.get('two')).metadata).toEqual({ crontab: { command: 'deux' } })
    expect((await evertick.auditLog.list({ limit: 1 })).entries).toMatchObject([{ actor: 'cli:me' }])
  })

  test('a line that needs no shell is a command, and follows its line; a person’s handler stays', async () => {
    const evertick = await open()
    const handlerOf = async () => (await evertick.jobs.get('one')).handler
    const text = (command: string) => `# One\n0 1 * * * ${command}`
    const made = await importCrontab(evertick.jobs, text('/opt/one --fast'))
    expect(made.commands).toEqual([{ job: 'one', command: '/opt/one' }])
    expect(await handlerOf()).toEqual({ type: 'command', command: '/opt/one', args: ['--fast'], env: {} })
    await importCrontab(evertick.jobs, text('/opt/two'))
    expect(await handlerOf()).toMatchObject({ command: '/opt/two', args: [] })
    await importCrontab(evertick.jobs, text('/opt/two | tee log'))
    expect(await handlerOf()).toEqual({ type: 'function', name: 'one' })
    await importCrontab(evertick.jobs, text('/opt/three'))
    expect(await handlerOf()).toMatchObject({ command: '/opt/three' })
    await evertick.jobs.update('one', { handler: { type: 'command', command: '/opt/mine' } })
    expect((await importCrontab(evertick.jobs, text('/opt/four'))).commands).toEqual([])
    expect(await handlerOf()).toMatchObject({ command: '/opt/mine' })
  })

  test.each([
    ['SHELL=/bin/bash\n0 1 * * * /opt/one'],
    ['FOO=bar\n0 1 * * * /opt/one'],
    ['0 1 * * * /opt/one%input'],
    ['0 1 * * * /opt/one > log'],
  ])('%j needs more than a command is given', async (text) => {
    const evertick = await open()
    expect(await importCrontab(evertick.jobs, text)).toMatchObject({
      created: [expect.any(String)],
      commands: [],
    })
  })

  test('a line with a user is not run as another', async () => {
    const evertick = await open()
    const text = '0 1 * * * root /opt/one'
    expect(await importCrontab(evertick.jobs, text)).toMatchObject({ format: 'system', commands: [] })
  })

  test('what an operator has added stays', async () => {
    const evertick = await open()
    await importCrontab(evertick.jobs, '0 1 * * * one')
    await evertick.jobs.update('one', { handler: 'mine', tags: ['kept'] })
    await importCrontab(evertick.jobs, '5 1 * * * one')
    expect(await evertick.jobs.get('one')).toMatchObject({
      handler: { name: 'mine' },
      tags: ['kept'],
      schedule: { cron: '5 1 * * *' },
    })
  })

  test('the zone of a line is that of the file, else the one that is given, else that of the node', async () => {
    const evertick = await open('Asia/Tokyo')
    await importCrontab(evertick.jobs, '0 1 * * * node')
    await importCrontab(evertick.jobs, '0 1 * * * given\nCRON_TZ=Europe/Madrid\n0 1 * * * file', {
      timezone: 'America/Lima',
    })
    const zones = (await evertick.jobs.list()).jobs.map(({ name, timezone }) => `${name} ${timezone}`)
    expect(zones).toEqual(['file Europe/Madrid', 'given America/Lima', 'node Asia/Tokyo'])
    await expect(importCrontab(evertick.jobs, '', { timezone: 'Mars/Base' })).rejects.toMatchObject({
      code: 'invalid_timezone',
    })
  })

  test('a name that belongs to another job is a conflict, and that job is left alone', async () => {
    const evertick = await open()
    await evertick.jobs.create({ name: 'one', schedule: { every: '1h' } })
    expect(await importCrontab(evertick.jobs, '0 1 * * * one\n0 2 * * * two')).toMatchObject({
      created: ['two'],
      conflicts: [{ line: 1, job: 'one', why: 'a job of this name exists, managed by api' }],
    })
    expect((await evertick.jobs.get('one')).schedule).toMatchObject({ every: '1h' })
  })
})

describe('there and back', () => {
  test.each(Array.from({ length: 30 }, (_, index) => index + 1))('random crontab %i', async (seed) => {
    const evertick = await open()
    const text = randomCrontab(seed)
    const first = await importCrontab(evertick.jobs, text)
    expect(first.created.length + first.unsupported.length).toBeGreaterThan(0)
    const { crontab } = await exportCrontab(contextOf(evertick))
    const again = await importCrontab(evertick.jobs, crontab)
    expect(again).toMatchObject({ created: [], updated: [], conflicts: [], unsupported: [] })
    expect(again.unchanged.toSorted()).toEqual(first.created.toSorted())

    const other = await open()
    await importCrontab(other.jobs, crontab)
    expect((await exportCrontab(contextOf(other))).crontab).toBe(crontab)
  })
})
