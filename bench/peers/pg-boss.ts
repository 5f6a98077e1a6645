/**
 * pg-boss on PostgreSQL. What makes it fast by its own documentation (pgboss.io, `work`): `batchSize` with
 * `burstWhenBatchFull`, which fetches again at once while batches come back full, and `useListenNotify` with the queue's
 * `notify`, which wakes an idle worker. A batch is one call of the handler and one statement that
 * completes it. A pool of 50 connections instead of its ten did not help 50 callers here.
 */
import { type Contender, jobName, type MeasureName, type OpenOptions, type OpenQueue } from './contender.ts'
import { library } from './library.ts'
import { openRowCount } from './row-count.ts'

interface PgBossLibrary {
  readonly PgBoss: new (options: { connectionString: string; useListenNotify: boolean }) => Boss
}
interface Boss {
  on(event: 'error' | 'warning', listener: () => void): unknown
  start(): Promise<unknown>
  stop(options: { graceful: boolean }): Promise<void>
  createQueue(name: string, options: { notify: boolean }): Promise<void>
  send(name: string, data: object): Promise<unknown>
  insert(name: string, jobs: readonly { data: object }[]): Promise<unknown>
  work(
    name: string,
    options: WorkOptions,
    handler: (jobs: readonly unknown[]) => Promise<void>,
  ): Promise<unknown>
}
interface WorkOptions {
  readonly batchSize?: number
  readonly localConcurrency?: number
  readonly pollingIntervalSeconds?: number
  readonly burstWhenBatchFull?: boolean
}

interface Configuration {
  readonly work: (concurrency: number) => WorkOptions
  readonly notify?: boolean
}

/** More than one batch under way, so that one is fetched while another is completed. */
const localConcurrency = 4

export const pgBoss: readonly Contender[] = [
  contender(
    'pg-boss',
    ['peers-enqueue', 'peers-idle-start'],
    { work: () => ({}) },
    { idleStarts: 5, pollMs: 2_000 },
  ),
  // Each of its workers looks twice a second, the most that it allows, and takes one job: 100/s for 50 workers.
  contender(
    'pg-boss, batch 1, poll 0.5 s',
    ['peers-drain'],
    { work: (concurrency) => ({ localConcurrency: concurrency, pollingIntervalSeconds: 0.5 }) },
    { drainJobs: 500 },
  ),
  contender('pg-boss, batch 100, notify', ['peers-enqueue', 'peers-drain', 'peers-idle-start'], {
    notify: true,
    work: () => ({ localConcurrency, batchSize: 100, burstWhenBatchFull: true }),
  }),
  contender('pg-boss, batch 1000', ['peers-drain'], {
    work: () => ({
      localConcurrency,
      batchSize: 1_000,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
    }),
  }),
]

function contender(
  name: string,
  measures: readonly MeasureName[],
  configuration: Configuration,
  fewer: Pick<Contender, 'drainJobs' | 'idleStarts' | 'pollMs'> = {},
): Contender {
  const open = (options: OpenOptions) => openPgBoss(options, configuration)
  return { name, library: 'pg-boss', store: 'postgres', measures, ...fewer, open }
}

async function openPgBoss({ url, concurrency }: OpenOptions, given: Configuration): Promise<OpenQueue> {
  const { PgBoss } = await library<PgBossLibrary>('pg-boss')
  const { notify = false, work } = given
  const boss = new PgBoss({ connectionString: url, useListenNotify: notify })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(jobName, { notify })
  const table = await openRowCount(url)
  return {
    enqueue: (n) => boss.send(jobName, { n }),
    enqueueMany: (numbers) =>
      boss.insert(
        jobName,
        numbers.map((n) => ({ data: { n } })),
      ),
    async work(called) {
      await boss.work(jobName, work(concurrency), async (jobs) => called(jobs.length))
    },
    unfinished: () =>
      table.rows(`SELECT count(*) FROM pgboss.job WHERE name = '${jobName}' AND state <> 'completed'`),
    async close() {
      await table.close()
      await boss.stop({ graceful: false })
    },
  }
}
