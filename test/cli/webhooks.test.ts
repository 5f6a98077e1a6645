/** `evertick webhooks`: the same from a database as from a server, whose address is not mistaken for the receiver's. */
import { describe, expect, test } from 'vitest'
import { inProcess } from './in-process.ts'
import { twoSides } from './two-sides.ts'

const sides = twoSides()

describe.each(['local', 'remote'] as const)('%s', (side) => {
  const webhooks = async (...args: string[]) => {
    const { folder, [side]: one } = sides()
    return await inProcess(['webhooks', ...args, ...one.flags], { cwd: folder, env: one.env })
  }

  test('a webhook is created with its secret, shown without it, changed and deleted', async () => {
    const created = await webhooks(
      'create',
      'ops',
      '--to',
      'https://example.com/hook',
      '--event',
      'execution.failed',
    )
    expect(created.code).toBe(0)
    expect(created.stdout).toMatch(/^whsec_\S+\n$/)

    const listed = await webhooks('list')
    expect(listed.stdout).toContain('https://example.com')
    expect(listed.stdout).toContain('execution.failed')
    const shown = await webhooks('show', 'ops', '--json')
    expect(shown.stdout).not.toContain('whsec_')
    expect(JSON.parse(shown.stdout)).toMatchObject({
      name: 'ops',
      url: 'https://example.com/hook',
      events: ['execution.failed'],
      isPaused: false,
    })

    expect(await webhooks('update', 'ops', '--to', 'https://example.org/other')).toMatchObject({ code: 0 })
    const changed = await webhooks('show', 'ops', '--json')
    expect(JSON.parse(changed.stdout)).toMatchObject({
      url: 'https://example.org/other',
      events: ['execution.failed'],
    })

    expect(await webhooks('delete', 'ops')).toMatchObject({ code: 0 })
    expect(await webhooks('show', 'ops')).toMatchObject({ code: 3 })
  })

  test('of a channel whose address is its secret only the host is shown, and there is no other secret', async () => {
    const to = 'https://hooks.slack.com/services/T/B/canary'
    const created = await webhooks('create', 'team', '--to', to, '--format', 'slack', '--event', 'alert.*')
    expect(created).toMatchObject({ code: 0, stdout: '' })
    const shown = await webhooks('show', 'team')
    expect(shown.stdout).toContain('https://hooks.slack.com/…')
    expect(shown.stdout).toContain('only the standard format is signed')
    expect((await webhooks('list', '--json')).stdout + shown.stdout).not.toContain('canary')
    const body = '{"text": "{{ data.jbo }}"}'
    const wrong = await webhooks(
      'create',
      'own',
      '--to',
      to,
      '--format',
      'template',
      '--event',
      '*',
      '--body',
      body,
    )
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('Did you mean data.job?')
    expect(await webhooks('delete', 'team')).toMatchObject({ code: 0 })
  })

  test('a job that runs elsewhere is created by a flag, and its address is printed once', async () => {
    const { folder, [side]: one } = sides()
    const jobs = async (...args: string[]) =>
      await inProcess(['jobs', ...args, ...one.flags], { cwd: folder, env: one.env })
    const name = `host-backup-${side}`
    const created = await jobs('create', name, '--cron', '0 2 * * *', '--check-in', '30m')
    expect(created.code).toBe(0)
    expect(created.stderr).toContain(`evertick jobs rotate-check-in ${name}`)
    const made = await jobs('rotate-check-in', name)
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\/ping\/[\w-]{32}\n$/) as string })
    const shown = await jobs('show', name, '--json')
    expect(JSON.parse(shown.stdout)).toMatchObject({
      handler: { type: 'check_in', within: '30m', early: '10s' },
    })
    expect(await jobs('create', 'stray', '--early', '5s')).toMatchObject({ code: 2 })
  })

  test('without a receiver it says which flag is missing', async () => {
    const refused = await webhooks('create', 'ops', '--event', 'execution.failed')
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('--to')
  })
})
