/** PostgreSQL stores for tests: one database for a test file, emptied for each test, with a door behind the port's back. */
import { randomUUID } from 'node:crypto'
import pg, { type CustomTypesConfig } from 'pg'
import { openStore } from '../../src/store/open-store.ts'
import { postgresDialect } from '../../src/store/postgres/dialect.ts'
import { createPostgres, type TestDatabase } from '../services/databases.ts'
import { scriptContext, t0 } from './builders.ts'
import type { WrittenRow } from './conformance/store-under-test.ts'
import { byHandOnPostgres, writesExecutions } from './executions-by-hand.ts'
import { postgresParts } from './postgres-parts.ts'
import type { ServerUnderTest } from './races/race.ts'

const dialect = postgresDialect('evertick')

export interface PostgresFile extends ServerUnderTest {
  /** The owner's. */
  readonly url: string
  /** A node's: without any right that it does not need. */
  readonly nodeUrl: string
  close(): Promise<void>
}

/** `through` names the host and port by which the store reaches the database: a pooler's, perhaps. */
export async function postgresFile(adminUrl: string, through: string = adminUrl): Promise<PostgresFile> {
  const database = await createPostgres(adminUrl)
  const door = new pg.Client({
    connectionString: database.url,
    types: plainTypes,
    // The owner is named like the schema, which would come first.
    options: '-c search_path=public',
  })
  await door.connect()
  const owner = await openStore(database.url, scriptContext())
  await owner.migrator.up(t0)
  const role = await createWorkerRole(door)
  const url = storeUrl(database, through, role)
  return {
    url: database.url,
    nodeUrl: url,
    async open() {
      await empty(door)
      const { store } = await openStore(url, scriptContext())
      const own = new pg.Client({ connectionString: url })
      await own.connect()
      return {
        store,
        migrator: owner.migrator,
        mark: (number) => `$${number}`,
        sql: async (text, ...params) => {
          const byHand = writesExecutions(text)
          const [spelled] = dialect.spell({ text: byHand ?? text, params, wants: 'rows' })
          await grantNew(door, text, role)
          const query = async (spelledText: string, values: readonly unknown[] = []) =>
            await door.query(spelledText, [...values])
          if (byHand !== null) {
            await byHandOnPostgres(query, spelled?.text ?? '', params)
            return []
          }
          return (await query(spelled?.text ?? '', params)).rows as WrittenRow[]
        },
        callerTransactions: {
          'a driver connection': callersOwn(own, own),
          'an object with query': callersOwn(own, {
            query: async (text: string, params: readonly unknown[]) => await own.query(text, [...params]),
          }),
        },
        async close() {
          await own.end()
          await store.close()
        },
      }
    },
    parts: async () => postgresParts(url, url !== database.url),
    async waiting() {
      const { rows } = await door.query<{ waiting: number }>(
        `SELECT count(*) AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return rows[0]?.waiting ?? 0
    },
    async close() {
      await door.end()
      await owner.store.close()
      await database.drop()
    },
  }
}

function callersOwn(client: pg.Client, tx: object) {
  return {
    tx,
    begin: async () => void (await client.query('BEGIN')),
    commit: async () => void (await client.query('COMMIT')),
    rollback: async () => void (await client.query('ROLLBACK')),
  }
}

function storeUrl(database: TestDatabase, through: string, role: string): string {
  const url = new URL(through)
  url.pathname = `/${database.name}`
  url.username = role
  return url.href
}

/** The least that a node needs: see docs/operations/roles.md. */
async function createWorkerRole(door: pg.Client): Promise<string> {
  const role = `worker_${randomUUID().slice(0, 8)}`
  await door.query(`CREATE ROLE ${role} LOGIN`)
  await door.query(`GRANT USAGE ON SCHEMA evertick TO ${role}`)
  await door.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA evertick TO ${role}`)
  return role
}

/** A test's own tables are made by the owner, and written by the store's role. */
async function grantNew(door: pg.Client, text: string, role: string): Promise<void> {
  if (text.startsWith('CREATE TABLE')) {
    await door.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO ${role}`)
  }
}

/** Faster than a database for each test, or than all of its tables. What a test has made beside Evertick's own goes, too. */
async function empty(door: pg.Client): Promise<void> {
  const { rows } = await door.query<{ schema: string; name: string }>(
    `SELECT schemaname AS schema, tablename AS name FROM pg_tables
     WHERE schemaname IN ('evertick', 'public') AND tablename <> 'migrations'`,
  )
  const own = rows.filter(({ schema }) => schema === 'evertick').map(({ name }) => `evertick."${name}"`)
  const looks = own.map((table) => `SELECT '${table}' AS table WHERE EXISTS (SELECT FROM ${table})`)
  const used = await door.query<{ table: string }>(looks.join(' UNION ALL '))
  if (used.rows.length > 0) {
    await door.query(`TRUNCATE ${used.rows.map(({ table }) => table).join(', ')} RESTART IDENTITY`)
  }
  for (const { name } of rows.filter(({ schema }) => schema === 'public')) {
    await door.query(`DROP TABLE public."${name}"`)
  }
}

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  20: Number,
  1700: Number,
  1114: String,
}
const others = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown

/** Numbers as numbers and timestamps as text, as on SQLite. */
export const plainTypes: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => parsers[oid] ?? others(oid, format),
}
