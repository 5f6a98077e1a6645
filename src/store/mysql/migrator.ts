/**
 * Migrations on MySQL and MariaDB: DDL commits by itself, so each statement is a step that can be run again, and every
 * step is recorded once it is done. A run that was killed anywhere is simply run again.
 */
import { EvertickError } from '../../core/error.ts'
import { type Migration, type Migrator, statementsOf } from '../migrate.ts'
import { number } from '../sql/runtime/rows.ts'
import { insertRow, row, run, type Script } from '../sql/runtime/script.ts'
import { runSteps } from '../sql/runtime/script-run.ts'
import type { ServerDriver } from '../sql/runtime/server-driver.ts'
import { classified, type Session, type SessionPool } from '../sql/runtime/server-session.ts'
import { type MigrationEngine, runFile, SqlMigrator } from '../sql/runtime/sql-migrator.ts'
import { meaningOf } from './dialect.ts'
import type { MysqlPlace } from './place.ts'

interface MigrationPlace extends Pick<MysqlPlace, 'prefix' | 'where'> {
  /** The collation that the files call `@nopad_bin`. */
  readonly collation: string
  /** For one connection, which holds the lock as long as it lives. */
  readonly openPool: () => SessionPool
}

/** Of the whole server, hence named after the database. */
const lockName = `CONCAT('evertick_', LEFT(SHA2(DATABASE(), 256), 40))`
const lockSeconds = 60

const existsText = `
  SELECT 1 AS one FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?`

const recordText = `
  CREATE TABLE IF NOT EXISTS @migrations (
    version INT NOT NULL,
    name VARCHAR(200) NOT NULL,
    checksum VARCHAR(64) NOT NULL,
    -- Of its statements, how many are done; all are once applied_at is there.
    steps INT NOT NULL,
    applied_at BIGINT,
    PRIMARY KEY (version)
  ) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin`

export function mysqlMigrator(driver: Pick<ServerDriver, 'read'>, place: MigrationPlace): Migrator {
  return new SqlMigrator(migrationEngine(driver, place))
}

function migrationEngine(driver: Pick<ServerDriver, 'read'>, place: MigrationPlace): MigrationEngine {
  const { prefix, collation, where } = place
  /** The files say `evertick_`; another prefix may be meant. And the two servers name their collations differently. */
  const spell = (file: string): string =>
    file.replaceAll('@nopad_bin', collation).replaceAll(/\bevertick_(?=\w)/g, prefix)
  return {
    dialect: 'mysql',
    read: async (script) => await driver.read(script),
    async locked(script) {
      const pool = place.openPool()
      try {
        return await inLock(await pool.acquire(), script)
      } catch (error) {
        throw classified(error, { where, meaningOf })
      } finally {
        await pool.close()
      }
    },
    record: `${prefix}migrations`,
    *exists(name) {
      return (yield* row(existsText, name)) !== null
    },
    *prepare() {
      yield* run(spell(recordText))
    },
    spell,
    fullName: (name) => name,
    apply: (migration, done, now) => applySteps({ ...migration, up: spell(migration.up) }, done, now),
    *undo({ version, down }) {
      // From here on it is only begun: `up` makes again what is gone by then.
      yield* run('UPDATE @migrations SET applied_at = NULL, steps = 0 WHERE version = ?', version)
      yield* runFile(spell(down))
    },
  }
}

function* applySteps(migration: Migration, done: number | null, now: number): Script<void> {
  const { version, name, checksum, up } = migration
  if (done === null) yield* insertRow('migrations', { version, name, checksum, steps: 0 })
  for (const [step, statement] of statementsOf(up).entries()) {
    if (step < (done ?? 0)) continue
    yield* run(statement)
    yield* run('UPDATE @migrations SET steps = ? WHERE version = ?', step + 1, version)
  }
  yield* run('UPDATE @migrations SET applied_at = ? WHERE version = ?', now, version)
}

async function inLock<T>(session: Session, script: () => Script<T>): Promise<T> {
  let broken = true
  try {
    const lock = await runSteps(session, row(`SELECT GET_LOCK(${lockName}, ${lockSeconds}) AS got`))
    if (number(lock?.got) !== 1) throw stillMigrating()
    // A table that somebody's transaction is reading would be waited for a whole day.
    await runSteps(session, run(`SET SESSION lock_wait_timeout = ${lockSeconds}`))
    const result = await runSteps(session, script())
    await runSteps(session, row(`SELECT RELEASE_LOCK(${lockName}) AS freed`))
    broken = false
    return result
  } finally {
    // A lock that was not released goes with its connection.
    session.release(broken)
  }
}

function stillMigrating(): EvertickError {
  return new EvertickError(
    'database_busy',
    `Another migration of this database has been under way for ${lockSeconds} s.`,
    { next: 'Wait until it has ended, then try again.' },
  )
}
