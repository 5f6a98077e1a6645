/** A migrated database of each engine, with an `orders` table of the application's own, and a door behind Evertick's back. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { newId } from '../../../../src/app/ids.ts'
import { openStore } from '../../../../src/store/open-store.ts'
import { createMysql, createPostgres } from '../../../services/databases.ts'

export type Row = Record<string, unknown>

export interface ProcessingDatabase {
  readonly url: string
  /** In the engine's own SQL. */
  query(text: string): Promise<Row[]>
  drop(): Promise<void>
}

const ordersText = 'CREATE TABLE orders (job_id VARCHAR(64) NOT NULL, attempt INT NOT NULL)'

export async function migrate(url: string): Promise<void> {
  const { store, migrator } = await openStore(url, { newId, tzVersion: 'test' })
  await migrator.up(Date.now())
  await store.close()
}

export async function onMariadb(adminUrl: string): Promise<ProcessingDatabase> {
  const database = await createMysql(adminUrl)
  const { url } = database
  await migrate(url)
  const door = await createConnection(url)
  await door.query(ordersText)
  return {
    url,
    query: async (text) => {
      const [rows] = await door.query(text)
      return Array.isArray(rows) ? (rows as Row[]) : []
    },
    drop: async () => {
      await door.end()
      await database.drop()
    },
  }
}

export async function onPostgres(adminUrl: string): Promise<ProcessingDatabase> {
  const database = await createPostgres(adminUrl)
  const { url } = database
  await migrate(url)
  // So that the page's queries run as they stand.
  const door = new pg.Client({ connectionString: url, options: '-c search_path=public,evertick' })
  await door.connect()
  await door.query(ordersText)
  return {
    url,
    query: async (text) => (await door.query<Row>(text)).rows,
    drop: async () => {
      await door.end()
      await database.drop()
    },
  }
}

export async function onSqlite(): Promise<ProcessingDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-processing-'))
  const file = join(folder, 'app.db')
  const url = `sqlite:${file}`
  await migrate(url)
  const door = new DatabaseSync(file, { timeout: 10_000 })
  door.exec(ordersText)
  return {
    url,
    query: async (text) => door.prepare(text).all(),
    drop: async () => {
      door.close()
      rmSync(folder, { recursive: true })
    },
  }
}
