/** MySQL stores for tests: one database for a test file, emptied for each test, with a door behind the port's back. */
import { randomUUID } from 'node:crypto'
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { mysqlDialect } from '../../src/store/mysql/dialect.ts'
import { openStore } from '../../src/store/open-store.ts'
import { createMysql, type TestDatabase } from '../services/databases.ts'
import { scriptContext, t0 } from './builders.ts'
import type { WrittenRow } from './conformance/store-under-test.ts'
import { mysqlParts } from './mysql-parts.ts'
import type { ServerUnderTest } from './races/race.ts'

const dialect = mysqlDialect('evertick_')

export interface MysqlFile extends ServerUnderTest {
  /** The owner's. */
  readonly url: string
  /** A node's: without any right that it does not need. */
  readonly nodeUrl: string
  close(): Promise<void>
}

export async function mysqlFile(adminUrl: string): Promise<MysqlFile> {
  const database = await createMysql(adminUrl)
  const door = await createConnection({ uri: database.url, dateStrings: true, decimalNumbers: true })
  const owner = await openStore(database.url, scriptContext())
  await owner.migrator.up(t0)
  const worker = await createWorker(door, database)
  return {
    url: database.url,
    nodeUrl: worker.url,
    async open() {
      await empty(door)
      const { store } = await openStore(worker.url, scriptContext())
      const own = await createConnection(worker.url)
      return {
        store,
        migrator: owner.migrator,
        mark: () => '?',
        sql: async (text, ...params) => {
          const [spelled] = dialect.spell({ text, params, wants: 'rows' })
          const [rows] = await door.query({ sql: spelled?.text ?? '', values: [...(spelled?.params ?? [])] })
          return Array.isArray(rows) ? (rows as WrittenRow[]) : []
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
    parts: async () => await mysqlParts(worker.url),
    async waiting() {
      // The server shows what it has shown before to whoever asks again within 100 ms.
      await new Promise((resolve) => setTimeout(resolve, 110))
      const [rows] = await door.query<(RowDataPacket & { waiting: number })[]>(
        `SELECT count(*) AS waiting FROM information_schema.innodb_trx t
         JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
         WHERE t.trx_state = 'LOCK WAIT' AND p.db = DATABASE()`,
      )
      return rows[0]?.waiting ?? 0
    },
    async close() {
      await worker.drop()
      await door.end()
      await owner.store.close()
      await database.drop()
    },
  }
}

function callersOwn(connection: Connection, tx: object) {
  return {
    tx,
    begin: async () => await connection.beginTransaction(),
    commit: async () => await connection.commit(),
    rollback: async () => await connection.rollback(),
  }
}

/** The least that a node needs: see docs/operations/roles.md. */
async function createWorker(
  door: Connection,
  { name, url }: TestDatabase,
): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const user = `worker_${randomUUID().slice(0, 8)}`
  await door.query('CREATE USER ?@? IDENTIFIED BY ?', [user, '%', user])
  await door.query('GRANT SELECT, INSERT, UPDATE, DELETE ON ??.* TO ?@?', [name, user, '%'])
  const own = new URL(url)
  own.username = user
  own.password = user
  return { url: own.href, drop: async () => void (await door.query('DROP USER ?@?', [user, '%'])) }
}

/** Faster than a database for each test, and DELETE than TRUNCATE. What a test has made beside Evertick's own goes, too. */
async function empty(door: Connection): Promise<void> {
  const [tables] = await door.query<(RowDataPacket & { name: string })[]>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' AND table_name <> 'evertick_migrations'`,
  )
  for (const { name } of tables) {
    const isOwn = name.startsWith('evertick_') || name === 'scheduler_leader_log'
    await door.query(isOwn ? 'DELETE FROM ??' : 'DROP TABLE ??', [name])
  }
}
