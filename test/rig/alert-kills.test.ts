/**
 * Ten thousand jobs that fail at once, and a leader that dies at an exact line between the fact and its message: the next
 * one goes on. Each job has one alert, and whoever listens has one message about all of them, under one id.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Child } from '../process/child.ts'
import { Scene } from '../process/scene.ts'
import { until } from '../process/until.ts'
import { failedJobs } from '../store/failed-jobs.ts'
import { openReceiver, type Receiver } from '../webhooks/receiver.ts'
import { alertFailpoints, failpoint } from './failpoints.ts'
import { haste } from './hasty-watchman.ts'

const jobs = 10_000
const batches = jobs / 500

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(async () => await scene.close())

async function failAtOnce({ url }: Receiver): Promise<void> {
  const evertick = await scene.producer({})
  await evertick.jobs.create({ name: 'job', handler: { type: 'http', url: 'https://example.com' } })
  await evertick.webhooks.create({ name: 'pager', url, events: ['alert.*'], retry: { base: '100ms' } })
  failedJobs(scene.door, jobs)
}

function node(receiver: Receiver, failing: Partial<ReturnType<typeof failpoint>> = {}): Child {
  const options = [`--import=${haste}`, failing.NODE_OPTIONS ?? ''].join(' ')
  return scene.start(
    '../rig/alert-node.ts',
    {},
    { ...failing, NODE_OPTIONS: options, EVERTICK_ALLOW_PRIVATE_HOSTS: receiver.host },
  )
}

const inTheMiddle = alertFailpoints.map((name) => {
  return { name, nth: name.startsWith('alerts changed') ? batches / 2 : 1 }
})

test.each(inTheMiddle)(
  'kill -9 where it stands, time $nth: $name',
  async ({ name, nth }) => {
    const receiver = await openReceiver()
    await failAtOnce(receiver)
    const dying = node(receiver, failpoint(name, nth, 'kill'))
    expect(await dying.exited).toEqual({ code: null, signal: 'SIGKILL' })
    const last = node(receiver)
    await until('the message', () => receiver.received.length > 0)
    await until('its delivery to be done', () => {
      return scene.count(`evertick_job_executions WHERE handler = '@webhook' AND state = 'completed'`) > 0
    })
    last.send('SIGTERM')
    expect(await last.exited).toEqual({ code: 0, signal: null })

    const perJob = scene.rows(
      'SELECT count(*) AS alerts, count(DISTINCT subject) AS jobs, count(told_at) AS told FROM evertick_alerts WHERE opened_at IS NOT NULL',
    )
    expect(perJob).toEqual([{ alerts: jobs, jobs, told: jobs }])
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
    expect(receiver.received[0]).toMatchObject({
      type: 'alert.opened',
      data: { rule: 'failing', count: jobs, sentence: expect.stringMatching(/ And 9,980 more\.$/) as string },
    })
    expect(Buffer.byteLength(receiver.received[0]?.body ?? '')).toBeLessThan(16_384)
    expect(scene.count(`evertick_job_executions WHERE handler = '@webhook'`)).toBe(1)
    expect(scene.count('evertick_notices')).toBe(0)
  },
  120_000,
)
