import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rolesFor } from '../../src/cli/commands/node/roles.ts'
import { freePort } from '../services/free-port.ts'
import { type Cli, containing, errorOf, runCli, startCli, testFolder } from './run-cli.ts'

const binary = fileURLToPath(new URL('../../src/cli/evertick.ts', import.meta.url))
const secret = 'k3yP-0123456789-abcdefghijklmnopqrstuvwxyz'
const config = (api = '') => `
import { defineConfig, defineJob } from 'evertick'
export default defineConfig({ jobs: [defineJob({ name: 'idle', run: () => {} })]${api} })
`

async function urlOf(cli: Cli): Promise<string> {
  await cli.says(/^ +open +http:\S+$/m)
  return /^ +open +(http:\S+)$/m.exec(cli.stdout)?.[1] ?? ''
}

/** A port that somebody else listens on. */
async function takenPort(): Promise<number> {
  const port = await freePort()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return port
}

test('on SQLite start has the API; told its roles, only where they name it', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config() })
  const env = { EVERTICK_PORT: '0' }
  const all = startCli(['start'], { cwd, env })
  const url = await urlOf(all)
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' })
  await all.says('as scheduler, worker and api')
  all.signal('SIGTERM')
  expect((await all.ended).code).toBe(143)
  await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed')
  const some = startCli(['start', '--role', 'scheduler', '--role', 'worker'], { cwd, env })
  await some.says('as scheduler and worker')
  expect(some.stdout).not.toMatch(/^ +api /m)
})

test('on a server start has the API only where it can know whom to let in', () => {
  const server = 'postgres://db.internal/app'
  expect(rolesFor('sqlite:own.db', undefined)).toContain('api')
  expect(rolesFor(server, undefined)).toEqual(['scheduler', 'worker'])
  expect(rolesFor(server, { secrets: [secret] })).toContain('api')
  const provider = {
    jwksUrl: 'https://id.example.com/keys',
    issuer: 'https://id.example.com',
    audience: 'jobs',
  }
  expect(rolesFor(server, { provider })).toContain('api')
  vi.stubEnv('EVERTICK_JWT_SECRET', secret)
  expect(rolesFor(server, undefined)).toContain('api')
})

test('a port that was named and is taken is an error, and nothing is left running', async () => {
  const port = await takenPort()
  const cwd = testFolder({ 'evertick.config.ts': config() })
  const ended = await runCli(['start', '--json'], { cwd, env: { EVERTICK_PORT: String(port) } })
  expect(ended.code).toBe(2)
  expect(errorOf(ended)).toMatchObject({
    code: 'invalid_config',
    field: 'port',
    message: containing(`127.0.0.1:${port}`),
    next: containing('EVERTICK_PORT'),
  })
})

test('where no port was named, the next node takes the next free one', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config() })
  const first = await urlOf(startCli(['start'], { cwd }))
  const second = await urlOf(startCli(['start'], { cwd }))
  expect(second).not.toBe(first)
  expect(Number(new URL(second).port)).toBeGreaterThanOrEqual(8_060)
})

test('the environment comes before the file', async () => {
  const port = await takenPort()
  const cwd = testFolder({ 'evertick.config.ts': config(`, api: { port: ${port} }`) })
  expect(await runCli(['start'], { cwd })).toMatchObject({ code: 2, stderr: containing(String(port)) })
  expect(await urlOf(startCli(['start'], { cwd, env: { EVERTICK_PORT: '0' } }))).not.toContain(String(port))
})

test('in a pipe no link to sign in with is written', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config() })
  const cli = startCli(['start'], { cwd, env: { EVERTICK_PORT: '0' } })
  await urlOf(cli)
  await cli.says('Stop me with Ctrl-C')
  expect(cli.stdout + cli.stderr).not.toContain('sign-in#')
})

test.skipIf(spawnSync('script', ['--version']).error !== undefined)(
  'on a terminal the sign-in link is below the address',
  async () => {
    const cwd = testFolder({ 'evertick.config.ts': config() })
    // `script` gives it a terminal; when that goes away, so does what runs in it.
    const child = spawn('script', ['-qec', `'${process.execPath}' '${binary}' start`, '/dev/null'], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb', EVERTICK_PORT: '0', TZ: 'UTC' },
    })
    onTestFinished(() => {
      child.kill()
    })
    let stdout = ''
    for await (const piece of child.stdout) {
      stdout += String(piece)
      if (stdout.includes('Stop me with Ctrl-C')) break
    }
    expect(stdout).toMatch(/open +(http:\S+)\s+sign in +\1\/sign-in#[\w-]{32}/)
  },
)
