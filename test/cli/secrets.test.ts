/** `evertick secrets`: values come in by standard input, and none goes out, from a database as from a server. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { secret } from '../http/api-under-test.ts'
import { inProcess } from './in-process.ts'
import { startCli } from './run-cli.ts'
import { twoSides } from './two-sides.ts'

const sides = twoSides()
// A command in this process has the key of those in processes of their own.
beforeEach(() => void vi.stubEnv('EVERTICK_JWT_SECRET', secret))
const canary = 'Bearer canary-7f3a9c'

describe.each(['local', 'remote'] as const)('%s', (side) => {
  const run = async (line: string) => {
    const { folder, [side]: one } = sides()
    return await inProcess([...line.split(' '), ...one.flags], { cwd: folder, env: one.env })
  }
  const set = async (name: string, typed: string) => {
    const { folder, [side]: one } = sides()
    const cli = startCli(['secrets', 'set', name, ...one.flags], { cwd: folder, env: one.env })
    cli.child.stdin?.end(typed)
    return await cli.ended
  }

  test('a secret is set from standard input without its last line break, listed, used and deleted', async () => {
    expect(await set('token', `${canary}\n`)).toMatchObject({ code: 0, stderr: 'Set the secret "token".\n' })
    const created = await run(
      'jobs create call --http https://example.com/ --secret-header X-Key:token --header X-Team:money',
    )
    expect(created.code).toBe(0)
    const { evertick } = sides()[side]
    expect((await evertick.jobs.get('call')).handler).toMatchObject({
      headers: { 'X-Key': { secret: 'token' }, 'X-Team': 'money' },
    })
    const { secrets } = JSON.parse((await run('secrets list --json')).stdout) as { secrets: object[] }
    expect(secrets).toMatchObject([{ name: 'token', usedBy: ['call'] }])
    expect((await run('secrets list')).stdout).toMatch(/token\t.*\tcall/)
    const refused = await run('secrets delete token')
    expect(refused).toMatchObject({ code: 4 })
    expect(refused.stderr).toContain('evertick secrets delete token --force')
    expect(await run('secrets rotate --json')).toMatchObject({
      code: 0,
      stdout: '{"resealed":0,"unchanged":1,"unreadable":[]}\n',
    })
    expect(await run('secrets delete token --force')).toMatchObject({ code: 0 })
    expect(await run('secrets delete token')).toMatchObject({ code: 3 })
    expect((await run('jobs delete call')).code).toBe(0)
    expect(JSON.stringify([created, refused, secrets])).not.toContain('canary')
  })

  test('an empty value is refused, and says so', async () => {
    expect(await set('token', '')).toMatchObject({ code: 2, stdout: '' })
  })

  test('an address and a variable can be secrets, each by its own flag', async () => {
    await run('jobs create hook --secret-http team-hook')
    const { evertick } = sides()[side]
    expect((await evertick.jobs.get('hook')).handler).toMatchObject({ url: { secret: 'team-hook' } })
    expect((await run('jobs show hook')).stdout).toContain('the URL in the secret team-hook')
    const both = await run('jobs update hook --http https://example.com/ --secret-http team-hook')
    expect(both).toMatchObject({ code: 2 })
    expect((await run('jobs update hook --secret-env A=b')).stderr).toContain(
      '--secret-env only works with --command',
    )
    await run('webhooks create ops --secret-to team-hook --event * --secret-header X-Key:token')
    expect(await evertick.webhooks.get('ops')).toMatchObject({
      url: { secret: 'team-hook' },
      headers: { 'X-Key': { secret: 'token' } },
    })
    expect((await run('webhooks show ops')).stdout).toContain('X-Key: the secret token')
  })
})

test('the doctor names a secret that is missing, and the job that needs it', async () => {
  const { folder, local } = sides()
  const found = await inProcess(['doctor', ...local.flags], { cwd: folder, env: local.env })
  expect(found.stdout).toMatch(/✗ secrets\s+No secret is named "team-hook".*"hook"/)
  expect(found.stdout).toContain('Run `evertick secrets set team-hook`.')
})
