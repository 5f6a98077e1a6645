/** A job that runs a program: what it is given, what is kept of it, and that nothing of it outlives its run. */
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestNode, type TestNode } from '../../src/testing/index.ts'
import { until } from '../process/until.ts'
import {
  argvProgram,
  isAlive,
  nodeAllowing,
  program,
  ranCommand,
  shellProgram,
  testFolder,
} from './command-node.ts'

async function logsOf(node: TestNode, id: string) {
  // The recorder writes once a second.
  await node.advance('2s')
  return (await node.evertick.executions.logs(id)).map(({ level, message }) => [level, message])
}

test('a program is given its arguments, a few variables and its input, and nothing of the node', async () => {
  const argv = argvProgram()
  process.env['EVERTICK_TEST_LEAK'] = 'of the node'
  onTestFinished(() => void delete process.env['EVERTICK_TEST_LEAK'])
  const node = await nodeAllowing([argv], { allowCommandEnv: ['GREETING'] })
  const cwd = realpathSync(testFolder())
  const done = await ranCommand(
    node,
    { command: argv, args: ['--stdin', 'a b'], env: { GREETING: 'hi' }, cwd },
    { input: { n: 1 } },
  )
  expect(done.state).toBe('completed')
  const seen: unknown = JSON.parse((done.result as { output: string }).output)
  expect(seen).toEqual({
    argv: ['--stdin', 'a b'],
    cwd,
    stdin: '{"n":1}',
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      LANG: 'C.UTF-8',
      HOME: userInfo().homedir,
      GREETING: 'hi',
      EVERTICK_JOB: 'command',
      EVERTICK_EXECUTION_ID: done.id,
      EVERTICK_SCHEDULED_FOR: done.scheduledFor.toISOString(),
      EVERTICK_ATTEMPT: '1',
      EVERTICK_IDEMPOTENCY_KEY: done.idempotencyKey,
      EVERTICK_INPUT: '{"n":1}',
      EVERTICK_RUN: expect.any(String) as string,
    },
  })
})

test('a large input is on standard input only', async () => {
  const argv = argvProgram()
  const node = await nodeAllowing([argv])
  const done = await ranCommand(node, { command: argv, args: ['--stdin'] }, { input: 'x'.repeat(100_000) })
  expect(done.state).toBe('completed')
  const [[, line] = []] = await logsOf(node, done.id)
  expect(line).not.toContain('EVERTICK_INPUT')
})

test('what it writes is the log, line by line, whatever bytes it writes', async () => {
  const command = shellProgram(
    String.raw`printf 'one\ntwo\r\n'; printf 'wrong \377 and \000 nul\n'; echo aside >&2; printf 'no end'`,
  )
  const node = await nodeAllowing([command])
  const done = await ranCommand(node, { command })
  const logs = await logsOf(node, done.id)
  expect(logs.filter(([level]) => level === 'info')).toEqual([
    ['info', 'one'],
    ['info', 'two'],
    ['info', 'wrong \u{fffd} and \u{fffd} nul'],
    ['info', 'no end'],
  ])
  expect(logs.filter(([level]) => level === 'warn')).toEqual([['warn', 'aside']])
})

test('a flood of output is read to its end, and kept in part', async () => {
  const command = program(`#!${process.execPath}
const { writeSync } = require('node:fs')
for (let n = 0; n < 20_000; n += 1) writeSync(1, 'line ' + n + '\\n')
for (let n = 0; n < 200; n += 1) writeSync(1, 'é'.repeat(10_000))
writeSync(1, '\\nlast\\n')
`)
  const node = await nodeAllowing([command])
  const done = await ranCommand(node, { command })
  const { output } = done.result as { output: string }
  expect(output.length).toBeLessThanOrEqual(4_000)
  expect(output.endsWith('1996000 more characters\nlast')).toBe(true)
  const logs = await logsOf(node, done.id)
  expect(logs).toHaveLength(1_000)
  expect(logs.at(-1)).toEqual(['info', '… more lines were not stored'])
})

test('an exit code other than 0 is an error with the last lines, and tried again', async () => {
  const command = shellProgram('echo before; echo "cannot reach it" >&2; exit 3')
  const node = await nodeAllowing([command])
  await node.evertick.jobs.create({
    name: 'fails',
    handler: { type: 'command', command },
    retry: { attempts: 2 },
  })
  await node.evertick.jobs.trigger('fails')
  await node.advance('1m')
  const [failed] = await node.executions('fails')
  expect(failed).toMatchObject({ state: 'failed', attempt: 2, error: { code: 'execution_failed' } })
  expect(failed?.error?.message).toMatch(/ended with exit code 3\. Its last lines:\n[^]*cannot reach it/)
})

test('a program that a signal ends says which', async () => {
  const command = shellProgram('kill -9 $$')
  const node = await nodeAllowing([command])
  expect((await ranCommand(node, { command })).error?.message).toContain('ended by SIGKILL')
})

/** A program with a child and a grandchild that heed no signal but one; their ids are written to the folder. */
function family(folder: string): string {
  return program(
    `#!/bin/sh
trap '' TERM
sh -c 'trap "" TERM; echo $$ > ${folder}/child; sh -c "trap \\"\\" TERM; echo \\$\\$ > ${folder}/grandchild; while :; do sleep 1; done" & wait; while :; do sleep 1; done' &
echo $$ > ${folder}/parent
while :; do sleep 1; done
`,
    folder,
  )
}

