/** Migrations as scripts: what every engine does alike, around what each has to spell. */
import { EvertickError } from '../../../core/error.ts'
import {
  type LeftAt,
  loadMigrations,
  type Migration,
  type MigrationStatus,
  type Migrator,
  madeBy,
  pendingMigrations,
  type RecordedMigration,
  refuseForeignTable,
  refuseMoved,
  statementsOf,
  statusOf,
} from '../../migrate.ts'
import type { Store } from '../../store.ts'
import { findLiveNodes } from '../backup/read-tables.ts'
import { number, optionalNumber, text } from './rows.ts'
import { insertRow, rows, run, type Script } from './script.ts'

/** A node writes its heartbeat every ten seconds. */
const seenLatelyMs = 60_000

export interface MigrationEngine {
  readonly dialect: Store['dialect']
  read<T>(script: () => Script<T>): Promise<T>
  /** Five migrators may start at once: one at a time runs its script, and the others wait for their turn. */
  locked<T>(script: () => Script<T>): Promise<T>
  /** The table of what is recorded, as `exists` knows it. */
  readonly record: string
  exists(name: string): Script<boolean>
  /** Makes the table of what is recorded, unless it is there, and what that needs. */
  prepare(): Script<void>
  /** A file for this database, which may mean another schema, prefix or collation. */
  spell(file: string): string
  /** A table's name for messages. */
  fullName(name: string): string
  /** Goes on where `done` of its steps are recorded; null: it has not begun. Records that it is applied. */
  apply(migration: Migration, done: number | null, now: number): Script<void>
  undo(migration: Migration): Script<void>
}

export class SqlMigrator implements Migrator {
  readonly #engine: MigrationEngine
  readonly #known: readonly Migration[]

  constructor(engine: MigrationEngine) {
    this.#engine = engine
    this.#known = loadMigrations(engine.dialect)
  }

  async status(): Promise<MigrationStatus[]> {
    return statusOf(this.#known, await this.#engine.read(() => this.#recorded()))
  }

  async plan(): Promise<Migration[]> {
    return pendingMigrations(this.#known, await this.#engine.read(() => this.#recorded()))
  }

  async up(now: number): Promise<string[]> {
    if ((await this.plan()).length === 0) return []
    return await this.#engine.locked(() => this.#apply(now))
  }

  async down(to: LeftAt | null = null): Promise<string[]> {
    return await this.#engine.locked(() => this.#undo(to))
  }

  *#apply(now: number): Script<string[]> {
    // Another process may have been first while this one waited.
    const recorded = yield* this.#recorded()
    const pending = pendingMigrations(this.#known, recorded)
    if (pending.length === 0) return []
    const begun = new Map(recorded.map(({ version, steps }) => [version, steps]))
    for (const migration of pending) if (!begun.has(migration.version)) yield* this.#refuseForeign(migration)
    yield* this.#engine.prepare()
    for (const migration of pending) {
      yield* this.#engine.apply(migration, begun.get(migration.version) ?? null, now)
    }
    return pending.map(({ name }) => name)
  }

  *#undo(to: LeftAt | null): Script<string[]> {
    const all = yield* this.#recorded()
    refuseMoved(all)
    const later = all.filter(({ version }) => version > (to?.version ?? 0))
    const recorded = new Set(later.map(({ version }) => version))
    const undone = this.#known.filter(({ version }) => recorded.has(version)).toReversed()
    if (to !== null && undone.length > 0) yield* refuseLiveNodes(to.now)
    for (const migration of undone) {
      yield* this.#engine.undo(migration)
      yield* run('DELETE FROM @migrations WHERE version = ?', migration.version)
    }
    if (to === null) yield* run('DROP TABLE IF EXISTS @migrations')
    return undone.map(({ name }) => name)
  }

  *#refuseForeign({ up }: Migration): Script<void> {
    for (const name of madeBy(this.#engine.spell(up))) {
      if (yield* this.#engine.exists(name)) throw refuseForeignTable(this.#engine.fullName(name))
    }
  }

  *#recorded(): Script<RecordedMigration[]> {
    if (!(yield* this.#engine.exists(this.#engine.record))) return []
    return (yield* rows('SELECT * FROM @migrations ORDER BY version')).map((row) => ({
      version: number(row.version),
      name: text(row.name),
      checksum: text(row.checksum),
      appliedAt: optionalNumber(row.applied_at),
      steps: optionalNumber(row.steps) ?? 0,
    }))
  }
}

/** A node stops by itself under a schema that is too new for it, but not under one that is too old. */
function* refuseLiveNodes(now: number): Script<void> {
  const [node] = yield* findLiveNodes(now - seenLatelyMs)
  if (node === undefined) return
  throw new EvertickError('database_in_use', `The node ${node} was seen within the last minute.`, {
    next: 'Stop every node first. One that was killed is forgotten after a minute.',
  })
}

/** Where DDL is transactional: a migration is recorded once, in the transaction that applies it. */
export function* recordApplied({ version, name, checksum }: Migration, now: number): Script<void> {
  yield* insertRow('migrations', { version, name, checksum, applied_at: now })
}

/** A file that is spelled already, statement by statement. */
export function* runFile(file: string): Script<void> {
  for (const statement of statementsOf(file)) yield* run(statement)
}
