/** What a node says on standard error where no terminal is: a line of JSON each, from the chosen level up. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, runCommand } from '../../scripts/run-command.ts'
import { startCli, testFolder } from './run-cli.ts'

const config = `
import { defineConfig, defineJob } from 'evertick'
export default defineConfig({ jobs: [defineJob({ name: 'idle', run: () => {} })] })
`

function linesOf(text: string): Readonly<Record<string, unknown>>[] {
  return text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('a node that is asked for more tells each request, below its base path', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config })
  const env = { EVERTICK_PORT: '0', EVERTICK_LOG_LEVEL: 'debug', EVERTICK_BASE_PATH: '/jobs' }
  const node = startCli(['start'], { cwd, env })
  const listening = /^ +open +(http:\S+\/jobs)$/m
  await node.says(listening)
  const url = listening.exec(node.stdout)?.[1] ?? ''
  expect((await fetch(`${url}/livez?token=CANARY`)).status).toBe(400)
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  expect((await fetch(new URL('/livez', url))).status).toBe(404)
  await node.says('GET (no route) 404')
  node.signal('SIGTERM')
  const { stderr } = await node.ended
  // The words of the command itself are there, too.
  expect(linesOf(stderr.replaceAll(/^[^{].*$/gm, ''))).toContainEqual(
    expect.objectContaining({
      level: 'debug',
      msg: 'GET /livez 200',
      method: 'GET',
      route: '/livez',
      status: 200,
      nodeId: expect.any(String) as string,
    }),
  )
  expect(stderr).not.toContain('CANARY')
})

const app = `
import { Evertick, defineJob } from '${join(root, 'src/index.ts')}'
const evertick = await Evertick.open({
  database: 'sqlite::memory:', nodeId: 'n1', roles: ['worker'],
  jobs: [defineJob({ name: 'greet', run: () => 'hello' })],
})
evertick.on('execution:completed', () => { throw new Error('cannot reach postgres://u:CANARY@db/jobs') })
await evertick.start()
const { id } = await evertick.enqueue('greet')
await evertick.result(id)
await evertick.stop()
`

test.each([
  ['by default says only what is wrong', {}, 1],
  ['is silent where it is told so', { EVERTICK_LOG_LEVEL: 'silent' }, 0],
])('an embedded node %s', async (_what, env, count) => {
  const file = join(testFolder(), 'app.ts')
  writeFileSync(file, app)
  const { ok, text } = await runCommand(process.execPath, ['--no-warnings', file], { env })
  expect([ok, linesOf(text).length]).toEqual([true, count])
  expect(linesOf(text)).toMatchObject(
    [
      {
        level: 'error',
        msg: 'An event listener threw',
        nodeId: 'n1',
        error: { message: 'cannot reach postgres://[redacted]@db/jobs' },
      },
    ].slice(0, count),
  )
  expect(text).not.toContain('CANARY')
})

test('a misspelt level is refused at once', async () => {
  const file = join(testFolder(), 'app.ts')
  writeFileSync(file, app)
  const { ok, text } = await runCommand(process.execPath, ['--no-warnings', file], {
    env: { EVERTICK_LOG_LEVEL: 'wran' },
  })
  expect([ok, text.includes('EVERTICK_LOG_LEVEL is "wran"')]).toEqual([false, true])
})
