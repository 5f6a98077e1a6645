/** PostgreSQL behind the driver that both servers share. */
import type { Host } from '../host.ts'
import { Dialer } from '../sql/runtime/dialer.ts'
import { type PoolSizes, ServerDriver } from '../sql/runtime/server-driver.ts'
import type { ServerEngine } from '../sql/runtime/server-session.ts'
import { isPgClient, type PostgresDriver, PostgresPool, StatementNames, socketOf } from './connection.ts'
import { meaningOf, postgresDialect, troubleOf } from './dialect.ts'

export interface PostgresPlace {
  readonly url: string
  readonly schema: string
  /** Without secrets, for messages. */
  readonly where: string
  /** A pooler in transaction mode stands before the server. */
  readonly pooled: boolean
}

export function openDriver(
  pg: PostgresDriver,
  place: PostgresPlace,
  sizes: PoolSizes,
  host: Host,
): ServerDriver {
  return new ServerDriver(postgresEngine(pg, place, host), host, sizes)
}

export function postgresEngine(pg: PostgresDriver, place: PostgresPlace, host: Host): ServerEngine {
  const dialect = postgresDialect(place.schema)
  const names = place.pooled ? null : new StatementNames()
  const dialer = new Dialer(host)
  return {
    where: place.where,
    dialect,
    timeText: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
    openPool: (size, limits) =>
      new PostgresPool(pg, place.url, { size, ...limits }, { dialect, names, dialer, host }),
    socketOf,
    troubleOf,
    meaningOf,
    callerQuery: (transaction) =>
      isPgClient(transaction) ? async (text, params) => await transaction.query(text, [...params]) : null,
    callerWords: 'a client of pg',
  }
}
