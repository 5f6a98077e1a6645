/** Somebody else's tables in a PostgreSQL database, found by its own search path. */
import type { ForeignTables } from '../foreign.ts'
import type { Host } from '../host.ts'
import { foreignTables } from '../sql/foreign-tables.ts'
import { text } from '../sql/runtime/rows.ts'
import { row } from '../sql/runtime/script.ts'
import { poolSizes } from '../store-url.ts'
import { loadPostgres } from './connection.ts'
import { PostgresDriver } from './driver.ts'
import { placeOf } from './place.ts'

/**
 * As the server would find it, but for our own tables: a user who is called evertick finds the schema of that name first,
 * and our `jobs` in it.
 */
const findText = `
  SELECT n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relname = ? AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND n.nspname <> ? AND n.nspname = ANY(current_schemas(FALSE))
  ORDER BY array_position(current_schemas(FALSE), n.nspname) LIMIT 1`

const inSchemaText = `
  SELECT n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relname = ? AND n.nspname = ?`

export async function openPostgresForeign(url: string, host: Host): Promise<ForeignTables> {
  // As behind a pooler, since there may be one: no prepared statements.
  const server = { ...placeOf(url), pooled: true }
  const driver = new PostgresDriver(await loadPostgres(), server, poolSizes(1), host)
  return foreignTables({
    dialect: 'postgres',
    read: async (script) => await driver.read(script),
    *find(name, schema) {
      const found =
        schema === null
          ? yield* row(findText, name.toLowerCase(), server.schema)
          : yield* row(inSchemaText, name.toLowerCase(), schema.toLowerCase())
      return found === null ? null : `"${text(found.schema)}"."${name.toLowerCase()}"`
    },
    close: async () => await driver.close(),
  })
}
