/** MySQL and MariaDB behind the driver that both servers share. */
import type { Host } from '../host.ts'
import { Dialer } from '../sql/runtime/dialer.ts'
import { type PoolSizes, ServerDriver } from '../sql/runtime/server-driver.ts'
import type { ServerEngine } from '../sql/runtime/server-session.ts'
import { openSessions } from '../sql/runtime/session-pool.ts'
import { connectionsTo, type MysqlPackage, ofCaller } from './connection.ts'
import { meaningOf, mysqlDialect, troubleOf } from './dialect.ts'
import type { MysqlPlace } from './place.ts'
import { MysqlSession } from './session.ts'

/** In UTC whatever the session's zone, and past 2038, where UNIX_TIMESTAMP() ends. */
const timeText = `
  SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000 AS now`

export class MysqlDriver extends ServerDriver {
  constructor(mysql: MysqlPackage, place: MysqlPlace, sizes: PoolSizes, host: Host) {
    super(mysqlEngine(mysql, place, host), host, sizes)
  }
}

export function mysqlEngine(mysql: MysqlPackage, place: MysqlPlace, host: Host): ServerEngine {
  const dialect = mysqlDialect(place.prefix)
  const parts = { dialect, dialer: new Dialer(host), host }
  return {
    where: place.where,
    dialect,
    timeText,
    openPool(size, limits) {
      const connections = connectionsTo(mysql, place, limits)
      return openSessions(connections, { size, ...limits }, parts, (client, given) => {
        return new MysqlSession(client, given)
      })
    },
    troubleOf,
    meaningOf,
    callerQuery: ofCaller,
    callerWords: 'a connection of mysql2',
  }
}
