/** Ticks in a real node-resque queue on a real Redis, worked down by a real worker of node-resque: each exactly once. */
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { Queue, Worker } from 'node-resque'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { pushOnce, resqueJob } from '../../src/compat/node-resque/index.ts'
import { openTestNode, runJob } from '../../src/testing/index.ts'
import { until } from '../process/until.ts'

const redisUrl = inject('redisUrl')

async function resque() {
  const redis = new Redis(redisUrl ?? '')
  const connection = { redis, namespace: `test-${randomUUID()}` }
  const queue = new Queue({ connection })
  await queue.connect()
  onTestFinished(async () => {
    await queue.end()
    await redis.quit()
  })
  return { redis, connection, queue }
}

describe.skipIf(redisUrl === null)('evertick/node-resque', () => {
  it('writes what node-resque itself would write', async () => {
    const { queue } = await resque()
    await queue.enqueue('theirs', 'send', ['a', { b: 1 }])
    await pushOnce(queue.connection, { queue: 'ours', func: 'send', args: ['a', { b: 1 }], key: 'k' })
    const [theirs] = (await queue.queued('theirs', 0, -1)) as object[]
    expect(await queue.queued('ours', 0, -1)).toEqual([{ ...theirs, queue: 'ours' }])
    expect((await queue.queues()).toSorted()).toEqual(['ours', 'theirs'])
    expect(await queue.del('ours', 'send', ['a', { b: 1 }])).toBe(1)
  })

  it('pushes a key once, and remembers it for as long as it is told', async () => {
    const { queue, redis } = await resque()
    const push = (key: string) =>
      pushOnce(queue.connection, { queue: 'mail', func: 'send', key, dedupeTtl: '1h' })
    const pushed = await Promise.all(Array.from({ length: 10 }, () => push('k1')))
    expect(pushed.filter(Boolean)).toHaveLength(1)
    expect(await push('k2')).toBe(true)
    expect(await queue.length('mail')).toBe(2)
    const ttl = await redis.pttl(queue.connection.key('evertick', 'once', 'k1'))
    expect(ttl).toBeGreaterThan(3_500_000)
    expect(ttl).toBeLessThanOrEqual(3_600_000)
  })

  it('a worker of node-resque gets every tick of a schedule once, in its order, with its arguments', async () => {
    const { queue, connection } = await resque()
    const done: string[] = []
    const job = resqueJob({
      name: 'newsletter',
      schedule: { cron: '*/5 * * * *' },
      connection: queue.connection,
      queue: 'mail',
      func: 'sendNewsletter',
      args: (ctx) => [ctx.scheduledFor.toISOString(), { cause: ctx.cause }],
    })
    const node = await openTestNode({ jobs: [job], start: '2026-01-01T00:00:00Z' })
    await node.advance('15m')
    const worker = new Worker(
      { connection, queues: ['mail'], timeout: 10 },
      {
        sendNewsletter: {
          perform: (at: string, { cause }: { cause: string }) => {
            done.push(`${at} ${cause}`)
            return Promise.resolve()
          },
        },
      },
    )
    await worker.connect()
    await worker.start()
    await until('three mails', () => done.length >= 3)
    await worker.end()
    const results = (await node.executions(job)).map(({ result }) => result)
    await node.stop()
    expect(done).toEqual([
      '2026-01-01T00:05:00.000Z schedule',
      '2026-01-01T00:10:00.000Z schedule',
      '2026-01-01T00:15:00.000Z schedule',
    ])
    const pushed = { queue: 'mail', func: 'sendNewsletter', pushed: true }
    expect(results).toEqual([pushed, pushed, pushed])
  })

  it('an attempt whose answer was lost after the push is tried again, and pushes nothing', async () => {
    const { queue, connection, redis } = await resque()
    let answersLost = 0
    const flaky = {
      key: (...parts: string[]) => [connection.namespace, ...parts].join(':'),
      redis: {
        async eval(script: string, numberOfKeys: number, ...rest: string[]): Promise<unknown> {
          const answer: unknown = await redis.eval(script, numberOfKeys, ...rest)
          answersLost += 1
          if (answersLost === 1) throw new Error('Connection is closed.')
          return answer
        },
      },
    }
    const job = resqueJob({
      name: 'report',
      schedule: { every: '1h' },
      retry: { attempts: 3, base: '1s' },
      connection: flaky,
      queue: 'reports',
      func: 'report',
    })
    const node = await openTestNode({ jobs: [job] })
    await node.advance('1h10s')
    expect(await node.executions(job)).toMatchObject([
      { state: 'completed', attempt: 2, result: { pushed: false } },
    ])
    await node.stop()
    expect(await queue.queued('reports', 0, -1)).toEqual([{ class: 'report', queue: 'reports', args: [] }])
  })

  it('says what is missing', async () => {
    const { queue } = await resque()
    const job = (given: object) =>
      resqueJob({ name: 'x', connection: queue.connection, queue: 'mail', func: 'send', ...given })
    expect(() => job({ connection: undefined })).toThrow(expect.objectContaining({ field: 'connection' }))
    expect(() => job({ queue: '' })).toThrow(expect.objectContaining({ field: 'queue' }))
    expect(() => job({ func: '' })).toThrow(expect.objectContaining({ field: 'func' }))
    expect(() => job({ dedupeTtl: 'soon' })).toThrow(expect.objectContaining({ field: 'dedupeTtl' }))
    const unconnected = new Queue({ connection: { host: '127.0.0.1' } })
    const run = await runJob(job({ connection: unconnected.connection }), { input: undefined })
    expect(run.error).toMatchObject({ code: 'redis_unavailable' })
    await expect(
      pushOnce(queue.connection, { queue: 'q', func: 'f', key: 'k', delay: 5 } as never),
    ).rejects.toMatchObject({ code: 'invalid_option', field: 'delay' })
  })
})
