/**
 * Agenda on its PostgreSQL backend. Its README's options that matter here: `maxConcurrency` and `defaultConcurrency` (20 and
 * 5 by default), `processEvery` (5 s by default; new jobs are told by NOTIFY in any case), the pool's size, and
 * `removeOnComplete`. It has no bulk, and by default keeps the job as one row with its last run, no history of runs.
 */
import { Pool } from 'pg'
import { type Contender, jobName, type MeasureName, type OpenOptions, type OpenQueue } from './contender.ts'
import { library } from './library.ts'
import { openRowCount } from './row-count.ts'

interface AgendaLibrary {
  readonly Agenda: new (options: AgendaOptions & { backend: object }) => AgendaQueue
}
interface BackendLibrary {
  readonly PostgresBackend: new (options: { pool: Pool }) => object
}
interface AgendaOptions {
  readonly maxConcurrency: number
  readonly defaultConcurrency: number
  readonly processEvery?: number
  readonly removeOnComplete?: boolean
}
interface AgendaQueue {
  readonly ready: Promise<void>
  on(event: 'error', listener: () => void): unknown
  define(name: string, handler: () => Promise<void>): void
  now(name: string, data: object): Promise<unknown>
  start(): Promise<void>
  stop(): Promise<void>
}

interface Configuration {
  readonly pool?: { readonly max: number }
  readonly agenda?: Pick<AgendaOptions, 'processEvery' | 'removeOnComplete'>
}

export const agenda: readonly Contender[] = [
  contender('Agenda, PostgreSQL', ['peers-enqueue', 'peers-drain', 'peers-idle-start'], {}),
  contender('Agenda, PostgreSQL, pool of 50, removeOnComplete', ['peers-drain'], {
    pool: { max: 50 },
    agenda: { processEvery: 100, removeOnComplete: true },
  }),
]

function contender(name: string, measures: readonly MeasureName[], given: Configuration): Contender {
  const open = (options: OpenOptions) => openAgenda(options, given)
  return { name, library: 'agenda', store: 'postgres', measures, bulk: false, drainJobs: 2_000, open }
}

async function openAgenda({ url, concurrency }: OpenOptions, given: Configuration): Promise<OpenQueue> {
  const { Agenda } = await library<AgendaLibrary>('agenda')
  const { PostgresBackend } = await library<BackendLibrary>('@agendajs/postgres-backend')
  // Ours to close: an Agenda that only enqueues never ends the pool that it makes.
  const pool = new Pool({ connectionString: url, ...given.pool })
  pool.on('error', () => {})
  const backend = new PostgresBackend({ pool })
  const atOnce = { maxConcurrency: concurrency, defaultConcurrency: concurrency }
  const queue = new Agenda({ backend, ...atOnce, ...given.agenda })
  queue.on('error', () => {})
  await queue.ready
  const table = await openRowCount(url)
  return {
    enqueue: (n) => queue.now(jobName, { n }),
    async work(called) {
      queue.define(jobName, async () => called(1))
      await queue.start()
    },
    unfinished: () => table.rows('SELECT count(*) FROM agenda_jobs WHERE last_finished_at IS NULL'),
    async close() {
      await table.close()
      await queue.stop()
      await pool.end()
    },
  }
}
