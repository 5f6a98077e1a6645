/**
 * Migrations on MySQL and MariaDB: DDL commits by itself, so each statement is a step that can be run again, and every
 * step is recorded once it is done. A run that was killed anywhere is simply run again.
 */
import { EvertickError } from '../../core/error.ts'
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
import { number, optionalNumber, text } from '../sql/runtime/rows.ts'
import { row, rows, run, type Script } from '../sql/runtime/script.ts'
import { runSteps } from '../sql/runtime/script-run.ts'
import type { ServerDriver } from '../sql/runtime/server-driver.ts'
import { classified, type Session, type SessionPool } from '../sql/runtime/server-session.ts'
import { meaningOf } from './dialect.ts'

export interface MigrationPlace {
  readonly prefix: string
  /** The collation that the files call `@nopad_bin`. */
  readonly collation: string
  readonly where: string
  /** For one connection, which holds the lock as long as it lives. */
  readonly openPool: () => SessionPool
}

/** Recorded when it begins; `appliedAt` is null until its last step is done. */
interface Recorded extends Omit<AppliedMigration, 'appliedAt'> {
  readonly appliedAt: number | null
  readonly steps: number
}

/** Of the whole server, hence named after the database. Five migrators may start at once: they wait for their turn. */
const lockName = `CONCAT('evertick_', LEFT(SHA2(DATABASE(), 256), 40))`
const lockSeconds = 60

export class MysqlMigrator implements Migrator {
  readonly #driver: Pick<ServerDriver, 'read'>
  readonly #place: MigrationPlace
  readonly #known = loadMigrations('mysql')

  constructor(driver: Pick<ServerDriver, 'read'>, place: MigrationPlace) {
    this.#driver = driver
    this.#place = place
  }

  async status(): Promise<MigrationStatus[]> {
    return statusOf(this.#known, (await this.#driver.read(() => this.#recorded())).filter(isApplied))
  }

  async plan(): Promise<Migration[]> {
    return this.#pending(await this.#driver.read(() => this.#recorded()))
  }

  async up(now: number): Promise<string[]> {
    if ((await this.plan()).length === 0) return []
    return await this.#locked(() => this.#apply(now))
  }

  async down(): Promise<string[]> {
    return await this.#locked(() => this.#undo())
  }

  #pending(recorded: readonly Recorded[]): Migration[] {
    // Of all of them, since one that was only begun may be unknown here, or changed, as well.
    pendingMigrations(this.#known, recorded)
    return pendingMigrations(this.#known, recorded.filter(isApplied))
  }

  *#apply(now: number): Script<string[]> {
    // Another process may have been first while this one waited.
    const recorded = yield* this.#recorded()
    const pending = this.#pending(recorded)
    const begun = new Map(recorded.map((migration) => [migration.version, migration.steps]))
    for (const migration of pending) if (!begun.has(migration.version)) yield* this.#refuseForeign(migration)
    if (pending.length > 0) yield* run(this.#spelled(recordText))
    for (const migration of pending) {
      if (!begun.has(migration.version)) yield* begin(migration)
      yield* this.#step(migration, begun.get(migration.version) ?? 0)
      yield* run('UPDATE @migrations SET applied_at = ? WHERE version = ?', now, migration.version)
    }
    return pending.map(({ name }) => name)
  }

  *#step({ version, up }: Migration, done: number): Script<void> {
    const statements = this.#statements(up)
    for (let step = done; step < statements.length; step += 1) {
      yield* run(statements[step] ?? '')
      yield* run('UPDATE @migrations SET steps = ? WHERE version = ?', step + 1, version)
    }
  }

  *#undo(): Script<string[]> {
    const recorded = new Set((yield* this.#recorded()).map(({ version }) => version))
    const undone = this.#known.filter(({ version }) => recorded.has(version)).toReversed()
    for (const { version, down } of undone) {
      // From here on it is only begun: `up` makes again what is gone by then.
      yield* run('UPDATE @migrations SET applied_at = NULL, steps = 0 WHERE version = ?', version)
      for (const statement of this.#statements(down)) yield* run(statement)
    }
    yield* run('DROP TABLE IF EXISTS @migrations')
    return undone.map(({ name }) => name)
  }

  *#refuseForeign(migration: Migration): Script<void> {
    for (const name of madeBy({ ...migration, up: this.#spelled(migration.up) })) {
      if (yield* this.#exists(name)) throw refuseForeignTable(name)
    }
  }

  *#recorded(): Script<Recorded[]> {
    if (!(yield* this.#exists(`${this.#place.prefix}migrations`))) return []
    const found = yield* rows('SELECT * FROM @migrations ORDER BY version')
    return found.map((migration) => ({
      version: number(migration.version),
      name: text(migration.name),
      checksum: text(migration.checksum),
      appliedAt: optionalNumber(migration.applied_at),
      steps: number(migration.steps),
    }))
  }

  *#exists(name: string): Script<boolean> {
    const found = yield* row(
      'SELECT 1 AS found FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?',
      name,
    )
    return found !== null
  }

  #statements(file: string): string[] {
    return statementsOf(this.#spelled(file))
  }

  /** The files say `evertick_`; another prefix may be meant. And the two kinds of server name their collations differently. */
  #spelled(file: string): string {
    const { prefix, collation } = this.#place
    return file.replaceAll('@nopad_bin', collation).replaceAll(/\bevertick_(?=\w)/g, prefix)
  }

  async #locked<T>(script: () => Script<T>): Promise<T> {
    const pool = this.#place.openPool()
    try {
      return await inLock(await pool.acquire(), script)
    } catch (error) {
      throw classified(error, { where: this.#place.where, meaningOf })
    } finally {
      await pool.close()
    }
  }
}

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

function* begin({ version, name, checksum }: Migration): Script<void> {
  yield* run(
    'INSERT INTO @migrations (version, name, checksum, steps) VALUES (?, ?, ?, 0)',
    version,
    name,
    checksum,
  )
}

function isApplied(recorded: Recorded): recorded is Recorded & { readonly appliedAt: number } {
  return recorded.appliedAt !== null
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
