/** Migrations: plain SQL, side by side for each engine, checksummed, and never over a table that they did not create. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { EvertickError } from '../core/error.ts'
import type { Store } from './store.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly up: string
  readonly down: string
  readonly checksum: string
}

/** A migration as the database has recorded it. */
export interface RecordedMigration extends Pick<Migration, 'version' | 'name' | 'checksum'> {
  /** Null while it is only begun, where DDL commits by itself. */
  readonly appliedAt: number | null
  /** Of its statements, how many are done. Only counted where DDL commits by itself. */
  readonly steps: number
}

export interface MigrationStatus extends Pick<Migration, 'version' | 'name'> {
  readonly appliedAt: number | null
}

/** Brings a database to the schema that this Evertick knows, and back. */
export interface Migrator {
  status(): Promise<MigrationStatus[]>
  plan(): Promise<Migration[]>
  /** Returns the names of those applied. */
  up(now: number): Promise<string[]>
  /** Takes all back, or those that came later than one. Returns their names, the latest first. */
  down(to?: LeftAt): Promise<string[]>
}

/** The schema of an older Evertick, to which a database goes back with its jobs and its ledger. */
export interface LeftAt {
  readonly version: number
  readonly now: number
}

/**
 * A database that was moved to another has this one, beyond any that there will be. Its name says where to, and no version of
 * Evertick starts on it.
 */
export const movedVersion = 1_000_000

const movedTo = 'moved to '
const longestName = 200

/** The name of that migration. Of a longer address its begin is kept. */
export function movedName(to: string): string {
  return `${movedTo}${to}`.slice(0, longestName)
}

/** Where to, as far as the name has it. */
export function moveTarget(name: string): string {
  return name.startsWith(movedTo) ? name.slice(movedTo.length) : name
}

const folder = new URL('./migrations/', import.meta.url)

export function loadMigrations(dialect: Store['dialect']): Migration[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const read = (direction: 'up' | 'down') =>
        readFileSync(new URL(`${name}/${dialect}.${direction}.sql`, folder), 'utf8')
      const up = read('up')
      return {
        version: Number.parseInt(name, 10),
        name,
        up,
        down: read('down'),
        checksum: createHash('sha256').update(up).digest('hex'),
      }
    })
}

/** Those still to apply. A database that is ahead of this Evertick, or whose history differs, is refused. */
export function pendingMigrations(
  known: readonly Migration[],
  recorded: readonly RecordedMigration[],
): Migration[] {
  refuseMoved(recorded)
  for (const done of recorded) {
    const same = known.find((migration) => migration.version === done.version)
    if (same === undefined) {
      throw new EvertickError(
        'schema_newer',
        `The database has migration ${done.name}, which this Evertick does not know.`,
        {
          next: 'Upgrade Evertick on this node.',
        },
      )
    }
    if (same.checksum !== done.checksum) {
      throw new EvertickError(
        'migration_failed',
        `Migration ${done.name} was changed after it had been applied.`,
        {
          next: 'Install the Evertick that applied it, or restore the file.',
        },
      )
    }
  }
  const applied = new Set(
    recorded.filter(({ appliedAt }) => appliedAt !== null).map(({ version }) => version),
  )
  return known.filter(({ version }) => !applied.has(version))
}

export function refuseMoved(recorded: readonly Pick<RecordedMigration, 'version' | 'name'>[]): void {
  const mark = recorded.find(({ version }) => version === movedVersion)
  if (mark !== undefined) throw moved(moveTarget(mark.name))
}

export function moved(to: string | null): EvertickError {
  return new EvertickError(
    'database_moved',
    `This database was moved${to === null ? '' : ` to ${to}`}: nothing starts on it.`,
    {
      next: 'Use that database instead. To take this one back, run `evertick move --take-back --from URL`.',
    },
  )
}

export function statusOf(
  known: readonly Migration[],
  recorded: readonly RecordedMigration[],
): MigrationStatus[] {
  return known.map(({ version, name }) => ({
    version,
    name,
    appliedAt: recorded.find((done) => done.version === version)?.appliedAt ?? null,
  }))
}

/** One statement ends with `;` at the end of a line. */
export function statementsOf(file: string): string[] {
  return file
    .replaceAll(/^\s*--.*$/gm, '')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

const madePattern =
  /^CREATE (?:OR REPLACE )?(?:SQL SECURITY INVOKER )?(?:TABLE|VIEW) (?:IF NOT EXISTS )?@?(\w+)/gm

/** The tables and views that a file makes, once it is spelled for its database. */
export function madeBy(file: string): string[] {
  return [...file.matchAll(madePattern)].map((match) => match[1] ?? '')
}

export function refuseForeignTable(name: string): EvertickError {
  return new EvertickError(
    'migration_failed',
    `There is already a table "${name}" that Evertick did not create.`,
    {
      next: 'Rename it, or give Evertick a database of its own; `evertick import` brings along what is in it. Nothing was changed.',
    },
  )
}
