/** A database of MySQL or MariaDB as a store. */
import { noHints } from '../hints.ts'
import type { OpenedStore, StoreSurroundings } from '../open-store.ts'
import { classified } from '../sql/runtime/server-session.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import { poolSizes, senderName } from '../store-url.ts'
import { loadMysql, serverFacts } from './connection.ts'
import { meaningOf } from './dialect.ts'
import { MysqlDriver, mysqlEngine } from './driver.ts'
import { hotScripts } from './hot.ts'
import { mysqlLifelines } from './lifeline.ts'
import { mysqlMigrator } from './migrator.ts'
import { placeOf } from './place.ts'
import { collationOf, payloadLimit } from './server-facts.ts'

export async function openMysql(
  url: string,
  { context, host, pool, openHints }: StoreSurroundings,
): Promise<OpenedStore> {
  const mysql = await loadMysql()
  const place = await placeOf(url)
  const { where } = place
  try {
    const { version, packetBytes } = await serverFacts(mysql, place)
    const collation = collationOf(version)
    const sizes = { ...poolSizes(pool.max), transactionMs: pool.transactionMs }
    const driver = new MysqlDriver(mysql, place, sizes, host)
    const hints = await openHints(async () => noHints, { where, sender: senderName(host) })
    // Migrations wait for each other, and a table may be large.
    const limits = { answerMs: null, transactionMs: pool.transactionMs }
    const openPool = () => mysqlEngine(mysql, place, host).openPool(1, limits)
    return {
      store: createSqlStore('mysql', driver, hotScripts(), context, {
        hints,
        within: null,
        lifelines: mysqlLifelines(mysql, place, driver, host),
      }),
      migrator: mysqlMigrator(driver, { ...place, collation, openPool }),
      payloadLimit: payloadLimit(packetBytes),
    }
  } catch (error) {
    throw classified(error, { where, meaningOf })
  }
}
