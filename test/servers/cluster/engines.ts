/** The servers that a cluster can run on, and a door into each: what a test reads behind Evertick's back. */
import { createPool, type RowDataPacket } from 'mysql2/promise'
import pg from 'pg'
import { mysqlDialect } from '../../../src/store/mysql/dialect.ts'
import { postgresDialect } from '../../../src/store/postgres/dialect.ts'
import type { Dialect } from '../../../src/store/sql/runtime/dialect.ts'
import { isInstalled } from '../../services/binaries.ts'
import { createMysql, createPostgres, type TestDatabase } from '../../services/databases.ts'
import { startMariadb } from '../../services/mariadb.ts'
import { startPostgres } from '../../services/postgres.ts'
import type { Server } from '../../services/server.ts'

export type Row = Record<string, number | string | null>

export interface Door {
  /** As the store writes it: `@jobs` is a table of Evertick, `?` a parameter. */
  rows(text: string, ...params: (number | string)[]): Promise<Row[]>
  close(): Promise<void>
}

export interface ClusterEngine {
  readonly label: string
  readonly isInstalled: boolean
  /** The server's time in milliseconds, by which every node goes. */
  readonly now: string
  startServer(): Promise<Server>
  createDatabase(adminUrl: string): Promise<TestDatabase>
  openDoor(url: string): Door
  /** Ends the connection that holds a lifeline, as an administrator would. */
  cutLifeline(door: Pick<Door, 'rows'>, name: string): Promise<void>
}

export const postgresCluster: ClusterEngine = {
  label: 'PostgreSQL',
  isInstalled: isInstalled('postgres'),
  now: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  startServer: () => startPostgres(),
  createDatabase: (adminUrl) => createPostgres(adminUrl),
  openDoor(url) {
    // Timestamps as they are written; the owner is named like Evertick's schema, which would come first.
    const types = { getTypeParser: (oid: number) => (oid === int8 ? Number : asText(oid)) }
    const pool = new pg.Pool({ connectionString: url, max: 2, types, options: '-c search_path=public' })
    // The test itself crashes the server; the next question opens another connection.
    pool.on('error', () => {})
    const ask = spelledBy(postgresDialect('evertick'))
    return {
      rows: async (text, ...params) => {
        const [spelled, values] = ask(text, params)
        return (await pool.query<Row>(spelled, values)).rows
      },
      close: () => pool.end(),
    }
  },
  async cutLifeline(door, name) {
    await door.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
       WHERE locktype = 'advisory' AND (classid::bigint << 32) | objid::bigint = ?::bigint`,
      name,
    )
  },
}

export const mysqlCluster: ClusterEngine = {
  label: 'MariaDB',
  isInstalled: isInstalled('mysql'),
  now: 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS UNSIGNED)',
  startServer: () => startMariadb(),
  createDatabase: createMysql,
  openDoor(url) {
    const pool = createPool({ uri: url, connectionLimit: 2, dateStrings: true, decimalNumbers: true })
    const ask = spelledBy(mysqlDialect('evertick_'))
    return {
      rows: async (text, ...params) => {
        const [spelled, values] = ask(text, params)
        const [rows] = await pool.query<(RowDataPacket & Row)[]>(spelled, values)
        return Array.isArray(rows) ? rows : []
      },
      close: () => pool.end(),
    }
  },
  async cutLifeline(door, name) {
    const [holder] = await door.rows('SELECT IS_USED_LOCK(?) AS id', name.split('@')[0] ?? '')
    await door.rows(`KILL ${holder?.id}`)
  },
}

const int8 = 20
const timestamp = 1114

function asText(oid: number): (text: string) => unknown {
  return oid === timestamp ? String : (pg.types.getTypeParser(oid) as (text: string) => unknown)
}

function spelledBy(dialect: Dialect) {
  return (text: string, params: readonly (number | string)[]): [string, (number | string)[]] => {
    const [spelled] = dialect.spell({ text, params, wants: 'rows' })
    return [spelled?.text ?? '', [...params]]
  }
}
