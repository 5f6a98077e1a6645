/** Jobs that need no code, from the terminal: made, run by a worker, and explained by doctor. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Evertick } from '../../src/index.ts'
import { isAlive, shellProgram } from '../handlers/command-node.ts'
import { until } from '../process/until.ts'
import { containing, errorOf, jsonOf, runCli, startCli, testFolder } from './run-cli.ts'

interface Job {
  readonly handler: unknown
}

/** No code at all: no configuration either. */
function folder() {
  const cwd = testFolder()
  return { cwd, env: { EVERTICK_DATABASE_URL: `sqlite:${join(cwd, 'evertick.db')}` } }
}

test('a call is made of flags, and its secret is not shown', async () => {
  const at = folder()
  const flags = [
    '--http',
    'https://example.com/hook',
    '--method',
    'PUT',
    '--body',
    '{"a":1}',
    '--expect',
    '2xx',
  ]
  const header = ['--header', 'Authorization: Bearer a:secret', '--header', 'X-Team:money']
  const { handler } = await jsonOf<Job>(['jobs', 'create', 'ping', ...flags, ...header], at)
  expect(handler).toEqual({
    type: 'http',
    url: 'https://example.com/hook',
    method: 'PUT',
    headers: { Authorization: '[redacted]', 'X-Team': 'money' },
    body: { a: 1 },
    expect: ['2xx'],
  })
})

test('a command is all that stands after --, options of its own included; a worker that allows it runs it', async () => {
  const at = folder()
  const command = shellProgram('echo "$GREETING $*"')
  const flags = [
    '--command',
    '--env',
    'GREETING=a=b',
    '--run-now',
    '--json',
    '--',
    command,
    '--json',
    '-x',
    'a b',
  ]
  const named = { ...at, env: { ...at.env, EVERTICK_ALLOW_COMMAND_ENV: 'GREETING' } }
  const made = await runCli(['jobs', 'create', 'greet', ...flags], named)
  expect((JSON.parse(made.stdout) as Job).handler).toEqual({
    type: 'command',
    command,
    args: ['--json', '-x', 'a b'],
    env: { GREETING: 'a=b' },
  })
  const refused = await runCli(['worker', '--drain'], at)
  expect([refused.code, refused.stderr]).toEqual([0, containing('Done: 0 runs completed')])
  const env = { ...named.env, EVERTICK_ALLOW_COMMANDS: command }
  expect((await runCli(['worker', '--drain'], { ...at, env })).code).toBe(0)
  const { executions } = await jsonOf<{ executions: { state: string; result: unknown }[] }>(
    ['executions', 'list', '--job', 'greet'],
    at,
  )
  expect(executions).toMatchObject([{ state: 'completed', result: { output: 'a=b --json -x a b' } }])
})

test('a worker that is stopped in a hurry leaves nothing of a command behind, deaf as it may be', async () => {
  const at = folder()
  const command = shellProgram(`trap '' TERM; echo $$ > ${at.cwd}/pid; while :; do sleep 1; done`)
  const env = { ...at.env, EVERTICK_ALLOW_COMMANDS: command }
  const made = await runCli(['jobs', 'create', 'deaf', '--command', '--run-now', '--', command], at)
  expect(made.code).toBe(0)
  const worker = startCli(['worker'], { ...at, env })
  await until('the command', () => existsSync(join(at.cwd, 'pid')))
  await until('its id', () => readFileSync(join(at.cwd, 'pid'), 'utf8') !== '')
  const pid = Number(readFileSync(join(at.cwd, 'pid'), 'utf8'))
  expect(isAlive(pid)).toBe(true)
  // The second one that is no echo of the first ends the process at once.
  await until('the end of the worker', () => {
    worker.signal('SIGTERM')
    return worker.child.exitCode !== null
  })
  await until('its end', () => !isAlive(pid))
})

test('doctor says which command no live node allows', async () => {
  const at = folder()
  const worker = await Evertick.open({ database: at.env.EVERTICK_DATABASE_URL, roles: ['worker'] })
  onTestFinished(() => worker.stop({ timeout: 0 }))
  await worker.start()
  await worker.jobs.create({ name: 'call', handler: { type: 'http', url: 'https://example.com/' } })
  const checkOf = async () => {
    const { checks } = await jsonOf<{ checks: { name: string }[] }>(['doctor'], at)
    return checks.find(({ name }) => name === 'handlers')
  }
  expect(await checkOf()).toMatchObject({ status: 'ok' })
  await worker.jobs.create({ name: 'backup', handler: { type: 'command', command: '/opt/backup' } })
  expect(await checkOf()).toMatchObject({
    status: 'warn',
    message: containing('No node has the handler: 1 job ("backup"); no live node allows /opt/backup.'),
    next: containing('EVERTICK_ALLOW_COMMANDS'),
  })
})

test.each([
  [['--http', 'https://example.com', '--command', '--', '/bin/true']],
  [['--http', 'https://example.com', '--handler', 'mine']],
  [['--command']],
  [['/bin/true']],
  [['--method', 'PUT']],
  [['--env', 'A=b']],
  [['--http', 'https://example.com', '--header', 'no colon']],
  [['--command', '--env', 'PATH=/tmp', '--', '/bin/true']],
])('%o is refused', async (flags) => {
  const ended = await runCli(['--json', 'jobs', 'create', 'mine', ...flags], folder())
  expect([ended.code, errorOf(ended).code]).toEqual([
    2,
    expect.stringMatching(/^invalid_(option|definition)$/),
  ])
})
