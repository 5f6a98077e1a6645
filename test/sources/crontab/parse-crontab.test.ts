/** What a crontab says, and what it says that we cannot take over. */
import { describe, expect, test } from 'vitest'
import { parseCrontab } from '../../../src/sources/crontab/parse-crontab.ts'

const only = (text: string) => {
  const { entries, unsupported } = parseCrontab(text)
  expect(unsupported).toEqual([])
  expect(entries).toHaveLength(1)
  return entries[0]
}
const whys = (text: string) =>
  parseCrontab(text).unsupported.map(({ line, kind, why }) => `${line} ${kind}: ${why}`)

describe('schedules', () => {
  test.each([
    ['*/5 * * * * run', '*/5 * * * *'],
    ['0 9-17/2 * * mon-fri run', '0 9-17/2 * * mon-fri'],
    ['  15\t3  1,15 JAN *   run', '15 3 1,15 JAN *'],
    ['@daily run', '@daily'],
    ['@MIDNIGHT run', '@MIDNIGHT'],
  ])('%s', (line, cron) => {
    expect(only(line)).toMatchObject({ cron, command: 'run', timezone: null, user: null, line: 1 })
  })

  test.each([
    ['@reboot run', '"@reboot" is not a point in time, so it has no ticks'],
    ['@every 5m run', '"@every 5m" is not cron'],
    ['@dayly run', '"@dayly" is not a nickname; did you mean @daily?'],
    ['* * * run', 'cron has 4 fields, not 5 or 6: "* * * run"'],
    ['* * * * *', 'it has no command'],
    ['* * * * * %input', 'it has no command'],
    ['0 0 31 2 * run', 'never comes'],
    ['5~10 * * * * run', 'minute'],
  ])('%s is reported: %s', (line, why) => {
    const { entries, unsupported } = parseCrontab(line)
    expect(entries).toEqual([])
    expect(unsupported).toMatchObject([{ line: 1, text: line, kind: 'job' }])
    expect(unsupported[0]?.why).toContain(why)
  })

  test('a bad line never stops the others', () => {
    const { entries, unsupported } = parseCrontab(
      '0 1 * * * one\n61 1 * * * bad\n\n0 3 * * * three\n@reboot four',
    )
    expect(entries.map(({ line, name }) => [line, name])).toEqual([
      [1, 'one'],
      [4, 'three'],
    ])
    expect(unsupported.map(({ line }) => line)).toEqual([2, 5])
  })

  test('lines may end as on Windows, and the last without an end', () => {
    expect(parseCrontab('0 1 * * * one\r\n0 2 * * * two').entries.map(({ command }) => command)).toEqual([
      'one',
      'two',
    ])
  })
})

describe('settings', () => {
  test('CRON_TZ holds for the lines below it, TZ where there is no CRON_TZ, and an empty one ends it', () => {
    const text = [
      '0 1 * * * a',
      'TZ=Europe/Madrid',
      '0 1 * * * b',
      'CRON_TZ = "America/New_York"',
      '0 1 * * * c',
      'CRON_TZ=',
      '0 1 * * * d',
      'TZ=',
      '0 1 * * * e',
    ]
    const zones = [null, 'Europe/Madrid', 'America/New_York', 'Europe/Madrid', null]
    expect(parseCrontab(text.join('\n')).entries.map(({ timezone }) => timezone)).toEqual(zones)
  })

  test('a line below a zone that nobody knows does not run in another', () => {
    expect(whys('CRON_TZ=Mars/Base\n0 1 * * * a\nCRON_TZ=UTC\n0 1 * * * b')).toEqual([
      '1 setting: "Mars/Base" is not a known time zone',
      '2 job: "Mars/Base" is not a known time zone',
    ])
  })

  test('what sets up a command is reported, as a setting', () => {
    expect(whys('MAILTO=root\nSHELL=/bin/bash\nPATH=/usr/bin:/bin\n0 1 * * * a')).toEqual([
      '1 setting: nothing is mailed: results, errors and logs are kept with each run',
      "2 setting: SHELL would set a command's environment, which jobs do not inherit from a crontab",
      "3 setting: PATH would set a command's environment, which jobs do not inherit from a crontab",
    ])
  })

  test('a command with an equals sign is no setting', () => {
    expect(only('0 1 * * * A=1 run --x=2')).toMatchObject({ command: 'A=1 run --x=2' })
  })
})

