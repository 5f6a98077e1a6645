/** A SQLite file, or a database in memory, as a store. */
import { noHints } from '../hints.ts'
import type { OpenedStore, StoreSurroundings } from '../open-store.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import { SqliteDriver } from './driver.ts'
import { hotScripts } from './hot.ts'
import { sqliteLifelines } from './lifeline.ts'
import { sqliteMigrator } from './migrator.ts'
import { placeOf } from './place.ts'

export async function openSqlite(url: string, { context, host }: StoreSurroundings): Promise<OpenedStore> {
  const place = placeOf(url)
  const driver = new SqliteDriver(place, host)
  return {
    store: createSqlStore('sqlite', driver, hotScripts(), context, {
      hints: noHints,
      within: null,
      lifelines: sqliteLifelines(place, host),
    }),
    migrator: sqliteMigrator(driver.session, place),
  }
}
