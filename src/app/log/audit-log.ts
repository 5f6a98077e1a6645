/** `evertick.auditLog`: who changed what, and the proof that nobody has changed that. */
import { parseInstant } from '../../core/schedule/instant.ts'
import type { Instant } from '../../core/schedule/schedule.ts'
import type { AuditLogRow, ChainReport } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { pageLimit, refuseUnknown } from '../config/call-options.ts'
import { withoutSealed } from '../handler/handler-view.ts'

export interface AuditLogFilter {
  /** Who. */
  readonly actor?: string
  /** What was done: `job.pause`. */
  readonly action?: string
  /** To what: a job's or a queue's name, an execution's or a token's id, a route that was denied. */
  readonly subject?: string
  /** At or after. */
  readonly from?: Instant
  /** Before. */
  readonly to?: Instant
}

export interface ListAuditLog extends AuditLogFilter {
  /** @default 100 */
  readonly limit?: number
  /** Where the previous page ended. */
  readonly cursor?: number
}

export interface AuditEntry extends Omit<AuditLogRow, 'at'> {
  readonly at: Date
}

export interface AuditLogProof extends ChainReport {
  /** Nothing sealed was changed, and the chain contains what was asked for. */
  readonly ok: boolean
}

export class AuditLog {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  /** Newest first. */
  async list(query: ListAuditLog = {}): Promise<{ entries: AuditEntry[]; nextCursor: number | null }> {
    refuseUnknown(query, ['actor', 'action', 'subject', 'from', 'to', 'limit', 'cursor'], 'auditLog.list')
    const { cursor, from, to, limit: asked, ...filter } = query
    const limit = pageLimit(asked, 100)
    const rows = await this.#app.store.audit.listAuditLog({
      ...filter,
      ...(from === undefined ? {} : { from: parseInstant(from, 'from') }),
      ...(to === undefined ? {} : { to: parseInstant(to, 'to') }),
      ...(cursor === undefined ? {} : { beforeId: cursor }),
      limit: limit + 1,
    })
    const page = rows.slice(0, limit).map(entryView)
    return { entries: page, nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
  }

  /**
   * Recomputes every seal. `head` is one that was kept elsewhere: the chain of today must contain it, which no forger can
   * bring about.
   */
  async verify(options: { head?: string } = {}): Promise<AuditLogProof> {
    refuseUnknown(options, ['head'], 'auditLog.verify')
    const report = await this.#app.store.audit.verifyAuditLog(options)
    return { ok: report.broken.length === 0 && report.contains !== false, ...report }
  }
}

function entryView({ at, before, after, ...rest }: AuditLogRow): AuditEntry {
  return { ...rest, at: new Date(at), before: withoutSealed(before), after: withoutSealed(after) }
}
