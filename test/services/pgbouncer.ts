import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireProgram } from './binaries.ts'
import { databaseUrl } from './databases.ts'
import { pingPostgres } from './postgres.ts'
import { type Server, startServer } from './server.ts'

/** In front of the given server, in transaction mode. Any database name is passed on, under the given URL's user. */
export function startPgbouncer(postgresUrl: string): Promise<Server> {
  const program = requireProgram('pgbouncer', 'pgbouncer')
  const user = new URL(postgresUrl).username
  return startServer({
    name: 'pgbouncer',
    accounts: ['postgres', 'pgbouncer'],
    // It has nothing to tidy up, and its gentle signals, which changed between versions, wait for clients to leave.
    stopSignal: 'SIGKILL',
    crashSignal: 'SIGKILL',
    command(folder, port) {
      const file = join(folder, 'pgbouncer.ini')
      writeFileSync(file, settings(postgresUrl, port))
      return { program, args: [file] }
    },
    url: (port) => databaseUrl(`postgres://${user}@127.0.0.1:${port}`, databaseOf(postgresUrl)),
    ping: pingPostgres,
  })
}

function settings(postgresUrl: string, port: number): string {
  return `[databases]
* = ${target(new URL(postgresUrl))}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
server_tls_sslmode = prefer
; After a failed connection it would refuse to try again for 15 s, and a test of a restart would wait for that.
server_login_retry = 1
`
}

function target(url: URL): string {
  const parts = {
    host: url.searchParams.get('host') ?? url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? '5432' : url.port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  }
  return Object.entries(parts)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}='${value.replaceAll("'", "''")}'`)
    .join(' ')
}

function databaseOf(url: string): string {
  const { pathname, username } = new URL(url)
  return decodeURIComponent(pathname.slice(1) === '' ? username : pathname.slice(1))
}
