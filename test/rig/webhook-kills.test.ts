/**
 * A node that dies at an exact line between a fact and its delivery: the next one goes on. Every fact is told, by one
 * delivery, and the receiver has it at least once, always under the same id.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Evertick } from '../../src/index.ts'
import { effect } from '../process/kill-jobs.ts'
import { Scene } from '../process/scene.ts'
import { until } from '../process/until.ts'
import { openReceiver } from '../webhooks/receiver.ts'
import { failpoint, toldFailpoints } from './failpoints.ts'
import { OrderWork } from './order-work.ts'

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(async () => await scene.close())

async function subscribe(url: string): Promise<void> {
  const evertick = await Evertick.open({ database: scene.url })
  await evertick.webhooks.create({
    name: 'witness',
    url,
    events: ['execution.completed'],
    jobs: [effect.name],
    // What crashes comes back at once.
    retry: { base: '100ms' },
  })
  await evertick.stop()
}

test.each(toldFailpoints)(
  'kill -9 where it stands: %s',
  async (name) => {
    const receiver = await openReceiver()
    const allowed = { EVERTICK_ALLOW_PRIVATE_HOSTS: receiver.host }
    const work = await OrderWork.begin(scene)
    await subscribe(receiver.url)
    const dying = work.node({ ...failpoint(name, 3, 'kill'), ...allowed })
    expect(await dying.exited).toEqual({ code: null, signal: 'SIGKILL' })
    const last = work.node(allowed)
    await last.heard('elected')
    await until('the next one to tell something', () => receiver.received.length > 20)
    await work.finish(last)

    const facts = scene.rows(
      `SELECT id FROM evertick_job_executions WHERE state = 'completed' AND handler = '${effect.name}'`,
    )
    const deliveries = scene.rows(
      `SELECT input, state FROM evertick_job_executions WHERE handler = '@webhook'`,
    )
    const messages = deliveries.map(({ input, state }) => {
      const { id, data } = JSON.parse(String(input)) as { id: string; data: { executionId: string } }
      return { id, about: data.executionId, state }
    })
    // What ended last may still be in the outbox when its node stops: the next one would tell it.
    const untold = scene
      .rows(
        `SELECT n.subject FROM evertick_notices n JOIN evertick_jobs j ON j.id = n.job_id WHERE j.name = '${effect.name}'`,
      )
      .map(({ subject }) => String(subject))
    const about = [...messages.map((message) => message.about), ...untold]
    expect(about.sort()).toEqual(facts.map(({ id }) => String(id)).sort())
    const received = new Map(receiver.received.map(({ id, data }) => [id, data['executionId']]))
    for (const message of messages.filter(({ state }) => state === 'completed')) {
      expect(received.get(message.id)).toBe(message.about)
    }
    expect(new Set(received.values()).size).toBe(received.size)
  },
  120_000,
)
