/** Ticks in a real BullMQ queue on a real Redis, worked down by a real worker of BullMQ: each exactly once. */
import { randomUUID } from 'node:crypto'
import { Queue, Worker } from 'bullmq'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { type BullQueue, bullJob } from '../../src/compat/bullmq/index.ts'
import { openTestNode, runJob } from '../../src/testing/index.ts'
import { until } from '../process/until.ts'

const redisUrl = inject('redisUrl')

function bull() {
  const { hostname: host, port } = new URL(redisUrl ?? 'redis://none')
  const [name, connection] = [`test-${randomUUID()}`, { host, port: Number(port) }]
  const queue = new Queue(name, { connection })
  onTestFinished(() => queue.close())
  const work = (perform: (data: unknown) => void) => {
    const worker = new Worker(name, (job) => Promise.resolve(perform({ name: job.name, ...job.data })), {
      connection,
    })
    onTestFinished(() => worker.close())
  }
  return { queue, work }
}

/** The same queue, but the first answer gets lost on its way back. */
function losingAnAnswer(queue: Queue): BullQueue {
  let lost = false
  return {
    name: queue.name,
    async add(name, data, options) {
      const added = await queue.add(name, data, options)
      if (lost) return added
      lost = true
      throw new Error('Connection is closed.')
    },
  }
}

describe.skipIf(redisUrl === null)('evertick/bullmq', () => {
  it('a worker of BullMQ gets every tick of a schedule once, with its data', async () => {
    const { queue, work } = bull()
    const done: unknown[] = []
    const job = bullJob({
      name: 'newsletter',
      schedule: { cron: '*/5 * * * *' },
      queue,
      jobName: 'send',
      data: (ctx) => ({ at: ctx.scheduledFor.toISOString() }),
    })
    const node = await openTestNode({ jobs: [job], start: '2026-01-01T00:00:00Z' })
    await node.advance('15m')
    work((data) => void done.push(data))
    await until('three jobs', () => done.length >= 3)
    const [first] = await node.executions(job)
    await node.stop()
    expect(done).toEqual([
      { name: 'send', at: '2026-01-01T00:05:00.000Z' },
      { name: 'send', at: '2026-01-01T00:10:00.000Z' },
      { name: 'send', at: '2026-01-01T00:15:00.000Z' },
    ])
    expect(first?.result).toMatchObject({
      queue: queue.name,
      jobId: expect.stringMatching(/^evertick-[\w-]+2026-01-01T00-05-00\.000Z$/) as string,
    })
  })

  it.each([
    ['is kept', {}],
    ['is removed', { removeOnComplete: true }],
    ['is removed by count', { removeOnComplete: { count: 0 } }],
    ['is prioritized and removed', { priority: 3, removeOnComplete: true }],
  ])('a lost answer doubles nothing where the finished job %s', async (_what, jobOptions) => {
    const { queue, work } = bull()
    const done: unknown[] = []
    const job = bullJob({
      name: 'report',
      schedule: { every: '1h' },
      retry: { attempts: 3, base: '1s' },
      queue: losingAnAnswer(queue),
      jobOptions,
    })
    const node = await openTestNode({ jobs: [job] })
    await node.advance('1h')
    work((data) => void done.push(data))
    // The second attempt comes when the first one's job is done, and perhaps gone.
    await until('the job to be done', async () => {
      const { active = 0, waiting = 0, prioritized = 0 } = await queue.getJobCounts()
      return done.length > 0 && active + waiting + prioritized === 0
    })
    await node.advance('10s')
    expect(await node.executions(job)).toMatchObject([{ state: 'completed', attempt: 2 }])
    await node.stop()
    // Whatever was added after it would be done before this.
    await queue.add('last', {})
    await until('the last job', () => done.length > 1)
    expect(done).toEqual([{ name: 'report' }, { name: 'last' }])
  })

  it('says what cannot be', async () => {
    const { queue } = bull()
    const job = (given: object) => bullJob({ name: 'x', queue, ...given })
    expect(() => job({ queue: undefined })).toThrow(expect.objectContaining({ field: 'queue' }))
    expect(() => job({ jobOptions: { jobId: 'mine' } })).toThrow(
      expect.objectContaining({ field: 'jobOptions.jobId' }),
    )
    expect(() => job({ jobOptions: { repeat: {} } })).toThrow(
      expect.objectContaining({ code: 'invalid_definition' }),
    )
    expect(() => job({ dedupeTtl: 0 })).toThrow(expect.objectContaining({ field: 'dedupeTtl' }))
    const run = await runJob(job({ data: () => Promise.reject(new Error('no data')) }), { input: undefined })
    expect(run.outcome).not.toBe('completed')
    expect(await queue.getJobCountByTypes('waiting')).toBe(0)
  })
})
