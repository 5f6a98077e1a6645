/** MySQL and MariaDB behind the driver that both servers share. */
import type { Host } from '../host.ts'
import { Dialer } from '../sql/runtime/dialer.ts'
import { type PoolSizes, ServerDriver } from '../sql/runtime/server-driver.ts'
import type { ServerEngine } from '../sql/runtime/server-session.ts'
import { type MysqlAddress, type MysqlDriver, MysqlPool, ofMysql2, socketOf } from './connection.ts'
import { meaningOf, mysqlDialect, troubleOf } from './dialect.ts'

export interface MysqlPlace {
  readonly address: MysqlAddress
  /** Of every table but `scheduler_leader_log`. */
  readonly prefix: string
  /** Without secrets, for messages. */
  readonly where: string
}

/** In UTC whatever the session's zone, and past 2038, where UNIX_TIMESTAMP() ends. */
const timeText = `
  SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000 AS now`

export function openDriver(
  mysql: MysqlDriver,
  place: MysqlPlace,
  sizes: PoolSizes,
  host: Host,
): ServerDriver {
  return new ServerDriver(mysqlEngine(mysql, place, host), host, sizes)
}

export function mysqlEngine(
  mysql: MysqlDriver,
  { address, prefix, where }: MysqlPlace,
  host: Host,
): ServerEngine {
  const dialect = mysqlDialect(prefix)
  const dialer = new Dialer(host)
  return {
    where,
    dialect,
    timeText,
    openPool: (size, limits) => new MysqlPool(mysql, address, { size, ...limits }, { dialect, dialer, host }),
    socketOf,
    troubleOf,
    meaningOf,
    callerQuery: ofMysql2,
    callerWords: 'a connection of mysql2',
  }
}
