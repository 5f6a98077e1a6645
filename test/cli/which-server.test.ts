/** Whether a command asks the server or the database, and what it says where it can ask neither. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localCommands } from '../../src/cli/program.ts'
import { inProcess } from './in-process.ts'
import { errorOf } from './run-cli.ts'
import { twoSides } from './two-sides.ts'

const sides = twoSides()
const nowhere = 'http://127.0.0.1:1'

test('a flag goes before the environment, and a server before a database', async () => {
  const { folder, local, remote } = sides()
  const [, database = ''] = local.flags
  const [, url = ''] = remote.flags
  await remote.evertick.jobs.create({ name: 'only-there', schedule: { every: '1h' } })
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
  const { folder, remote } = sides()
  const [, url = ''] = remote.flags
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

const imports = localCommands.filter((path) => path.startsWith('import '))

test.each(localCommands)('%s is refused with --url, and takes no notice of EVERTICK_URL', async (name) => {
  const rest =
    {
      cron: ['* * * * *'],
      migrate: ['status'],
      completion: ['bash'],
      backup: ['file'],
      restore: ['file'],
      move: ['--from', 'sqlite:a.db'],
      ...Object.fromEntries(imports.map((path) => [path, ['--from', 'sqlite:a.db']])),
    }[name] ?? []
  const refused = await inProcess([...name.split(' '), ...rest, '--url', nowhere, '--json'], {
    cwd: sides().folder,
    env: {},
  })
  expect([refused.code, errorOf(refused).field]).toEqual([2, '--url'])
})

test('a command of this machine runs although the environment names a server', async () => {
  const { folder, local } = sides()
  const env = { ...local.env, EVERTICK_URL: nowhere, EVERTICK_DATABASE_URL: local.flags[1] ?? '' }
  for (const args of [['migrate', 'status'], ['login'], ['cron', '* * * * *']]) {
    expect([args[0], (await inProcess(args, { cwd: folder, env })).code]).toEqual([args[0], 0])
  }
})
