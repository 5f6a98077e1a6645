/** BullMQ's job schedulers on Redis: each keeps its next job in a delayed set, from which a worker takes what is due. */
import { tickConcurrency } from '../lateness.ts'
import { type BullmqLibrary, redisConnection } from './bullmq.ts'
import { jobName } from './contender.ts'
import { library } from './library.ts'
import type { TickScheduler } from './tick-scheduler.ts'

const callers = 50

export const bullmqSchedulers: TickScheduler = {
  name: 'BullMQ job schedulers, Redis',
  library: 'bullmq',
  store: 'redis',
  async schedule({ cron, ticks, url, fired }) {
    const { Queue, Worker } = await library<BullmqLibrary>('bullmq')
    const connection = redisConnection(url)
    const queue = new Queue(jobName, { connection })
    queue.on('error', () => {})
    let next = 0
    const caller = async () => {
      while (next < ticks) {
        await queue.upsertJobScheduler(`tick ${next++}`, { pattern: cron, tz: 'UTC' }, { name: jobName })
      }
    }
    await Promise.all(Array.from({ length: callers }, caller))
    const worker = new Worker(jobName, async () => fired(), { connection, concurrency: tickConcurrency })
    worker.on('error', () => {})
    await worker.waitUntilReady()
    return {
      async stop() {
        await worker.close()
        await queue.close()
      },
    }
  },
}
