/** PostgreSQL behind the driver that both servers share. */
import type { Host } from '../host.ts'
import { Dialer } from '../sql/runtime/dialer.ts'
import { type PoolSizes, ServerDriver } from '../sql/runtime/server-driver.ts'
import type { ServerEngine } from '../sql/runtime/server-session.ts'
import { openSessions, restMsOf } from '../sql/runtime/session-pool.ts'
import { connectionsTo, ofCaller, type PostgresPackage, type PostgresServer } from './connection.ts'
import { meaningOf, postgresDialect, troubleOf } from './dialect.ts'
import { PostgresSession, StatementNames } from './session.ts'

export class PostgresDriver extends ServerDriver {
  constructor(pg: PostgresPackage, server: PostgresServer, sizes: PoolSizes, host: Host) {
    super(postgresEngine(pg, server, host), host, sizes)
  }
}

export function postgresEngine(pg: PostgresPackage, server: PostgresServer, host: Host): ServerEngine {
  const dialect = postgresDialect(server.schema)
  const names = server.pooled ? null : new StatementNames()
  const parts = { dialect, dialer: new Dialer(host), host }
  const connections = connectionsTo(pg, server, host)
  return {
    where: server.where,
    dialect,
    timeText: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
    openPool(size, limits) {
      const own = { names, restMs: restMsOf(limits) }
      return openSessions(connections, { size, ...limits }, parts, (client, given) => {
        return new PostgresSession(client, given, own)
      })
    },
    troubleOf,
    meaningOf,
    callerQuery: ofCaller,
    callerWords: 'a client of pg',
  }
}
