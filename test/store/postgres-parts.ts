/** What a store on PostgreSQL is made of, for a test that puts something of its own between. */
import pg from 'pg'
import { processHost } from '../../src/store/host.ts'
import { postgresEngine } from '../../src/store/postgres/driver.ts'
import { hotScripts } from '../../src/store/postgres/hot.ts'
import type { ServerParts } from './races/gate.ts'

export function postgresParts(url: string, pooled = false): ServerParts {
  const place = { url, schema: 'evertick', where: 'gated', pooled }
  return { engine: postgresEngine(pg, place, processHost), hot: hotScripts, dialect: 'postgres' }
}
