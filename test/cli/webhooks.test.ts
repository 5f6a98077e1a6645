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

  test('without a receiver it says which flag is missing', async () => {
    const refused = await webhooks('create', 'ops', '--event', 'execution.failed')
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('--to')
  })
})
