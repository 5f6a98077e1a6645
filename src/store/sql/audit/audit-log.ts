/** The trail of changes: who, when, from where, before and after, written in the transaction of the change itself. */
import { isSealed } from '../../../core/job/handler.ts'
import { redacted } from '../../../core/job/secret-name.ts'
import type { AuditLogQuery, AuditLogRow, NewAuditEntry } from '../../store.ts'
import { json, number, optionalText, text } from '../runtime/rows.ts'
import { insertAll, insertRow, type RowOf, rows, type Script } from '../runtime/script.ts'
import { Where } from '../runtime/where.ts'

const columns = {
  at: 'number',
  actor: 'text',
  origin: 'text',
  action: 'text',
  subject: 'text',
  before_value: 'text',
  after_value: 'text',
} as const

export function* writeAuditLog(entry: NewAuditEntry): Script<void> {
  yield* insertRow('audit_log', entryRow(entry))
}

export function* appendAuditLog(entries: readonly NewAuditEntry[]): Script<void> {
  yield* insertAll('audit_log', columns, entries.map(entryRow))
}

function entryRow({
  at,
  actor,
  origin,
  action,
  subject,
  before,
  after,
}: NewAuditEntry): RowOf<typeof columns> {
  // It is kept for as long as anybody likes, and never sealed anew: no ciphertext goes into it.
  const written = (value: unknown) =>
    value === null || value === undefined
      ? null
      : JSON.stringify(value, (_, part: unknown) => (isSealed(part) ? redacted : part))
  return {
    at,
    actor,
    origin: origin ?? null,
    action,
    subject,
    before_value: written(before),
    after_value: written(after),
  }
}

export function* listAuditLog(query: AuditLogQuery): Script<AuditLogRow[]> {
  const where = new Where('1 = 1')
  if (query.beforeId !== undefined) where.and('id < ?', query.beforeId)
  if (query.actor !== undefined) where.and('actor = ?', query.actor)
  if (query.action !== undefined) where.and('action = ?', query.action)
  if (query.subject !== undefined) where.and('subject = ?', query.subject)
  if (query.from !== undefined) where.and('at >= ?', query.from)
  if (query.to !== undefined) where.and('at < ?', query.to)
  const entries = yield* rows(
    `SELECT * FROM @audit_log WHERE ${where.text} ORDER BY id DESC LIMIT ?`,
    ...where.params,
    query.limit,
  )
  return entries.map((entry) => ({
    id: number(entry.id),
    at: number(entry.at),
    actor: text(entry.actor),
    origin: optionalText(entry.origin),
    action: text(entry.action),
    subject: text(entry.subject),
    before: json(entry.before_value),
    after: json(entry.after_value),
  }))
}
