import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { requireProgram } from './binaries.ts'
import { longOptions } from './long-options.ts'
import { type Server, startServer } from './server.ts'

/** The operating system outlives every crash that a test makes; only a power cut needs the disk to be waited for. */
const hasty = { shared_buffers: '32MB', fsync: 'off' }

/**
 * The superuser is `evertick`, without a password; the database `postgres` is there to connect to. `durable`: with the
 * server's own defaults, for benches.
 */
export function startPostgres({ durable = false } = {}): Promise<Server> {
  // Where it really is, because the `initdb` on the PATH may be that of another version.
  const postgres = realpathSync(requireProgram('postgres', 'postgres'))
  return startServer({
    name: 'postgres',
    accounts: ['postgres'],
    // SIGINT ends the sessions; SIGTERM, the default of others, would wait for every client to leave.
    stopSignal: 'SIGINT',
    // What `pg_ctl stop -m immediate` sends: no checkpoint, no flush. After SIGKILL the orphaned backends would hold
    // the shared memory for a moment, and the next start would fail.
    crashSignal: 'SIGQUIT',
    prepare: (folder) => ({
      program: join(dirname(postgres), 'initdb'),
      args: [
        '--no-locale',
        ...(durable ? [] : ['--no-sync']),
        ...longOptions({
          pgdata: join(folder, 'data'),
          username: 'evertick',
          auth: 'trust',
          encoding: 'UTF8',
        }),
      ],
    }),
    command: (folder, port) => ({
      program: postgres,
      args: [
        '-D',
        join(folder, 'data'),
        ...longOptions({
          listen_addresses: '127.0.0.1',
          port,
          unix_socket_directories: folder,
          max_connections: 200,
          ...(durable ? {} : hasty),
        }),
      ],
    }),
    url: (port) => `postgres://evertick@127.0.0.1:${port}/postgres`,
    ping: pingPostgres,
  })
}

export async function pingPostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  // A server that ends while it is asked breaks the connection a second time.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
  } finally {
    await client.end()
  }
}
