/** The live log of `start` is about the user's own jobs. */
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { LiveLog } from '../../src/cli/commands/node/live-log.ts'
import { Stream } from '../../src/cli/output/terminal.ts'
import { defineJob } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'
import { answers, openReceiver } from '../webhooks/receiver.ts'

test('a delivery is told of where it fails, not after each line about which it tells', async () => {
  const good = await openReceiver()
  const bad = await openReceiver(answers(500))
  const jobs = [defineJob({ name: 'report', run: () => {} })]
  const node = await openTestNode({ jobs, allowPrivateHosts: [good.host, bad.host] })
  onTestFinished(() => node.stop())
  for (const [name, { url }] of Object.entries({ good, bad })) {
    await node.evertick.webhooks.create({
      name,
      url,
      events: ['execution.completed'],
      retry: { attempts: 1 },
    })
  }
  await node.settle()
  const written = new PassThrough()
  const out = new Stream(written as unknown as NodeJS.WriteStream, () => {})
  const log = new LiveLog(node.evertick, out, { timezone: 'UTC', jobs: ['report'] })
  log.begin()

  await node.evertick.enqueue('report', null)
  await node.settle()
  log.end()

  expect([good.received.length, bad.received.length]).toEqual([1, 1])
  const lines = String(written.read()).trimEnd().split('\n')
  expect(lines.map((line) => line.split(/\s+/).slice(1, 4).join(' '))).toEqual([
    '✓ report ran',
    '✗ @webhook/bad failed',
  ])
})
