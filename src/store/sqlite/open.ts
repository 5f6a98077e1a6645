/** A SQLite file, or a database in memory, as a store. */

import type { Host } from '../host.ts'
import type { OpenedStore } from '../open-store.ts'
import type { ScriptContext } from '../sql/runtime/script.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import { SqliteDriver } from './driver.ts'
import * as hot from './hot.ts'
import { SqliteMigrator } from './migrator.ts'

export function openSqlite(path: string, context: ScriptContext, host: Host): OpenedStore {
  const driver = new SqliteDriver(path, host)
  return {
    store: createSqlStore('sqlite', driver, hot, context),
    migrator: new SqliteMigrator(driver.connection, path),
  }
}
