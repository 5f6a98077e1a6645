/**
 * node-resque on Redis, by its MultiWorker. By default that adds a worker every half second, up to ten, and an idle worker
 * looks every 5 s. The options of its README that make it fast: `minTaskProcessors` and `maxTaskProcessors`,
 * `checkTimeout` (how soon the next worker is added), `maxEventLoopDelay` (else a busy process sheds workers) and
 * `timeout` (how often an idle worker looks). It keeps counts of what is done, no history.
 */
import { redisConnection } from './bullmq.ts'
import { type Contender, jobName, type MeasureName, type OpenOptions, type OpenQueue } from './contender.ts'
import { library } from './library.ts'

interface ResqueLibrary {
  readonly Queue: new (options: { connection: object }, jobs: object) => ResqueQueue
  readonly MultiWorker: new (options: object, jobs: object) => MultiWorker
}
interface ResqueQueue {
  on(event: 'error', listener: () => void): unknown
  connect(): Promise<void>
  enqueue(queue: string, name: string, args: readonly unknown[]): Promise<unknown>
  stats(): Promise<Readonly<Record<string, string>>>
  end(): Promise<void>
}
interface MultiWorker {
  on(event: 'error' | 'failure', listener: () => void): unknown
  start(): void
  end(): Promise<void>
}

export const nodeResque: readonly Contender[] = [
  contender('node-resque', ['peers-enqueue', 'peers-idle-start'], () => ({}), {
    idleStarts: 3,
    pollMs: 5_000,
  }),
  // Looking more often than every 100 ms made its drain slower: each look of an idle worker comes with a ping.
  contender(
    'node-resque, 50 workers, poll 100 ms',
    ['peers-drain', 'peers-idle-start'],
    (concurrency) => ({
      minTaskProcessors: concurrency,
      maxTaskProcessors: concurrency,
      checkTimeout: 10,
      maxEventLoopDelay: 60_000,
      timeout: 100,
    }),
    { pollMs: 100 },
  ),
]

function contender(
  name: string,
  measures: readonly MeasureName[],
  workerOptions: (concurrency: number) => object,
  idle: Pick<Contender, 'idleStarts' | 'pollMs'>,
): Contender {
  const open = (options: OpenOptions) => openResque(options, workerOptions(options.concurrency))
  return { name, library: 'node-resque', store: 'redis', measures, bulk: false, ...idle, open }
}

async function openResque({ url }: OpenOptions, workerOptions: object): Promise<OpenQueue> {
  const { Queue, MultiWorker } = await library<ResqueLibrary>('node-resque')
  const connection = redisConnection(url)
  const queue = new Queue({ connection }, {})
  queue.on('error', () => {})
  await queue.connect()
  let enqueued = 0
  let workers: MultiWorker | undefined
  return {
    async enqueue(n) {
      await queue.enqueue(jobName, jobName, [n])
      enqueued += 1
    },
    async work(called) {
      const jobs = { [jobName]: { perform: async () => called(1) } }
      workers = new MultiWorker({ connection, queues: [jobName], ...workerOptions }, jobs)
      workers.on('error', () => {})
      workers.start()
    },
    // The list empties as jobs are taken; only the count of processed ones is written at their end.
    unfinished: async () => enqueued - Number((await queue.stats())['processed'] ?? 0),
    async close() {
      await workers?.end()
      await queue.end()
    },
  }
}
