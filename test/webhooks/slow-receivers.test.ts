/** A receiver that is slow, hanging, lying or broken slows nobody: not the other receivers, and not the work itself. */
import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { defineJob, Evertick } from '../../src/index.ts'
import { until } from '../process/until.ts'
import { quiet } from '../promises/support.ts'
import { answers, type Behaviour, openReceiver, type Receiver } from './receiver.ts'

const work = defineJob({ name: 'work', run: () => 'done' })
const flood = randomBytes(10 * 1024 * 1024)
const executions = 40

const bad: Readonly<Record<string, Behaviour>> = {
  hangs: () => {},
  floods: (response) => void response.writeHead(200).end(flood),
  redirects: answers(302, { location: 'http://127.0.0.1:9/' }),
  resets: (response) => void response.socket?.resetAndDestroy(),
}
/** Half of them in another format: the queue does not know which. */
const templated = {
  format: 'template',
  body: '{"type": "{{ type }}", "data": {"executionId": "{{ data.executionId }}"}}',
} as const
const good = ['a', 'b', 'c', 'd', 'e', 'f']

test('of ten receivers, one hangs, one floods, one redirects and one resets: the others have all of theirs', async () => {
  const receivers = new Map<string, Receiver>()
  for (const name of good) receivers.set(name, await openReceiver())
  for (const [name, behave] of Object.entries(bad)) receivers.set(name, await openReceiver(behave))
  const evertick = await Evertick.open({
    database: 'sqlite::memory:',
    jobs: [work],
    logger: quiet,
    allowPrivateHosts: [...receivers.values()].map(({ host }) => host),
  })
  onTestFinished(() => evertick.stop({ timeout: 0 }))
  await evertick.start()
  for (const [name, { url }] of receivers) {
    const format = name in bad ? templated : {}
    await evertick.webhooks.create({ name, url, events: ['execution.completed'], ...format })
  }
  await until('somebody to listen', async () => {
    await evertick.enqueue(work)
    return [...receivers.values()].some(({ received }) => received.length > 0)
  })
  const items = Array.from({ length: executions }, () => ({ job: work }))
  const enqueued = new Set((await evertick.enqueueMany(items)).map(({ id }) => id))
  const toldOf = (name: string) =>
    (receivers.get(name)?.received ?? []).filter(({ data }) => enqueued.has(String(data['executionId'])))

  await until('every good receiver to have all', async () =>
    good.every((name) => new Set(toldOf(name).map(({ id }) => id)).size === executions),
  )

  // An answer that is cut has still said that the message arrived.
  await until('the flood to be ignored', async () => toldOf('floods').length === executions)
  // The one that hangs holds a few slots, and gets no more while they hang.
  expect(receivers.get('hangs')?.received.length).toBeLessThanOrEqual(3)
  for (const name of ['redirects', 'resets']) {
    expect(receivers.get(name)?.received.length).toBeGreaterThan(0)
    const { deliveries } = await evertick.webhooks.deliveries(name, { limit: 200 })
    expect(deliveries.some(({ state }) => state === 'completed')).toBe(false)
  }
  const { executions: done } = await evertick.executions.list({ job: 'work', state: 'completed', limit: 200 })
  expect(done.filter(({ id }) => enqueued.has(id))).toHaveLength(executions)
}, 60_000)
