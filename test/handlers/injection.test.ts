/** Whatever stands in a job is data: a program gets exactly those bytes, or the job is refused. */
import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CommandHandlerOptions } from '../../src/index.ts'
import { argvProgram, letting, nodeAllowing, program, ranCommand, testFolder } from './command-node.ts'
import { hostilePaths, hostileTexts, impossibleTexts } from './injection-corpus.ts'

/** What a text of the corpus would write, if anybody took it for a command. */
const proof = '/tmp/evertick-pwned'

test('the corpus is large enough', () => {
  expect(hostileTexts.length).toBeGreaterThanOrEqual(40)
})

/** Says of each argument and of each variable TEXT_<n> which bytes it has got, a line each. */
function bytesProgram(): string {
  return program(`#!${process.execPath}
const { readFileSync } = require('node:fs')
const parts = (file) => readFileSync(file).toString('latin1').split('\\0').slice(0, -1)
const say = (text) => console.log('hex ' + Buffer.from(text, 'latin1').toString('hex'))
for (const argument of parts('/proc/self/cmdline').slice(2)) say(argument)
for (const entry of parts('/proc/self/environ')) if (entry.startsWith('TEXT_')) say(entry)
`)
}

test('each of them is an argument and a variable, byte for byte', async () => {
  const command = bytesProgram()
  // A line of the log holds less than the longest text has in hex.
  const texts = hostileTexts.map((text) => text.slice(0, 1_000))
  const variables = texts.map((text, index) => [`TEXT_${index}`, text] as const)
  const env = Object.fromEntries(variables)
  const node = await nodeAllowing([command], letting(env))
  const done = await ranCommand(node, { command, args: texts, env })
  expect(done.state).toBe('completed')
  // The recorder writes once a second.
  await node.advance('2s')
  const lines = (await node.evertick.executions.logs(done.id)).map(({ message }) => message)
  const hex = (text: string) => `hex ${Buffer.from(text).toString('hex')}`
  expect(existsSync(proof)).toBe(false)
  expect(lines).toEqual([...texts.map(hex), ...variables.map(([name, text]) => hex(`${name}=${text}`))])
})

async function refused(handler: Partial<CommandHandlerOptions>): Promise<unknown> {
  const node = await nodeAllowing([], { allowCommandEnv: ['TEXT'] })
  return await node.evertick.jobs
    .create({ name: 'refused', handler: { type: 'command', command: '/bin/true', ...handler } })
    .catch((error: unknown) => error)
}

test.each(impossibleTexts)('%j is refused as argument and as variable', async (text) => {
  for (const handler of [{ args: [text] }, { env: { TEXT: text } }]) {
    expect(await refused(handler)).toMatchObject({ code: 'invalid_definition' })
  }
})

test.each(hostilePaths)('%j is refused as program and as folder', async (path) => {
  for (const handler of [{ command: path }, { cwd: path }]) {
    expect(await refused(handler)).toMatchObject({ code: 'invalid_definition' })
  }
})

test.each(['uid', 'gid', 'user', 'shell', 'argv0', 'detached', 'stdio', 'umask'])(
  'there is no key %s',
  async (key) => {
    expect(await refused({ [key]: 0 })).toMatchObject({ code: 'invalid_definition' })
  },
)

test('arguments that no system takes are refused before a run', async () => {
  const args = Array.from({ length: 20 }, () => 'x'.repeat(8_000))
  expect(await refused({ args })).toMatchObject({ code: 'invalid_definition', field: 'handler.args' })
  expect(await refused({ args: Array.from({ length: 257 }, () => 'x') })).toMatchObject({
    code: 'invalid_definition',
  })
})

test('a folder with a hostile name is only a folder', async () => {
  const command = argvProgram()
  const node = await nodeAllowing([command])
  const cwd = join(realpathSync(testFolder()), '$(touch evertick-pwned); x')
  mkdirSync(cwd)
  const done = await ranCommand(node, { command, cwd })
  const seen = JSON.parse((done.result as { output: string }).output) as { cwd: string }
  expect(seen.cwd).toBe(cwd)
  expect(readdirSync(cwd)).toEqual([])
})
