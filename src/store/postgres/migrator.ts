/** Migrations on PostgreSQL: DDL is transactional, so all of them are applied in one transaction, under one lock. */
import type { Migrator } from '../migrate.ts'
import { row, rows, run, type Script } from '../sql/runtime/script.ts'
import type { ServerDriver } from '../sql/runtime/server-driver.ts'
import { type MigrationEngine, recordApplied, runFile, SqlMigrator } from '../sql/runtime/sql-migrator.ts'
import type { PostgresPlace } from './place.ts'

/** The number is ours alone. */
const lockText = 'SELECT pg_advisory_xact_lock(8060, 1)'

const schemaText = 'SELECT 1 AS one FROM pg_namespace WHERE nspname = ?'

const existsText = `
  SELECT 1 AS one FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ? AND c.relname = ?`

const recordText = `
  CREATE TABLE IF NOT EXISTS @migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)`

export function postgresMigrator(driver: ServerDriver, place: PostgresPlace): Migrator {
  return new SqlMigrator(migrationEngine(driver, place))
}

function migrationEngine(driver: ServerDriver, { schema }: PostgresPlace): MigrationEngine {
  return {
    dialect: 'postgres',
    read: async (script) => await driver.read(script),
    locked: async (script) => await driver.write(() => inLock(script), { slow: true }),
    record: 'migrations',
    *exists(name) {
      return (yield* row(existsText, schema, name)) !== null
    },
    *prepare() {
      // A role that may not create schemas works in one that was made for it.
      if ((yield* row(schemaText, schema)) === null) yield* run(`CREATE SCHEMA "${schema}"`)
      yield* run(recordText)
    },
    spell,
    fullName: (name) => `${schema}.${name}`,
    *apply(migration, _done, now) {
      yield* runFile(spell(migration.up))
      yield* recordApplied(migration, now)
    },
    undo: ({ down }) => runFile(spell(down)),
  }
}

function* inLock<T>(script: () => Script<T>): Script<T> {
  yield* rows(lockText)
  return yield* script()
}

/** The files say `evertick.`; another schema may be meant. */
function spell(file: string): string {
  return file.replaceAll(/\bevertick\.(?=\w)/g, '@')
}
