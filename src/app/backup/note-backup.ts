/** Who took a copy of everything, and when, for the audit log. */
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import type { BackupResult } from './write-backup.ts'

export const backupAction = 'database.backup'

export async function noteBackup(app: AppContext, result: BackupResult, by: ActorOptions): Promise<void> {
  const { now, actor, origin } = changeContext(app, by)
  const { rows, sha256 } = result
  const entry = { at: now, actor, origin, action: backupAction, subject: 'database', before: null }
  await app.store.audit.appendAuditLog([{ ...entry, after: { rows, sha256 } }])
}
