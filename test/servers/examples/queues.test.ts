/** The examples that need a Redis run as their pages say, and end by themselves. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { root } from '../../../scripts/run-command.ts'

const redisUrl = inject('redisUrl')

async function run(example: string): Promise<string> {
  const { NODE_OPTIONS: _vitest, ...env } = process.env
  const child = spawn(process.execPath, [join(root, 'examples', example)], {
    env: { ...env, REDIS_URL: redisUrl ?? '' },
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text += part))
  const code = await new Promise((resolve) => child.on('close', resolve))
  return `${text}exit ${String(code)}`
}

describe.skipIf(redisUrl === null)('examples with a Redis', () => {
  it('a node-resque worker gets every tick', async () => {
    expect(await run('node-resque/newsletter.ts')).toContain('3 ticks, 3 letters.\nexit 0')
  }, 60_000)

  it('the killed leader’s successor enqueues what was missed', async () => {
    const said = await run('leader-log/failover.ts')
    expect(said).toMatch(/\d+ seconds, \d+ mails, 0 lost, 0 doubled\.\nexit 0$/)
    expect(said).toMatch(/by Ann[\s\S]*by Bob/)
  }, 60_000)
})
