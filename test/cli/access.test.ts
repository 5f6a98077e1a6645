import { statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import {
  aText,
  containing,
  errorOf,
  jsonOf,
  matching,
  type RunOptions,
  runCli,
  startCli,
  testFolder,
} from './run-cli.ts'

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
let at: RunOptions

beforeEach(async () => {
  at = { cwd: testFolder(), env: { EVERTICK_DATABASE_URL: 'sqlite:own.db' } }
  await runCli(['migrate', 'up'], at)
})

test('token create answers with the token alone, and with --json as the contract says', async () => {
  const plain = await runCli(['token', 'create', '--role', 'viewer'], at)
  expect(plain).toMatchObject({
    code: 0,
    stdout: matching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/),
    stderr: containing('viewer'),
  })
  expect(
    await jsonOf(['token', 'create', '--role', 'operator', '--name', 'deploy', '--ttl', '1h'], at),
  ).toEqual({
    id: aText,
    token: matching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    name: 'deploy',
    role: 'operator',
    expiresAt: matching(iso),
  })
})

test('what signs tokens on SQLite is made once, for its owner alone', async () => {
  await runCli(['token', 'create', '--role', 'viewer'], at)
  const file = join(at.cwd, 'jwt-secret')
  const made = statSync(file)
  expect(made.mode & 0o777).toBe(0o600)
  await runCli(['token', 'create', '--role', 'viewer'], at)
  expect(statSync(file).mtimeMs).toBe(made.mtimeMs)
})

test('a token is listed without itself, and taken back once', async () => {
  const { id, token } = await jsonOf<{ id: string; token: string }>(
    ['token', 'create', '--role', 'admin'],
    at,
  )
  const listed = await runCli(['token', 'list', '--json'], at)
  expect(listed.stdout).not.toContain(token)
  expect(JSON.parse(listed.stdout)).toMatchObject({ tokens: [{ id, role: 'admin', revokedAt: null }] })
  expect(await jsonOf(['token', 'revoke', id], at)).toEqual({ revoked: id })
  expect(await jsonOf(['token', 'list'], at)).toMatchObject({ tokens: [{ id, revokedAt: matching(iso) }] })
  const again = await runCli(['token', 'revoke', id, '--json'], at)
  expect(again.code).toBe(3)
  expect(errorOf(again)).toMatchObject({ code: 'token_not_found' })
})

test('a role that is none and a time that is too long are usage errors', async () => {
  const role = await runCli(['token', 'create', '--role', 'root', '--json'], at)
  expect(role.code).toBe(2)
  expect(errorOf(role)).toMatchObject({ message: containing('viewer, operator, admin') })
  const ttl = await runCli(['token', 'create', '--role', 'admin', '--ttl', '2000d', '--json'], at)
  expect(errorOf(ttl)).toMatchObject({ code: 'invalid_option', field: 'ttl' })
  expect(await runCli(['token', 'create'], at)).toMatchObject({ code: 2, stderr: containing('--role') })
})

test('a weak secret signs nothing', async () => {
  const env = { ...at.env, EVERTICK_JWT_SECRET: 'a'.repeat(40) }
  const ended = await runCli(['token', 'create', '--role', 'admin', '--json'], { ...at, env })
  expect(ended.code).toBe(2)
  expect(errorOf(ended)).toMatchObject({ code: 'weak_secret', next: containing('openssl rand') })
})

test('a token that the command line made lets its bearer in, within its role, until it is taken back', async () => {
  const cli = startCli(['start', '--role', 'api'], { ...at, env: { ...at.env, EVERTICK_PORT: '0' } })
  await cli.says(/open +http:\S+\n/)
  const url = /open +(http:\S+)/.exec(cli.stdout)?.[1] ?? ''
  const { id, token } = await jsonOf<{ id: string; token: string }>(
    ['token', 'create', '--role', 'viewer'],
    at,
  )
  const call = async (method: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (
      await fetch(`${url}/api/v1/${method === 'GET' ? 'jobs' : 'jobs/none/pause'}`, { method, headers })
    ).status
  }
  expect([await call('GET'), await call('POST')]).toEqual([200, 403])
  await runCli(['token', 'revoke', id], at)
  await expect.poll(() => call('GET'), { timeout: 30_000 }).toBe(401)
})

test('login makes a link that signs in once', async () => {
  const cli = startCli(['start', '--role', 'api'], { ...at, env: { ...at.env, EVERTICK_PORT: '0' } })
  await cli.says(/open +http:\S+\n/)
  const url = /open +(http:\S+)/.exec(cli.stdout)?.[1] ?? ''
  const made = await jsonOf<{ link: string }>(['login', '--role', 'operator', '--at', `${url}/`], at)
  expect(made).toEqual({ link: matching(/\/sign-in#[\w-]{32}$/), role: 'operator', expiresAt: matching(iso) })
  expect(made.link.startsWith(`${url}/sign-in#`)).toBe(true)
  const signIn = async () =>
    await fetch(`${url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: made.link.split('#')[1] }),
    })
  const first = await signIn()
  expect(first.status).toBe(201)
  expect(await first.json()).toMatchObject({ role: 'operator' })
  expect(first.headers.get('set-cookie')).toContain('HttpOnly')
  expect((await signIn()).status).toBe(401)
})

test('a link is for a named person, and what they do is theirs', async () => {
  const made = await jsonOf<{ link: string; name: string }>(
    ['login', '--name', 'Ana María', '--role', 'viewer'],
    at,
  )
  expect(made).toMatchObject({ name: 'Ana María', role: 'viewer' })
  const { entries } = await jsonOf<{ entries: { actor: string; after: object }[] }>(
    ['audit-log', '--action', 'link.create', '--limit', '1'],
    at,
  )
  expect(entries).toMatchObject([{ actor: matching(/^cli/), after: { name: 'Ana María', role: 'viewer' } }])
  for (const name of ['', 'Ana <u-1>', 'token:deploy', 'x'.repeat(60), '\u202eana']) {
    const ended = await runCli(['login', '--name', name, '--json'], at)
    expect([name, ended.code, errorOf(ended).field]).toEqual([name, 2, 'name'])
  }
})

test('where only a provider signs, no token and no link is made', async () => {
  const env = {
    ...at.env,
    EVERTICK_JWKS_URL: 'https://id.example.com/keys',
    EVERTICK_JWT_ISSUER: 'https://id.example.com',
    EVERTICK_JWT_AUDIENCE: 'jobs',
  }
  for (const args of [['login'], ['token', 'create', '--role', 'viewer']]) {
    const ended = await runCli([...args, '--json'], { ...at, env })
    expect(ended.code).toBe(2)
    expect(errorOf(ended)).toMatchObject({ code: 'invalid_config', next: containing('provider') })
  }
})

test('openapi prints the document that the server has, and needs no database', async () => {
  const { code, stdout } = await runCli(['openapi'], { cwd: testFolder({}) })
  expect(code).toBe(0)
  const printed = JSON.parse(stdout) as { openapi: string; paths: object }
  expect(printed.openapi).toBe('3.1.0')
  expect(Object.keys(printed.paths)).toContain('/api/v1/jobs/{id}/pause')
})
