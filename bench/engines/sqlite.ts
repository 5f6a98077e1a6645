/** SQLite: a file beside the system's other temporary files. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Connection, Engine, Row, ScratchDatabase, Value } from './engine.ts'
import { inTransaction, SqliteRaw } from './sqlite-raw.ts'

export function openSqlite(): Engine {
  return {
    name: 'sqlite',
    settingsText: `
      SELECT sqlite_version() AS version, (SELECT journal_mode FROM pragma_journal_mode) AS journal_mode,
        CASE (SELECT synchronous FROM pragma_synchronous)
          WHEN 0 THEN 'OFF' WHEN 1 THEN 'NORMAL' WHEN 2 THEN 'FULL' ELSE 'EXTRA' END AS synchronous`,
    createDatabase: async () => createFile(),
    close: async () => {},
  }
}

export function createFile(): ScratchDatabase & { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-bench-'))
  const path = join(folder, 'bench.db')
  return {
    path,
    url: `sqlite:${path}`,
    connect: async () => new SqliteConnection(openFile(path)),
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** With the settings that Evertick's own connection has. */
export function openFile(path: string): DatabaseSync {
  const client = new DatabaseSync(path)
  client.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
     PRAGMA wal_autocheckpoint = 4000; PRAGMA busy_timeout = 5000`,
  )
  return client
}

class SqliteConnection implements Connection {
  readonly executions = 'job_executions'
  readonly raw: SqliteRaw
  readonly #client: DatabaseSync

  constructor(client: DatabaseSync) {
    this.#client = client
    this.raw = new SqliteRaw(client)
  }

  async rows(text: string, ...params: Value[]): Promise<Row[]> {
    return this.#client.prepare(text.replaceAll('@', 'evertick_')).all(...params) as Row[]
  }

  asId(text: string): string {
    return text
  }

  async columnsOf(table: string): Promise<string[]> {
    const found = await this.rows('SELECT name FROM pragma_table_info(?)', `evertick_${table}`)
    return found.map(({ name }) => String(name))
  }

  async insert(into: string, columns: readonly string[], rows: readonly (readonly Value[])[]): Promise<void> {
    const insert = this.#client.prepare(
      `INSERT INTO evertick_${into} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    inTransaction(this.#client, () => {
      for (const row of rows) insert.run(...row)
    })
  }

  /** One table has them all. */
  async keepFinished(): Promise<void> {}

  async settle(): Promise<void> {
    this.#client.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  async counters(): Promise<null> {
    return null
  }

  async close(): Promise<void> {
    this.#client.close()
  }
}