describe('commands', () => {
  test.each([
    ['mail -s hi you%Dear you,%%bye', 'mail -s hi you', 'Dear you,\n\nbye'],
    ['date +\\%F > today', 'date +%F > today', null],
    ['echo a\\\\%b', 'echo a\\\\', 'b'],
    ['echo C:\\dir', 'echo C:\\dir', null],
    ['cat%', 'cat', ''],
  ])('%s', (written, command, stdin) => {
    expect(only(`0 1 * * * ${written}`)).toMatchObject({ command, stdin })
  })
})

describe('names', () => {
  test('the comment right above is the name and the description', () => {
    const text = '# Nightly backup!\n# Keep for 30 days.\n0 3 * * * /opt/backup.sh --all'
    expect(only(text)).toMatchObject({
      name: 'nightly-backup',
      description: 'Nightly backup!\nKeep for 30 days.',
    })
  })

  test('a comment further up, a ruler, the usual header and a line that was commented out name nothing', () => {
    for (const above of [
      '# About this file\n\n',
      '# -----\n',
      '# m h  dom mon dow   command\n',
      '#0 4 * * * /old.sh\n',
      'MAILTO=x\n',
    ]) {
      expect(parseCrontab(`${above}0 3 * * * /opt/backup.sh --all`).entries[0]).toMatchObject({
        name: 'opt-backup-sh-all',
        description: null,
      })
    }
  })

  test('no two are alike, and none is too long', () => {
    const { entries } = parseCrontab(
      `# Report\n0 1 * * * a\n# report\n0 2 * * * b\n0 3 * * * ${'word '.repeat(40)}\n0 4 * * * !!!`,
    )
    expect(entries.map(({ name }) => name)).toEqual([
      'report',
      'report-2',
      'word-word-word-word-word-word-word-word-word-word-word-word',
      'job',
    ])
  })

  test('the mark of our own export is the name as it is, unless it cannot be one', () => {
    expect(only('# Says it all\n# evertick: Billing/Report 7\n0 1 * * * a')).toMatchObject({
      name: 'Billing/Report 7',
      description: 'Says it all',
    })
    expect(only('# evertick: -no-\n0 1 * * * run it')).toMatchObject({ name: 'run-it' })
  })
})

describe('formats', () => {
  const system =
    '17 * * * * root cd / && run-parts --report /etc/cron.hourly\n25 6 * * * www-data php cron.php'

  test('the system format is found out where every line has a user and root is among them', () => {
    const { format, entries } = parseCrontab(system)
    expect(format).toBe('system')
    expect(entries.map(({ user, command }) => [user, command])).toEqual([
      ['root', 'cd / && run-parts --report /etc/cron.hourly'],
      ['www-data', 'php cron.php'],
    ])
  })

  test('a program that could be a user does not make it one', () => {
    expect(parseCrontab('0 1 * * * php cron.php')).toMatchObject({
      format: 'user',
      entries: [{ command: 'php cron.php' }],
    })
    expect(parseCrontab('0 1 * * * root x\n0 2 * * * /bin/y').format).toBe('user')
  })

  test('what the caller says counts', () => {
    expect(parseCrontab('0 1 * * * php cron.php', { format: 'system' }).entries[0]).toMatchObject({
      user: 'php',
      command: 'cron.php',
    })
    expect(parseCrontab(system, { format: 'user' }).entries[0]).toMatchObject({ user: null })
    expect(parseCrontab('0 1 * * * /bin/y', { format: 'system' }).unsupported).toMatchObject([
      { kind: 'job', why: 'it has no user before its command' },
    ])
  })
})
