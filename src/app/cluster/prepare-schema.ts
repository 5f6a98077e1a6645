/** A database is used only with the schema that this Evertick knows. */
import { EvertickError } from '../../core/error.ts'
import { type Migrator, moved, movedVersion } from '../../store/migrate.ts'

export async function prepareSchema(migrator: Migrator, migrate: boolean, now: number): Promise<void> {
  const pending = await migrator.plan()
  if (pending.length === 0) return
  if (migrate) {
    await migrator.up(now)
    return
  }
  throw new EvertickError(
    'schema_missing',
    `The database lacks ${pending.map(({ name }) => name).join(', ')}.`,
    { next: 'Run `evertick migrate up`, or open with migrate: true.' },
  )
}

/** The database was migrated meanwhile: this node cannot know what its rows mean now. */
export function outdated(schemaVersion: number): EvertickError {
  if (schemaVersion === movedVersion) return moved(null)
  return new EvertickError(
    'schema_newer',
    `The database was migrated to ${schemaVersion} while this node was running: it stops.`,
    { next: 'Start it with the Evertick that has migrated the database.' },
  )
}
