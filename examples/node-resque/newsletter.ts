/**
 * A schedule of Evertick's that feeds a node-resque queue: a worker of node-resque does the work, and gets every tick
 * once. In your own code, import from 'evertick' and 'evertick/node-resque'.
 */
import { Redis } from 'ioredis'
import { Queue, Worker } from 'node-resque'
import { resqueJob } from '../../src/compat/node-resque/index.ts'
import { Evertick } from '../../src/index.ts'

const redis = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379')
const connection = { redis, namespace: `evertick-example-${process.pid}` }
const queue = new Queue({ connection })
await queue.connect()

const letters = 3
const sent = Promise.withResolvers<void>()
let count = 0
const worker = new Worker(
  { connection, queues: ['mail'], timeout: 50 },
  {
    sendNewsletter: {
      perform: (at: string) => {
        count += 1
        console.log(`node-resque: sent the newsletter of ${at}`)
        if (count === letters) sent.resolve()
        return Promise.resolve()
      },
    },
  },
)
await worker.connect()
await worker.start()

const newsletter = resqueJob({
  name: 'newsletter',
  schedule: { every: '1s', anchor: 'epoch' },
  connection: queue.connection,
  queue: 'mail',
  func: 'sendNewsletter',
  args: (ctx) => [ctx.scheduledFor.toISOString()],
})
const evertick = await Evertick.open({ database: 'sqlite::memory:', jobs: [newsletter] })
console.log('Evertick keeps the schedule, node-resque does the work:')
await evertick.start()
await sent.promise
await evertick.stop()
await worker.end()
await queue.end()
const keys = await redis.keys(`${connection.namespace}:*`)
if (keys.length > 0) await redis.del(...keys)
await redis.quit()
console.log(`${letters} ticks, ${letters} letters.`)
