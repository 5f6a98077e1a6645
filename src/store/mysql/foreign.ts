/** Somebody else's tables in a database of MySQL or MariaDB. */
import type { ForeignTables } from '../foreign.ts'
import type { Host } from '../host.ts'
import { foreignTables, qualified } from '../sql/foreign-tables.ts'
import { row } from '../sql/runtime/script.ts'
import { poolSizes } from '../store-url.ts'
import { loadMysql } from './connection.ts'
import { MysqlDriver } from './driver.ts'
import { placeOf } from './place.ts'

const findText = `
  SELECT 1 AS one FROM information_schema.tables WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?`

export async function openMysqlForeign(url: string, host: Host): Promise<ForeignTables> {
  const driver = new MysqlDriver(await loadMysql(), await placeOf(url), poolSizes(1), host)
  return foreignTables({
    dialect: 'mysql',
    read: async (script) => await driver.read(script),
    *find(name, schema) {
      return (yield* row(findText, schema, name)) === null ? null : qualified(name, schema)
    },
    close: async () => await driver.close(),
  })
}
