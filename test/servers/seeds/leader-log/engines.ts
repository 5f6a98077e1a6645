/** The databases on which the document is walked: a SQLite file, a PostgreSQL and a MariaDB, each fresh for a test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { openStore } from '../../../../src/store/open-store.ts'
import { createMysql, createPostgres } from '../../../services/databases.ts'
import { scriptContext } from '../../../store/builders.ts'

export interface Engine {
  readonly name: string
  /** As its own tools name it. */
  readonly table: string
  /** A database with Evertick's schema. */
  create(): Promise<string>
  /** By the engine's own driver, as a user at a prompt would. */
  sql(url: string, text: string): Promise<Record<string, unknown>[]>
  indexes(url: string): Promise<string[]>
}

export const engines: readonly Engine[] = [
  {
    name: 'SQLite',
    table: 'scheduler_leader_log',
    async create() {
      const folder = mkdtempSync(join(tmpdir(), 'evertick-000-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      return await migrated(`sqlite:${join(folder, 'evertick.db')}`)
    },
    async sql(url, text) {
      const client = new DatabaseSync(url.replace('sqlite:', ''))
      try {
        return await Promise.resolve(client.prepare(text).all())
      } finally {
        client.close()
      }
    },
    async indexes(url) {
      const found = await this.sql(url, `PRAGMA index_list('scheduler_leader_log')`)
      return found.map(({ name }) => String(name))
    },
  },
  {
    name: 'PostgreSQL',
    table: 'evertick.scheduler_leader_log',
    async create() {
      const database = await createPostgres(inject('postgresUrl') ?? '')
      onTestFinished(() => database.drop())
      return await migrated(database.url)
    },
    async sql(url, text) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(text)).rows
      } finally {
        await client.end()
      }
    },
    async indexes(url) {
      const found = await this.sql(
        url,
        `SELECT indexname AS name FROM pg_indexes WHERE tablename = 'scheduler_leader_log'`,
      )
      return found.map(({ name }) => String(name))
    },
  },
  {
    name: 'MariaDB',
    table: 'scheduler_leader_log',
    async create() {
      const database = await createMysql(inject('mysqlUrl') ?? '')
      onTestFinished(() => database.drop())
      return await migrated(database.url)
    },
    async sql(url, text) {
      const client = await createConnection(url)
      try {
        const [rows] = await client.query<RowDataPacket[]>(text)
        return Array.isArray(rows) ? rows : []
      } finally {
        await client.end()
      }
    },
    async indexes(url) {
      const found = await this.sql(url, 'SHOW INDEX FROM scheduler_leader_log')
      return found.map(({ Key_name }) => String(Key_name))
    },
  },
]

async function migrated(url: string): Promise<string> {
  const { store, migrator } = await openStore(url, scriptContext())
  await migrator.up(0)
  await store.close()
  return url
}
