/** Migrations on SQLite: DDL is transactional here, so each one is applied whole or not at all. */
import {
  type AppliedMigration,
  loadMigrations,
  type Migration,
  type MigrationStatus,
  type Migrator,
  madeBy,
  pendingMigrations,
  refuseForeignTable,
  statusOf,
} from '../migrate.ts'
import type { Connection } from './connection.ts'
import { classify } from './dialect.ts'

export class SqliteMigrator implements Migrator {
  readonly #connection: Connection
  readonly #path: string
  readonly #known = loadMigrations('sqlite')

  constructor(connection: Connection, path: string) {
    this.#connection = connection
    this.#path = path
  }

  async status(): Promise<MigrationStatus[]> {
    return statusOf(this.#known, this.#applied())
  }

  async plan(): Promise<Migration[]> {
    return this.#pending()
  }

  async up(now: number): Promise<string[]> {
    if (this.#pending().length === 0) return []
    return this.#locked(() => {
      // Another process may have been first while this one waited for the lock.
      const pending = this.#pending()
      for (const migration of pending) this.#apply(migration, now)
      return pending.map((migration) => migration.name)
    })
  }

  async down(): Promise<string[]> {
    return this.#locked(() => {
      const applied = new Set(this.#applied().map((done) => done.version))
      const undone = this.#known.filter((migration) => applied.has(migration.version)).toReversed()
      for (const migration of undone) this.#connection.exec(migration.down)
      this.#connection.exec('DROP TABLE IF EXISTS evertick_migrations')
      return undone.map((migration) => migration.name)
    })
  }

  #pending(): Migration[] {
    return pendingMigrations(this.#known, this.#applied())
  }

  #apply(migration: Migration, now: number): void {
    const { client } = this.#connection
    for (const name of madeBy(migration)) {
      const exists = client.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name)
      if (exists !== undefined) throw refuseForeignTable(name)
    }
    this.#connection.exec(`
      CREATE TABLE IF NOT EXISTS evertick_migrations (
        version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL)`)
    this.#connection.exec(migration.up)
    client
      .prepare('INSERT INTO evertick_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)')
      .run(migration.version, migration.name, migration.checksum, now)
  }

  #applied(): AppliedMigration[] {
    const { client } = this.#connection
    try {
      const table = client.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'evertick_migrations'`).get()
      if (table === undefined) return []
      return client
        .prepare(
          'SELECT version, name, checksum, applied_at AS appliedAt FROM evertick_migrations ORDER BY version',
        )
        .all() as unknown as AppliedMigration[]
    } catch (error) {
      throw classify(error, this.#path)
    }
  }

  #locked<T>(work: () => T): T {
    // Five migrators may start at once: here the file's own lock makes them wait their turn.
    this.#connection.exec('PRAGMA busy_timeout = 10000')
    try {
      this.#connection.exec('BEGIN IMMEDIATE')
      const result = work()
      this.#connection.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#connection.client.isTransaction) this.#connection.exec('ROLLBACK')
      throw classify(error, this.#path)
    } finally {
      this.#connection.exec('PRAGMA busy_timeout = 5')
    }
  }
}
