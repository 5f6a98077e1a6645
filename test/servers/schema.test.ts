/** Three files make one schema: what a row holds and what is unique does not depend on the engine. */
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { processHost } from '../../src/store/host.ts'
import { openStore } from '../../src/store/open-store.ts'
import { finishedColumns } from '../../src/store/sql/work/make-final.ts'
import { SqliteDriver } from '../../src/store/sqlite/driver.ts'
import { sqliteMigrator } from '../../src/store/sqlite/migrator.ts'
import { placeOf } from '../../src/store/sqlite/place.ts'
import { createMysql, createPostgres } from '../services/databases.ts'
import { scriptContext, t0 } from '../store/builders.ts'
import {
  type LogicalSchema,
  logicalSchemaOfMysql,
  logicalSchemaOfPostgres,
  logicalSchemaOfSqlite,
} from '../store/logical-schema.ts'

const { postgresUrl, mysqlUrl } = { postgresUrl: inject('postgresUrl'), mysqlUrl: inject('mysqlUrl') }

async function sqliteSchema(): Promise<LogicalSchema> {
  const place = placeOf('sqlite::memory:')
  const driver = new SqliteDriver(place, processHost)
  await sqliteMigrator(driver.session, place).up(t0)
  const schema = logicalSchemaOfSqlite(driver.session.client)
  await driver.close()
  return schema
}

async function migrate(url: string): Promise<void> {
  const { store, migrator } = await openStore(url, scriptContext())
  await migrator.up(t0)
  await store.close()
}

test('SQLite has every table that the others are compared with', async () => {
  const { tables, views } = await sqliteSchema()
  expect(Object.keys(tables)).toContain('job_executions')
  expect(Object.keys(views)).toHaveLength(4)
})

test.skipIf(postgresUrl === null)('PostgreSQL has the schema of SQLite', async () => {
  const database = await createPostgres(postgresUrl ?? '')
  await migrate(database.url)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { tables, views } = await logicalSchemaOfPostgres(client, 'evertick')
  const sqlite = await sqliteSchema()
  // Its executions are in two tables, and a view shows both.
  const { live_executions: live, finished_executions: finished, ...others } = tables
  const { job_executions: all, ...sqliteOthers } = sqlite.tables
  const { job_executions: shown, ...otherViews } = views
  expect(others).toEqual(sqliteOthers)
  expect(otherViews).toEqual(sqlite.views)
  const byName = (table: typeof all) => table?.columns.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const namesOf = (table: typeof all) => table?.columns.map(({ name }) => name)
  expect(byName(live)).toEqual(byName(all))
  expect(shown).toEqual(namesOf(all))
  expect(namesOf(finished)?.toSorted()).toEqual(finishedColumns.toSorted())
  await client.end()
  await database.drop()
})

test.skipIf(mysqlUrl === null)('MySQL has the schema of SQLite', async () => {
  const database = await createMysql(mysqlUrl ?? '')
  await migrate(database.url)
  const connection = await createConnection(database.url)
  expect(await logicalSchemaOfMysql(connection)).toEqual(await sqliteSchema())
  await connection.end()
  await database.drop()
})
