/** One process of the app: a timer of node-schedule, a queue of node-resque, and a coordinator between them. */
import { Redis } from 'ioredis'
import { Queue } from 'node-resque'
import { scheduleJob } from 'node-schedule'
import { pushOnce } from '../../src/compat/node-resque/index.ts'
import { LeaderLogCoordinator, nextTicks, type QueueEntry } from '../../src/index.ts'

const [name = 'app', database = '', namespace = ''] = process.argv.slice(2)
const redis = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379')
const queue = new Queue({ connection: { redis, namespace } })
await queue.connect()

const enqueue = (scheduleTime: Date, { key }: QueueEntry) =>
  pushOnce(queue.connection, { queue: 'mail', func: 'send', args: [scheduleTime.toISOString(), name], key })

const coordinator = new LeaderLogCoordinator({
  instanceId: name,
  database,
  heartbeat: '500ms',
  lease: '2s',
  findMissedTasks: (from, to) =>
    nextTicks({ cron: '* * * * * *' }, { from, until: to, count: 1_000 }).map((scheduleTime) => ({
      taskId: 'mail',
      scheduleTime,
    })),
  enqueue: ({ scheduleTime }, entry) => enqueue(scheduleTime, entry),
  onElected: () => process.send?.({ say: 'elected', name }),
  onRepaired: ({ enqueued }) => process.send?.({ say: 'repaired', name, enqueued }),
})
await coordinator.start()
scheduleJob('* * * * * *', (scheduleTime) => {
  coordinator.enqueueOnce('mail', scheduleTime, (entry) => enqueue(scheduleTime, entry)).catch(console.error)
})
