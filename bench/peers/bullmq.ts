/**
 * BullMQ on Redis: with the server's own defaults, and with `appendfsync always`, which promises what a commit does.
 * Its guide names `concurrency` as what makes a worker of short jobs fast, and `addBulk` for enqueueing; `removeOnComplete`
 * (its guide, "Auto-removal of jobs") spares the writing of history. By default it keeps every finished job.
 */
import {
  type Contender,
  jobName,
  type MeasureName,
  type OpenOptions,
  type OpenQueue,
  type StoreName,
} from './contender.ts'
import { library } from './library.ts'

export interface BullmqLibrary {
  readonly Queue: new (name: string, options: QueueOptions, backend?: unknown) => BullQueue
  readonly Worker: new (
    name: string,
    handler: (job: { readonly name: string }) => Promise<void>,
    options: QueueOptions & { concurrency: number },
    backend?: unknown,
  ) => BullWorker
  readonly createPostgresBackend: unknown
}
interface QueueOptions {
  readonly connection: object
  readonly defaultJobOptions?: { readonly removeOnComplete: boolean }
}
export interface BullQueue {
  on(event: 'error', listener: () => void): unknown
  waitUntilReady(): Promise<unknown>
  add(name: string, data: object): Promise<unknown>
  addBulk(jobs: readonly { name: string; data: object }[]): Promise<unknown>
  getJobCountByTypes(...types: string[]): Promise<number>
  upsertJobScheduler(id: string, repeat: { pattern: string; tz: string }, template: object): Promise<unknown>
  close(): Promise<void>
}
export interface BullWorker {
  on(event: 'error', listener: () => void): unknown
  waitUntilReady(): Promise<unknown>
  close(force?: boolean): Promise<void>
}

const all = ['peers-enqueue', 'peers-drain', 'peers-idle-start'] as const

export const bullmq: readonly Contender[] = [
  contender('BullMQ, Redis', 'redis', all, {}),
  contender('BullMQ, Redis, removeOnComplete', 'redis', ['peers-drain'], {
    defaultJobOptions: { removeOnComplete: true },
  }),
  contender('BullMQ, Redis with fsync always', 'redis-always', all, {}),
]

function contender(
  name: string,
  store: StoreName,
  measures: readonly MeasureName[],
  queueOptions: Omit<QueueOptions, 'connection'>,
): Contender {
  const open = async (options: OpenOptions) =>
    await openBullmq({ ...queueOptions, connection: redisConnection(options.url) }, options.concurrency)
  return { name, library: 'bullmq', store, measures, open }
}

/** As BullMQ hands it on to ioredis. */
export function redisConnection(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

export async function openBullmq(
  options: QueueOptions,
  concurrency: number,
  backendOf: (library: BullmqLibrary) => unknown = () => undefined,
): Promise<OpenQueue> {
  const found = await library<BullmqLibrary>('bullmq')
  const backend = backendOf(found)
  const queue = new found.Queue(jobName, options, backend)
  queue.on('error', () => {})
  await queue.waitUntilReady()
  let worker: BullWorker | undefined
  return {
    enqueue: (n) => queue.add(jobName, { n }),
    enqueueMany: (numbers) => queue.addBulk(numbers.map((n) => ({ name: jobName, data: { n } }))),
    async work(called) {
      worker = new found.Worker(jobName, async () => called(1), { ...options, concurrency }, backend)
      worker.on('error', () => {})
      await worker.waitUntilReady()
    },
    unfinished: () => queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized', 'failed'),
    async close() {
      await worker?.close()
      await queue.close()
    },
  }
}
