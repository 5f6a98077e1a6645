/** Migrations on PostgreSQL: DDL is transactional, so all of them are applied in one transaction, under one lock. */
import {
  type AppliedMigration,
  loadMigrations,
  type Migration,
  type MigrationStatus,
  type Migrator,
  madeBy,
  pendingMigrations,
  refuseForeignTable,
  statementsOf,
  statusOf,
} from '../migrate.ts'
import { number, text } from '../sql/runtime/rows.ts'
import { row, rows, run, type Script } from '../sql/runtime/script.ts'
import type { ServerDriver } from '../sql/runtime/server-driver.ts'

/** Five migrators may start at once: they wait for their turn here. The number is ours alone. */
const lockText = 'SELECT pg_advisory_xact_lock(8060, 1)'

export class PostgresMigrator implements Migrator {
  readonly #driver: ServerDriver
  readonly #schema: string
  readonly #known = loadMigrations('postgres')

  constructor(driver: ServerDriver, schema: string) {
    this.#driver = driver
    this.#schema = schema
  }

  async status(): Promise<MigrationStatus[]> {
    return statusOf(this.#known, await this.#driver.read(() => this.#applied()))
  }

  async plan(): Promise<Migration[]> {
    return pendingMigrations(this.#known, await this.#driver.read(() => this.#applied()))
  }

  async up(now: number): Promise<string[]> {
    if ((await this.plan()).length === 0) return []
    return await this.#driver.write(() => this.#apply(now), { slow: true })
  }

  async down(): Promise<string[]> {
    return await this.#driver.write(() => this.#undo(), { slow: true })
  }

  *#apply(now: number): Script<string[]> {
    yield* rows(lockText)
    // Another process may have been first while this one waited.
    const pending = pendingMigrations(this.#known, yield* this.#applied())
    if (pending.length === 0) return []
    // A role that may not create schemas works in one that was made for it.
    const schema = yield* row('SELECT 1 AS found FROM pg_namespace WHERE nspname = ?', this.#schema)
    if (schema === null) yield* run(`CREATE SCHEMA "${this.#schema}"`)
    yield* run(`CREATE TABLE IF NOT EXISTS @migrations (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)`)
    for (const migration of pending) {
      for (const name of madeBy(migration)) {
        if (yield* this.#exists(name)) throw refuseForeignTable(`${this.#schema}.${name}`)
      }
      for (const statement of this.#statements(migration.up)) yield* run(statement)
      yield* run(
        'INSERT INTO @migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)',
        migration.version,
        migration.name,
        migration.checksum,
        now,
      )
    }
    return pending.map(({ name }) => name)
  }

  *#undo(): Script<string[]> {
    yield* rows(lockText)
    const applied = new Set((yield* this.#applied()).map((done) => done.version))
    const undone = this.#known.filter(({ version }) => applied.has(version)).toReversed()
    for (const { down } of undone) for (const statement of this.#statements(down)) yield* run(statement)
    yield* run('DROP TABLE IF EXISTS @migrations')
    return undone.map(({ name }) => name)
  }

  *#applied(): Script<AppliedMigration[]> {
    if (!(yield* this.#exists('migrations'))) return []
    const found = yield* rows('SELECT version, name, checksum, applied_at FROM @migrations ORDER BY version')
    return found.map((done) => ({
      version: number(done.version),
      name: text(done.name),
      checksum: text(done.checksum),
      appliedAt: number(done.applied_at),
    }))
  }

  *#exists(name: string): Script<boolean> {
    const found = yield* row(
      `SELECT 1 AS found FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = ? AND c.relname = ?`,
      this.#schema,
      name,
    )
    return found !== null
  }

  /** The files say `evertick.`; another schema may be meant. */
  #statements(file: string): string[] {
    return statementsOf(file).map((statement) => statement.replaceAll(/\bevertick\.(?=\w)/g, '@'))
  }
}
