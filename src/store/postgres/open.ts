/** A PostgreSQL database as a store. */
import { EvertickError } from '../../core/error.ts'
import type { OpenedStore, StoreSurroundings } from '../open-store.ts'
import { classified } from '../sql/server-session.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import { poolSizes, withoutSecrets } from '../store-url.ts'
import { isPooled, loadPg } from './connection.ts'
import { meaningOf } from './dialect.ts'
import { openDriver } from './driver.ts'
import { hotScripts } from './hot.ts'
import { PostgresMigrator } from './migrator.ts'

export async function openPostgres(
  url: string,
  { context, host, pool }: StoreSurroundings,
): Promise<OpenedStore> {
  const pg = await loadPg()
  const where = withoutSecrets(url)
  const { schema, rest } = schemaOf(url)
  try {
    const pooled = await isPooled(pg, rest)
    const driver = openDriver(pg, { url: rest, schema, where, pooled }, poolSizes(pool.max), host)
    return {
      store: createSqlStore('postgres', driver, hotScripts(), context),
      migrator: new PostgresMigrator(driver, schema),
    }
  } catch (error) {
    throw classified(error, { where, meaningOf })
  }
}

/** `?schema=…` is ours; the rest of the URL is the driver's. */
function schemaOf(url: string): { readonly schema: string; readonly rest: string } {
  const parsed = new URL(url)
  const schema = parsed.searchParams.get('schema') ?? 'evertick'
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new EvertickError('unsupported_database', `"${schema}" cannot be the schema of Evertick.`, {
      field: 'database',
      next: 'Use small letters, digits and _, at most 63 of them.',
    })
  }
  parsed.searchParams.delete('schema')
  return { schema, rest: parsed.href }
}
