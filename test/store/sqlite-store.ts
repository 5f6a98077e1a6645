/** SQLite stores for tests: a migrated database in memory or in a folder of its own, with a door behind the port's back. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { processHost } from '../../src/store/host.ts'
import { openStore } from '../../src/store/open-store.ts'
import { createSqlStore } from '../../src/store/sql/sql-store.ts'
import { rewrite } from '../../src/store/sqlite/dialect.ts'
import { SqliteDriver } from '../../src/store/sqlite/driver.ts'
import { hotScripts } from '../../src/store/sqlite/hot.ts'
import { sqliteMigrator } from '../../src/store/sqlite/migrator.ts'
import { placeOf } from '../../src/store/sqlite/place.ts'
import { scriptContext, t0 } from './builders.ts'
import type { StoreUnderTest, WrittenRow } from './conformance/store-under-test.ts'

export async function openMemory(): Promise<StoreUnderTest> {
  const place = placeOf('sqlite::memory:')
  const driver = new SqliteDriver(place, processHost)
  const migrator = sqliteMigrator(driver.session, place)
  await migrator.up(t0)
  const store = createSqlStore('sqlite', driver, hotScripts(), scriptContext())
  const { client } = driver.session
  return { store, migrator, ...backDoor(client), close: () => store.close() }
}

export async function openFile(): Promise<StoreUnderTest> {
  const folder = temporaryFolder()
  const path = join(folder.path, 'evertick.db')
  const { store, migrator } = await openStore(`sqlite:${path}`, scriptContext())
  await migrator.up(t0)
  const client = new DatabaseSync(path)
  return {
    store,
    migrator,
    ...backDoor(client),
    async close() {
      client.close()
      await store.close()
      folder.remove()
    },
  }
}

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'evertick-store-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

function backDoor(client: DatabaseSync): Pick<StoreUnderTest, 'sql' | 'mark' | 'callerTransactions'> {
  const sql: StoreUnderTest['sql'] = async (text, ...params) =>
    client.prepare(rewrite(text)).all(...params) as WrittenRow[]
  const inTransaction = (tx: object) => ({
    tx,
    begin: async () => client.exec('BEGIN IMMEDIATE'),
    commit: async () => client.exec('COMMIT'),
    rollback: async () => client.exec('ROLLBACK'),
  })
  const query = async (text: string, params: readonly unknown[]) =>
    client.prepare(text).all(...(params as SQLInputValue[]))
  return {
    sql,
    mark: () => '?',
    callerTransactions: {
      'a driver connection': inTransaction(client),
      'an object with query': inTransaction({ query }),
    },
  }
}
