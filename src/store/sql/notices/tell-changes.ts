/** What was done to jobs, for both who ask later and who want to hear of it: the audit log, and the outbox. */
import type { Job } from '../../../core/job/job.ts'
import type { NoticeType } from '../../../core/notice/notice.ts'
import { ownValue } from '../../../core/table-keys.ts'
import type { NewAuditEntry } from '../../store.ts'
import { appendAuditLog, writeAuditLog } from '../audit/audit-log.ts'
import type { Script } from '../runtime/script.ts'
import { instantText, type Notice, tell } from './tell.ts'

const typeOf: Readonly<Record<string, NoticeType>> = {
  'job.create': 'job.created',
  'job.edit': 'job.updated',
  'job.pause': 'job.paused',
  'job.resume': 'job.resumed',
  'job.disable': 'job.disabled',
  'job.enable': 'job.enabled',
  'job.cancel': 'job.cancelled',
  'job.delete': 'job.deleted',
  'job.error': 'job.error',
}

export interface Changed {
  readonly entry: NewAuditEntry
  /** As it is afterwards. */
  readonly job: Pick<Job, 'id' | 'spec' | 'state' | 'pause'>
}

export function* recordChange(change: Changed): Script<void> {
  yield* writeAuditLog(change.entry)
  yield* tell(noticesOf(change))
}

export function* recordChanges(changes: readonly Changed[]): Script<void> {
  yield* appendAuditLog(changes.map(({ entry }) => entry))
  yield* tell(changes.flatMap(noticesOf))
}

/** One or none. A webhook is no news to webhooks. */
function noticesOf({ entry, job }: Changed): Notice[] {
  const type = ownValue(typeOf, entry.action)
  if (type === undefined || job.spec.handler.type === 'webhook') return []
  const { state, pause } = job
  const paused = { reason: pause?.reason ?? null, until: instantText(pause?.until ?? null) }
  const body = { state, by: entry.actor, ...(type === 'job.paused' ? paused : {}) }
  return [{ type, at: entry.at, jobId: job.id, subject: entry.subject, body }]
}
