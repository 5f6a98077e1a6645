/** PostgreSQL: a private server with its default durability, and a database in it for each round. */
import { Client, types } from 'pg'
import { finishedColumns } from '../../src/store/sql/work/make-final.ts'
import { createPostgres } from '../../test/services/databases.ts'
import { startPostgres } from '../../test/services/postgres.ts'
import type { Connection, Counters, Engine, Row, Value } from './engine.ts'
import { PostgresRaw } from './postgres-raw.ts'

export async function openPostgres(): Promise<Engine> {
  const server = await startPostgres({ durable: true })
  return {
    name: 'postgres',
    settingsText: `
      SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
        current_setting('synchronous_commit') AS synchronous_commit,
        current_setting('shared_buffers') AS shared_buffers`,
    async createDatabase() {
      const database = await createPostgres(server.url)
      return { ...database, connect: () => connect(database.url) }
    },
    close: () => server.remove(),
  }
}

const int8 = 20

async function connect(url: string): Promise<Connection> {
  const getTypeParser: typeof types.getTypeParser = (oid, format) =>
    (oid as number) === int8 ? Number : (types.getTypeParser(oid, format) as unknown)
  const client = new Client({ connectionString: url, types: { getTypeParser } })
  await client.connect()
  return new PostgresConnection(client)
}

const finished = finishedColumns.join(', ')

class PostgresConnection implements Connection {
  readonly executions = 'live_executions'
  readonly raw: PostgresRaw
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
    this.raw = new PostgresRaw(client)
  }

  async rows(text: string, ...params: Value[]): Promise<Row[]> {
    let count = 0
    const spelled = text.replaceAll('@', 'evertick.').replaceAll('?', () => `$${(count += 1)}`)
    return (await this.#client.query<Row>(spelled, params)).rows
  }

  asId(text: string): string {
    return `CAST(${text} AS uuid)`
  }

  async columnsOf(table: string): Promise<string[]> {
    const found = await this.rows(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = 'evertick' AND table_name = ? AND is_generated = 'NEVER' AND is_identity = 'NO'`,
      table,
    )
    return found.map(({ name }) => String(name))
  }

  async insert(into: string, columns: readonly string[], rows: readonly (readonly Value[])[]): Promise<void> {
    const names = columns.join(', ')
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])),
    )
    await this.#client.query(
      `INSERT INTO evertick.${into} (${names})
       SELECT ${names} FROM json_populate_recordset(NULL::evertick.${into}, $1)`,
      [JSON.stringify(objects)],
    )
  }

  async keepFinished(): Promise<void> {
    await this.#client.query(
      `WITH gone AS (DELETE FROM evertick.live_executions WHERE state = 'completed' RETURNING *)
       INSERT INTO evertick.finished_executions (${finished}) SELECT ${finished} FROM gone`,
    )
  }

  async settle(): Promise<void> {
    await this.#client.query('VACUUM (ANALYZE)')
    await this.#client.query('CHECKPOINT')
  }

  /** Of this database alone, so that no other connection to the server counts. */
  async counters(): Promise<Counters> {
    const [found] = await this.rows(
      `SELECT xact_commit + xact_rollback AS asked, deadlocks FROM pg_stat_database
       WHERE datname = current_database()`,
    )
    return { asked: Number(found?.asked), deadlocks: Number(found?.deadlocks) }
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}
