/** Somebody else's tables in a PostgreSQL database, found by its own search path. */
import type { ForeignTables } from '../foreign.ts'
import type { Host } from '../host.ts'
import { foreignTables } from '../sql/foreign-tables.ts'
import { row } from '../sql/runtime/script.ts'
import { poolSizes } from '../store-url.ts'
import { loadPostgres } from './connection.ts'
import { PostgresDriver } from './driver.ts'
import { placeOf } from './place.ts'

export async function openPostgresForeign(url: string, host: Host): Promise<ForeignTables> {
  // As behind a pooler, since there may be one: no prepared statements.
  const server = { ...placeOf(url), pooled: true }
  const driver = new PostgresDriver(await loadPostgres(), server, poolSizes(1), host)
  return foreignTables({
    dialect: 'postgres',
    read: async (script) => await driver.read(script),
    *hasTable(name, schema) {
      const known = yield* row(
        'SELECT to_regclass(?) IS NOT NULL AS known',
        schema === null ? name : `${schema}.${name}`,
      )
      return known?.known === 1
    },
    close: async () => await driver.close(),
  })
}
