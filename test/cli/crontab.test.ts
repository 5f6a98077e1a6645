/** `evertick import crontab` and `export crontab`, and `jobs convert` both ways, as processes. */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { errorOf, jsonOf, runCli, testFolder } from './run-cli.ts'

const crontab = '# Nightly backup\n0 3 * * * /opt/backup.sh\n@reboot /opt/warm-up.sh\nMAILTO=me\n'
const database = ['--database', 'sqlite:jobs.db']

function folderWith(content: string) {
  return { cwd: testFolder({ 'my.crontab': content }) }
}

test('import says what it did, by name and by line; a line that needs a person is exit code 7', async () => {
  const at = folderWith(crontab)
  const { code, stdout, stderr } = await runCli(['import', 'crontab', 'my.crontab', ...database], at)
  expect(code).toBe(7)
  expect(stdout.split('\n')).toEqual([
    'JOB\tRESULT',
    'nightly-backup\tcreated',
    'LINE\tTEXT\tWHY',
    '3\t@reboot /opt/warm-up.sh\t"@reboot" is not a point in time, so it has no ticks',
    '4\tMAILTO=me\tnothing is mailed: results, errors and logs are kept with each run',
    '',
  ])
  expect(stderr).toContain('A user crontab: 1 created, 0 updated, 0 unchanged.')
  expect(stderr).toContain(
    '1 job will run once a worker allows the command: EVERTICK_ALLOW_COMMANDS=/opt/backup.sh',
  )
})

test('its JSON is what the library gives; again changes nothing; settings alone are no problem', async () => {
  const at = folderWith('MAILTO=me\n# Nightly backup\n0 3 * * * /opt/backup.sh\n')
  const args = ['import', 'crontab', 'my.crontab', '--tz', 'Europe/Madrid', ...database]
  const dry = await runCli([...args, '--dry-run', '--json'], at)
  expect(dry.code).toBe(0)
  expect(JSON.parse(dry.stdout)).toEqual({
    format: 'user',
    created: ['nightly-backup'],
    updated: [],
    unchanged: [],
    commands: [{ job: 'nightly-backup', command: '/opt/backup.sh' }],
    conflicts: [],
    unsupported: [
      {
        line: 1,
        text: 'MAILTO=me',
        kind: 'setting',
        why: 'nothing is mailed: results, errors and logs are kept with each run',
      },
    ],
    dryRun: true,
  })
  expect(await jsonOf(args, at)).toMatchObject({ created: ['nightly-backup'], dryRun: false })
  expect(await jsonOf(args, at)).toMatchObject({ created: [], unchanged: ['nightly-backup'] })
  expect(await jsonOf(['jobs', 'show', 'nightly-backup', ...database], at)).toMatchObject({
    schedule: { cron: '0 3 * * *', timezone: 'Europe/Madrid' },
    managedBy: 'api',
    handler: { type: 'command', command: '/opt/backup.sh', args: [] },
    metadata: { crontab: { command: '/opt/backup.sh' } },
  })
})

test('import reads standard input, and export can be imported', async () => {
  const at = folderWith('')
  await runCli(['migrate', 'up', ...database], at)
  const binary = fileURLToPath(new URL('../../src/cli/evertick.ts', import.meta.url))
  const child = spawn(process.execPath, [binary, 'import', 'crontab', '-', '--json', ...database], at)
  child.stdin.end(crontab)
  expect(JSON.parse(await text(child.stdout))).toMatchObject({ created: ['nightly-backup'] })
  const env = { EVERTICK_ALLOW_COMMANDS: '/opt/backup.sh' }
  const { code, stdout, stderr } = await runCli(['export', 'crontab', ...database], { ...at, env })
  expect(code).toBe(0)
  expect(stdout).toContain(
    'CRON_TZ=UTC\n\n# Nightly backup\n# evertick: nightly-backup\n0 3 * * * /opt/backup.sh\n',
  )
  expect(stderr).toContain('Exported 1 job.')
  expect(await jsonOf(['export', 'crontab', ...database], { ...at, env })).toEqual({
    format: 'user',
    crontab: stdout,
    exported: ['nightly-backup'],
    leftOut: [],
  })
})

test('a file that is not there, and flags that contradict each other', async () => {
  const at = folderWith('')
  const missing = await runCli(['import', 'crontab', 'no.crontab', '--json', ...database], at)
  expect(missing.code).toBe(3)
  expect(errorOf(missing)).toMatchObject({
    code: 'file_not_found',
    next: expect.stringContaining('crontab -l') as string,
  })
  for (const command of [
    ['import', 'crontab', 'my.crontab'],
    ['export', 'crontab'],
  ]) {
    expect((await runCli([...command, '--system', '--user', ...database], at)).code).toBe(2)
  }
})

test('jobs convert and its way back', async () => {
  const at = folderWith('')
  await runCli(['jobs', 'create', 'hourly', '--cron', '0 * * * *', ...database], at)
  await runCli(['jobs', 'create', 'office', '--cron', '0 9,17 * * 1-5', ...database], at)
  const there = await runCli(['jobs', 'convert', ...database], at)
  expect(there.stderr).toContain('1 cron job became an interval.')
  expect(there.stderr).toContain('1 job must be converted by hand:')
  expect(there.stdout).toContain('office\t0 9,17 * * 1-5\tit runs only on some days')
  expect(await jsonOf(['jobs', 'convert', '--back', ...database], at)).toEqual({
    converted: 1,
    intervals: [{ job: 'hourly', cron: '0 * * * *', every: '1h' }],
    manual: [],
  })
  expect(await jsonOf(['jobs', 'show', 'hourly', ...database], at)).toMatchObject({
    schedule: { cron: '0 * * * *', timezone: 'UTC' },
    metadata: {},
  })
})

test('a dry run of import crontab needs no database, and makes none', async () => {
  const cwd = testFolder({ crontab: '0 9 * * * /usr/bin/true\n' })
  const answer = await jsonOf<{ created: string[]; dryRun: boolean }>(
    ['import', 'crontab', 'crontab', '--dry-run'],
    { cwd },
  )
  expect([answer.created.length, answer.dryRun]).toEqual([1, true])
  const named = ['import', 'crontab', 'crontab', '--dry-run', '--database', 'sqlite:not-there.db']
  expect((await runCli(named, { cwd })).code).toBe(0)
  expect(readdirSync(cwd)).toEqual(['crontab'])
})
