/**
 * BullMQ on its PostgreSQL backend (docs.bullmq.io/guide/postgresql): `createPostgresBackend` as the last argument, and
 * `migrate: true`, since it makes no schema unasked. Its guide names no option for speed but the pool's size, and a pool of
 * 50 instead of ten made it slower here.
 */
import { openBullmq } from './bullmq.ts'
import type { Contender } from './contender.ts'

export const bullmqPostgres: readonly Contender[] = [
  {
    name: 'BullMQ, PostgreSQL',
    library: 'bullmq',
    store: 'postgres',
    measures: ['peers-enqueue', 'peers-drain', 'peers-idle-start'],
    drainJobs: 5_000,
    async open({ url, concurrency }) {
      const connection = { connectionString: url, migrate: true }
      return await openBullmq(
        { connection },
        concurrency,
        ({ createPostgresBackend }) => createPostgresBackend,
      )
    },
  },
]