const members = ['parent', 'child', 'grandchild']

async function idsOf(folder: string): Promise<number[]> {
  const read = (name: string) => {
    try {
      return Number(readFileSync(join(folder, name), 'utf8'))
    } catch {
      return 0
    }
  }
  await until('the family', () => members.every((name) => read(name) > 0))
  return members.map(read)
}

test.each(['timeout', 'cancel', 'stop'] as const)(
  'on %s the whole group ends, deaf ones too',
  async (how) => {
    const folder = testFolder()
    const command = family(folder)
    const node = await openTestNode({ allowCommands: [command] })
    const { jobs, executions } = node.evertick
    const timeout = how === 'timeout' ? ({ timeout: '1m' } as const) : {}
    await jobs.create({
      name: 'family',
      handler: { type: 'command', command },
      retry: { attempts: 1 },
      ...timeout,
    })
    const { id } = await jobs.trigger('family')
    const ids = await idsOf(folder)
    expect(ids.map(isAlive)).toEqual([true, true, true])
    if (how === 'cancel') await executions.cancel(id)
    if (how === 'stop') await node.stop()
    await until('their end', () => {
      node.clock.moveTo(node.clock.now() + 5_000)
      return !ids.some(isAlive)
    })
    if (how === 'stop') return
    await node.settle()
    expect((await executions.get(id)).state).toBe(how === 'cancel' ? 'cancelled' : 'failed')
    await node.stop()
  },
)

test('what a program leaves running behind is ended with it', async () => {
  const folder = testFolder()
  const command = program(`#!/bin/sh\nsleep 1000 >/dev/null 2>&1 &\necho $! > ${folder}/left\n`, folder)
  const node = await nodeAllowing([command])
  expect((await ranCommand(node, { command })).state).toBe('completed')
  const left = Number(readFileSync(join(folder, 'left'), 'utf8'))
  await until('its end', () => !isAlive(left))
})

test('a command that no node allows waits, and is claimed by one that does', async () => {
  const command = shellProgram('echo here')
  const database = `sqlite:${join(testFolder(), 'evertick.db')}`
  const without = await openTestNode({ database, allowCommands: [] })
  await without.evertick.jobs.create({ name: 'waits', handler: { type: 'command', command } })
  const { id } = await without.evertick.jobs.trigger('waits')
  await without.advance('1m')
  expect((await without.evertick.executions.get(id)).state).toBe('pending')
  await without.stop()
  const node = await nodeAllowing([command], { database, start: '2026-01-01T01:00:00Z' })
  await node.advance('1s')
  expect((await node.evertick.executions.get(id)).state).toBe('completed')
})

test('a link that was bent since the start runs nothing', async () => {
  const folder = testFolder()
  const link = join(folder, 'tool')
  const [meant, other] = [shellProgram('echo meant'), shellProgram('echo other')]
  symlinkSync(meant, link)
  const node = await nodeAllowing([link])
  expect((await ranCommand(node, { command: link })).result).toMatchObject({ output: 'meant' })
  rmSync(link)
  symlinkSync(other, link)
  const refused = await ranCommand(node, { command: link }, { name: 'again' })
  expect(refused).toMatchObject({ state: 'failed', error: { code: 'execution_failed' } })
  expect(refused.error?.message).toContain('no longer the file')
})

test('a path that leads to an allowed program is not that program', async () => {
  const folder = testFolder()
  const command = shellProgram('echo here')
  const link = join(folder, 'other-name')
  symlinkSync(command, link)
  const node = await nodeAllowing([command])
  await node.evertick.jobs.create({ name: 'linked', handler: { type: 'command', command: link } })
  const { id } = await node.evertick.jobs.trigger('linked')
  await node.advance('1m')
  expect((await node.evertick.executions.get(id)).state).toBe('pending')
})

test('a folder that is not there is said', async () => {
  const command = shellProgram('pwd')
  const folder = testFolder()
  const node = await nodeAllowing([command])
  expect((await ranCommand(node, { command })).result).toMatchObject({ output: '/' })
  const missing = await ranCommand(node, { command, cwd: join(folder, 'missing') }, { name: 'missing' })
  expect(missing.error?.message).toContain('There is no folder')
  mkdirSync(join(folder, 'there'))
  const there = await ranCommand(node, { command, cwd: join(folder, 'there') }, { name: 'there' })
  expect(there.state).toBe('completed')
})

test.each([
  [['relative/program']],
  [['/usr/bin/../bin/true']],
  [['/does/not/exist']],
  [['/tmp']],
  [['/etc/passwd']],
])('a node does not start with %o as its list', async (allowCommands) => {
  await expect(openTestNode({ allowCommands })).rejects.toMatchObject({ code: 'invalid_config' })
})

test('no function may take the name of a command', async () => {
  const node = await nodeAllowing([])
  for (const handler of ['@command:/bin/sh', '@http']) {
    await expect(node.evertick.jobs.create({ name: 'mine', handler })).rejects.toMatchObject({
      code: 'invalid_definition',
    })
  }
})
