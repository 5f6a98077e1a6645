/** A backup's file becomes the database: it is read twice, first to know that it is whole, and then to write it. */
import { resolve } from 'node:path'
import { EvertickError } from '../../core/error.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { readBackup } from './read-backup.ts'

export interface RestoreOptions extends ActorOptions {
  /** Replaces jobs and their history, also under nodes that were seen within the last minute. @default false */
  readonly force?: boolean
  readonly onProgress?: (done: number, total: number, phase: 'checking' | 'writing') => void
}

export interface RestoreResult {
  /** When the backup was made. */
  readonly madeAt: Date
  readonly rows: number
  readonly sha256: string
}

/** A node writes its heartbeat every ten seconds. */
export const seenLatelyMs = 60_000

export async function restoreBackup(
  app: AppContext,
  path: string,
  { force = false, onProgress = () => {}, ...by }: RestoreOptions = {},
): Promise<RestoreResult> {
  const { store, clock } = app
  const forms = await store.backup.describeTables()
  const checked = await readBackup(path, {
    forms,
    take: async () => {},
    onProgress: (done, total) => onProgress(done, total, 'checking'),
  })
  const { header, rows, sha256 } = checked
  const { madeAt, product, engine } = header
  const request = {
    action: 'database.restore' as const,
    context: changeContext(app, by),
    unlessOccupiedSince: force ? null : clock.now() - seenLatelyMs,
    source: { file: resolve(path), sha256, madeAt, product, engine, rows },
  }
  await store.backup.replaceTables(request, async (writer) => {
    const again = await readBackup(path, {
      forms,
      take: async (table, batch) => await writer.write(table, batch),
      onProgress: (done, total) => onProgress(done, total, 'writing'),
    })
    if (again.sha256 === sha256) return
    throw new EvertickError('backup_damaged', `${path} was changed while it was being restored.`, {
      next: 'Nothing was written. Try again with a file that nobody writes.',
    })
  })
  return { madeAt: new Date(madeAt), rows, sha256 }
}
