/**
 * graphile-worker on PostgreSQL. What makes it fast by its own page on performance (worker.graphile.org/docs/performance):
 * `localQueue: { size: 500 }`, `completeJobBatchDelay: 0` and `failJobBatchDelay: 0`, with a connection for each job at
 * once. It deletes a finished job and keeps no history.
 */
import { type Contender, jobName, type MeasureName, type OpenOptions, type OpenQueue } from './contender.ts'
import { library } from './library.ts'
import { openRowCount } from './row-count.ts'

interface GraphileLibrary {
  readonly Logger: new (factory: () => () => void) => object
  readonly makeWorkerUtils: (options: SharedOptions) => Promise<WorkerUtils>
  readonly run: (options: RunOptions) => Promise<Runner>
}
interface SharedOptions {
  readonly connectionString: string
  readonly logger: object
  readonly preset: { readonly worker: WorkerOptions }
}
interface RunOptions extends SharedOptions {
  readonly taskList: Readonly<Record<string, () => void>>
  readonly noHandleSignals: boolean
}
interface WorkerOptions {
  readonly concurrentJobs?: number
  readonly maxPoolSize?: number
  readonly localQueue?: { readonly size: number }
  readonly completeJobBatchDelay?: number
  readonly failJobBatchDelay?: number
}
interface WorkerUtils {
  migrate(): Promise<void>
  addJob(name: string, payload: object): Promise<unknown>
  addJobs(jobs: readonly { identifier: string; payload: object }[]): Promise<unknown>
  release(): Promise<void>
}
interface Runner {
  stop(): Promise<void>
}

type WorkerOptionsFor = (concurrency: number) => WorkerOptions

export const graphileWorker: readonly Contender[] = [
  contender(
    'graphile-worker',
    ['peers-enqueue', 'peers-drain', 'peers-idle-start'],
    (concurrentJobs) => ({ concurrentJobs }),
    { drainJobs: 10_000 },
  ),
  contender(
    'graphile-worker, localQueue 500 + batches',
    ['peers-enqueue', 'peers-drain', 'peers-idle-start'],
    (concurrentJobs) => ({
      concurrentJobs,
      maxPoolSize: concurrentJobs + 1,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    }),
  ),
]

function contender(
  name: string,
  measures: readonly MeasureName[],
  worker: WorkerOptionsFor,
  fewer: Pick<Contender, 'drainJobs'> = {},
): Contender {
  const open = (options: OpenOptions) => openGraphile(options, worker)
  return { name, library: 'graphile-worker', store: 'postgres', measures, ...fewer, open }
}

async function openGraphile({ url, concurrency }: OpenOptions, worker: WorkerOptionsFor): Promise<OpenQueue> {
  const { Logger, makeWorkerUtils, run } = await library<GraphileLibrary>('graphile-worker')
  // It logs each job; nobody would in earnest, and the terminal would be what is measured.
  const logger = new Logger(() => () => {})
  const shared = { connectionString: url, logger, preset: { worker: worker(concurrency) } }
  const utils = await makeWorkerUtils(shared)
  await utils.migrate()
  const table = await openRowCount(url)
  let runner: Runner | undefined
  return {
    enqueue: (n) => utils.addJob(jobName, { n }),
    enqueueMany: (numbers) => utils.addJobs(numbers.map((n) => ({ identifier: jobName, payload: { n } }))),
    async work(called) {
      runner = await run({ ...shared, taskList: { [jobName]: () => called(1) }, noHandleSignals: true })
    },
    unfinished: () => table.rows('SELECT count(*) FROM graphile_worker.jobs'),
    async close() {
      await table.close()
      await runner?.stop()
      await utils.release()
    },
  }
}
