/** The trail of changes: who, when, what, before and after, written in the transaction of the change itself. */
import type { AuditLogQuery, AuditLogRow } from '../store.ts'
import { Where } from './find-jobs.ts'
import { json, number, text } from './rows.ts'
import { rows, run, type Script } from './script.ts'

export function* writeAuditLog(entry: Omit<AuditLogRow, 'id'>): Script<void> {
  const written = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))
  yield* run(
    'INSERT INTO @audit_log (at, actor, action, subject, before_value, after_value) VALUES (?, ?, ?, ?, ?, ?)',
    entry.at,
    entry.actor,
    entry.action,
    entry.subject,
    written(entry.before),
    written(entry.after),
  )
}

export function* listAuditLog(query: AuditLogQuery): Script<AuditLogRow[]> {
  const where = new Where('1 = 1')
  if (query.beforeId !== undefined) where.and('id < ?', query.beforeId)
  if (query.subject !== undefined) where.and('subject = ?', query.subject)
  const found = yield* rows(
    `SELECT * FROM @audit_log WHERE ${where.text} ORDER BY id DESC LIMIT ?`,
    ...where.params,
    query.limit,
  )
  return found.map((entry) => ({
    id: number(entry.id),
    at: number(entry.at),
    actor: text(entry.actor),
    action: text(entry.action),
    subject: text(entry.subject),
    before: json(entry.before_value),
    after: json(entry.after_value),
  }))
}
