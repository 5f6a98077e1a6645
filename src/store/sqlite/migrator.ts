/** Migrations on SQLite: DDL is transactional here, so all of them are applied, or none. */
import type { Migrator } from '../migrate.ts'
import { withMeaning } from '../sql/runtime/dialect.ts'
import { row, run, type Script } from '../sql/runtime/script.ts'
import { type MigrationEngine, recordApplied, runFile, SqlMigrator } from '../sql/runtime/sql-migrator.ts'
import { meaningOf } from './dialect.ts'
import type { SqlitePlace } from './place.ts'
import type { SqliteSession } from './session.ts'

const recordText = `
  CREATE TABLE IF NOT EXISTS @migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL)`

export function sqliteMigrator(session: SqliteSession, place: SqlitePlace): Migrator {
  return new SqlMigrator(migrationEngine(session, place))
}

function migrationEngine(session: SqliteSession, { path }: SqlitePlace): MigrationEngine {
  const classified = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw withMeaning(error, meaningOf(error), path)
    }
  }
  return {
    dialect: 'sqlite',
    read: async (script) => classified(() => session.run(script())),
    locked: async (script) => classified(() => inLock(session, script)),
    record: 'evertick_migrations',
    *exists(name) {
      return (yield* row('SELECT 1 AS one FROM sqlite_master WHERE name = ?', name)) !== null
    },
    *prepare() {
      yield* run(recordText)
    },
    spell: (file) => file,
    fullName: (name) => name,
    *apply(migration, _done, now) {
      // As a whole: SQLite keeps the text of each statement, with its comments.
      session.exec(migration.up)
      yield* recordApplied(migration, now)
    },
    undo: ({ down }) => runFile(down),
  }
}

/** Here the file's own lock makes others wait. */
function inLock<T>(session: SqliteSession, script: () => Script<T>): T {
  session.exec('PRAGMA busy_timeout = 10000')
  try {
    session.exec('BEGIN IMMEDIATE')
    const result = session.run(script())
    session.exec('COMMIT')
    return result
  } catch (error) {
    if (session.client.isTransaction) session.exec('ROLLBACK')
    throw error
  } finally {
    session.exec('PRAGMA busy_timeout = 5')
  }
}
