/** An entry of the audit log in words: the action, its subject, and what it changed. */
import type { RouteLocationRaw } from 'vue-router'
import type { Answer } from '../../../../src/client/index.ts'
import { type FieldChange, fieldChanges } from '../../changes/field-changes.ts'
import { counted } from '../../words/sentences.ts'
import { absolute } from '../../words/times.ts'

export type LogEntry = Answer<'GET /audit-log'>['entries'][number]

export interface Denial {
  readonly code: string
  readonly why: string
  readonly calls: number
  readonly since: string | null
}

/** "job.reset_cursor" -> "Reset cursor". */
export function actionWords(action: string): string {
  const words = (action.split('.').at(-1) ?? action).replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** "job.pause" -> "job": the kind of its subject. */
export function subjectKind(action: string): string {
  const kind = action.split('.')[0] ?? ''
  return kind === 'api' ? 'route' : kind
}

export function denialOf({ action, after }: LogEntry): Denial | null {
  if (action !== 'api.denied') return null
  const { code, why, calls, since } = after as Readonly<Record<string, unknown>>
  return {
    code: String(code),
    why: String(why),
    calls: Number(calls),
    since: typeof since === 'string' ? since : null,
  }
}

/** The page of the subject, if it has one. */
export function subjectPlace({ action, subject }: LogEntry): RouteLocationRaw | null {
  if (action === 'job.delete') return null
  if (action.startsWith('job.')) return { name: 'job', params: { id: subject } }
  if (action.startsWith('execution.')) return { name: 'execution', params: { id: subject } }
  return null
}

/** A token is shown by its name; nobody knows its ID. */
export function subjectWords({ action, subject, before, after }: LogEntry): string {
  if (!/^(?:token|session|link)\./.test(action)) return subject
  const { name } = (after ?? before ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' ? name : subject
}

export function changesOf({ before, after }: LogEntry): FieldChange[] {
  return fieldChanges(before, after).map((change) => ({
    field: change.field,
    before: readable(change.field, change.before),
    after: readable(change.field, change.after),
  }))
}

/** The log stores instants in milliseconds, which nobody can read. */
function readable(field: string, value: string | null): string | null {
  const isInstant = /(?:^|\.|[a-z])(?:at|until|from|to|At|Until)$/.test(field) && /^\d{13}$/.test(value ?? '')
  return value !== null && isInstant ? absolute(Number(value), null, true) : value
}

const summarized = 2

/** One line: the first changes, and how many more there are. */
export function summaryOf(entry: LogEntry): string {
  const denial = denialOf(entry)
  if (denial !== null) return `${counted(denial.calls, 'call')}: ${denial.why}`
  const changes = changesOf(entry)
  const first = changes.slice(0, summarized).map(({ field, before, after }) => {
    const name = field === '' ? '' : `${field}: `
    return before === null ? `${name}${after}` : `${name}${before} → ${after ?? 'not set'}`
  })
  const rest = changes.length - first.length
  return rest > 0 ? `${first.join(', ')}, ${rest} more` : first.join(', ')
}

/** The actions that the filter offers, as in docs/operations/audit-log.md. */
export const knownActions: readonly string[] = [
  'job.create',
  'job.edit',
  'job.pause',
  'job.resume',
  'job.trigger',
  'job.backfill',
  'job.cancel',
  'job.delete',
  'job.reset_cursor',
  'job.disable',
  'job.enable',
  'job.error',
  'execution.cancel',
  'execution.retry',
  'execution.signal',
  'queue.pause',
  'queue.resume',
  'lock.release',
  'leader.step_down',
  'leases.reset',
  'token.create',
  'token.revoke',
  'session.create',
  'link.create',
  'database.backup',
  'database.restore',
  'database.move',
  'database.moved',
  'database.take_back',
  'audit_log.prune',
  'api.denied',
]
