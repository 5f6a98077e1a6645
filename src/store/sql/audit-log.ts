/** The trail of changes: who, when, what, before and after, written in the transaction of the change itself. */
import type { AuditLogQuery, AuditLogRow } from '../store.ts'
import { json, number, text } from './rows.ts'
import { rows, run, type Script } from './script.ts'

export function* writeAuditLog(entry: Omit<AuditLogRow, 'id'>): Script<void> {
  const written = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))
  yield* run(
    'INSERT INTO @audit_log (at, actor, action, subject, before, after) VALUES (?, ?, ?, ?, ?, ?)',
    entry.at,
    entry.actor,
    entry.action,
    entry.subject,
    written(entry.before),
    written(entry.after),
  )
}

export function* listAuditLog(query: AuditLogQuery): Script<AuditLogRow[]> {
  const found = yield* rows(
    `SELECT * FROM @audit_log WHERE id < ? AND (? IS NULL OR subject = ?) ORDER BY id DESC LIMIT ?`,
    query.beforeId ?? Number.MAX_SAFE_INTEGER,
    query.subject ?? null,
    query.subject ?? null,
    query.limit,
  )
  return found.map((entry) => ({
    id: number(entry.id),
    at: number(entry.at),
    actor: text(entry.actor),
    action: text(entry.action),
    subject: text(entry.subject),
    before: json(entry.before),
    after: json(entry.after),
  }))
}
