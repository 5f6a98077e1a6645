/** MariaDB: a private server with its default durability, and a database in it for each round. */
import { type Connection as Client, createConnection, type RowDataPacket } from 'mysql2/promise'
import { createMysql } from '../../test/services/databases.ts'
import { startMariadb } from '../../test/services/mariadb.ts'
import type { Connection, Counters, Engine, Row, Value } from './engine.ts'
import { MysqlRaw } from './mysql-raw.ts'

export async function openMysql(): Promise<Engine> {
  const server = await startMariadb({ durable: true })
  return {
    name: 'mysql',
    settingsText: `
      SELECT version() AS version, @@innodb_flush_log_at_trx_commit AS innodb_flush_log_at_trx_commit,
        @@innodb_flush_method AS innodb_flush_method, @@log_bin AS log_bin,
        @@innodb_buffer_pool_size DIV 1048576 AS innodb_buffer_pool_mb`,
    async createDatabase() {
      const database = await createMysql(server.url)
      return { ...database, connect: () => connect(database.url) }
    },
    close: () => server.remove(),
  }
}

async function connect(url: string): Promise<Connection> {
  const client = await createConnection({ uri: url, supportBigNumbers: true })
  await client.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
  return new MysqlConnection(client)
}

/** Well below the longest statement that a server takes. */
const rowsAtOnce = 1_000

class MysqlConnection implements Connection {
  readonly executions = 'job_executions'
  readonly raw: MysqlRaw
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
    this.raw = new MysqlRaw(client)
  }

  async rows(text: string, ...params: Value[]): Promise<Row[]> {
    const [rows] = await this.#client.query<(RowDataPacket & Row)[]>(
      text.replaceAll('@', 'evertick_'),
      params,
    )
    return rows
  }

  asId(text: string): string {
    return text
  }

  async columnsOf(table: string): Promise<string[]> {
    const found = await this.rows(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = DATABASE() AND table_name = ? AND is_generated = 'NEVER' AND extra <> 'auto_increment'`,
      `evertick_${table}`,
    )
    return found.map(({ name }) => String(name))
  }

  async insert(into: string, columns: readonly string[], rows: readonly (readonly Value[])[]): Promise<void> {
    await this.#client.beginTransaction()
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      await this.#client.query(`INSERT INTO evertick_${into} (${columns.join(', ')}) VALUES ?`, [
        rows.slice(from, from + rowsAtOnce),
      ])
    }
    await this.#client.commit()
  }

  /** One table has them all. */
  async keepFinished(): Promise<void> {}

  async settle(): Promise<void> {
    await this.#client.query('ANALYZE TABLE evertick_jobs, evertick_job_executions')
  }

  async counters(): Promise<Counters> {
    const found = await this.rows(
      `SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Innodb_deadlocks')`,
    )
    const values = new Map(found.map((row) => [row['Variable_name'], Number(row['Value'])]))
    return { asked: values.get('Questions') ?? 0, deadlocks: values.get('Innodb_deadlocks') ?? 0 }
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}
