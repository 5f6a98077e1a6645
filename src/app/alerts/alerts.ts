/** `evertick.alerts`: what is wrong now and was before, and who has taken it on. */
import { type Alert, type AlertState, alertState } from '../../core/alert/alert.ts'
import { type AlertKind, type AlertSubject, alertKinds } from '../../core/alert/alert-kinds.ts'
import type { Severity } from '../../core/alert/alert-rule.ts'
import { alertNext, alertSentence } from '../../core/alert/alert-words.ts'
import { EvertickError } from '../../core/error.ts'
import type { Duration, Instant } from '../../core/schedule/schedule.ts'
import type { AlertAnswer, AlertCounts } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { pageLimit, refuseUnknown } from '../config/call-options.ts'
import { untilInstant } from '../job/actions/job-changes.ts'
import { findJob } from '../job/job-views.ts'
import { AlertRules } from './alert-rules.ts'

export interface AlertView {
  readonly id: string
  readonly rule: string
  readonly kind: AlertKind
  readonly severity: Severity
  readonly state: AlertState
  readonly subject: AlertSubject
  /** Of the job or the queue; empty where it is about the cluster. */
  readonly name: string
  readonly jobId: string | null
  readonly sentence: string
  /** What to do about it. */
  readonly next: string
  readonly openedAt: Date
  readonly resolvedAt: Date | null
  readonly acknowledgedAt: Date | null
  readonly acknowledgedBy: string | null
  readonly snoozedUntil: Date | null
  readonly snoozedBy: string | null
  readonly note: string | null
}

export interface ListAlerts {
  /** @default all */
  readonly state?: AlertState | readonly AlertState[]
  readonly rule?: string
  /** By name or id. */
  readonly job?: string
  /** @default 100 */
  readonly limit?: number
  readonly cursor?: string
}

export interface AckOptions extends ActorOptions {
  /** For those who look at it later. */
  readonly note?: string
}

export interface SnoozeOptions extends AckOptions {
  /** Until when nobody is told of it again. */
  readonly until: Instant | Duration
}

const longestNote = 2_000

export class Alerts {
  readonly rules: AlertRules
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
    this.rules = new AlertRules(app)
  }

  /** Newest first. */
  async list(query: ListAlerts = {}): Promise<{ alerts: AlertView[]; nextCursor: string | null }> {
    refuseUnknown(query, ['state', 'rule', 'job', 'limit', 'cursor'], 'alerts.list')
    const { state, rule, job, cursor } = query
    const limit = pageLimit(query.limit, 100)
    const now = this.#app.clock.now()
    const alerts = await this.#app.store.alerts.listAlerts({
      ...(state === undefined ? {} : { states: typeof state === 'string' ? [state] : state }),
      ...(rule === undefined ? {} : { rule }),
      ...(job === undefined ? {} : { jobId: (await findJob(this.#app, job)).id }),
      ...(cursor === undefined ? {} : { beforeId: cursor }),
      limit: limit + 1,
      now,
    })
    const page = alerts.slice(0, limit).map((alert) => alertView(alert, now))
    return { alerts: page, nextCursor: alerts.length > limit ? (page.at(-1)?.id ?? null) : null }
  }

  async get(id: string): Promise<AlertView> {
    const alert = await this.#app.store.alerts.findAlert(id)
    if (alert === null) throw notFound(id)
    return alertView(alert, this.#app.clock.now())
  }

  /** How many are not resolved, by their states. */
  async count(): Promise<AlertCounts> {
    return await this.#app.store.alerts.countAlerts(this.#app.clock.now())
  }

  /** Somebody has taken it on: it is not told again, until it ends. */
  async ack(id: string, { note, ...by }: AckOptions = {}): Promise<AlertView> {
    return await this.#answer(id, { kind: 'ack', note: noteOf(note) }, by)
  }

  /** It is not told again until then; if it is still open, it is told once more. */
  async snooze(id: string, { until, note, ...by }: SnoozeOptions): Promise<AlertView> {
    const now = this.#app.clock.now()
    const at = untilInstant(until, now)
    if (at <= now)
      throw new EvertickError('invalid_option', 'until is not after now.', {
        field: 'until',
        next: 'Give a later instant, or a duration such as 2h.',
      })
    return await this.#answer(id, { kind: 'snooze', until: at, note: noteOf(note) }, by)
  }

  async #answer(id: string, answer: AlertAnswer, by: ActorOptions): Promise<AlertView> {
    const context = changeContext(this.#app, by)
    const alert = await this.#app.store.alerts.answerAlert(id, answer, context)
    if (alert === null) throw notFound(id)
    if (alert.resolvedAt === null) return alertView(alert, context.now)
    throw new EvertickError('invalid_transition', 'The alert is over: there is nothing to take on.', {
      next: 'See what is open: `evertick alerts list`.',
    })
  }
}

function noteOf(note: string | undefined): string | null {
  if (note === undefined) return null
  if (note.length <= longestNote) return note
  throw new EvertickError('invalid_option', `note has ${note.length} characters.`, {
    field: 'note',
    next: `Give at most ${longestNote.toLocaleString('en')}.`,
  })
}

function notFound(id: string): EvertickError {
  return new EvertickError('alert_not_found', `No alert has the id "${id}".`, {
    field: 'id',
    next: 'See those that there are: `evertick alerts list --all`.',
  })
}

const date = (at: number | null) => (at === null ? null : new Date(at))

export function alertView(alert: Alert, now: number): AlertView {
  const { id, rule, kind, severity, name, jobId, openedAt, resolvedAt } = alert
  return {
    id,
    rule,
    kind,
    severity,
    state: alertState(alert, now),
    subject: alertKinds[kind].subject,
    name,
    jobId,
    sentence: alertSentence(alert, resolvedAt ?? now),
    next: alertNext(kind, name),
    openedAt: new Date(openedAt ?? alert.sinceAt),
    resolvedAt: date(resolvedAt),
    acknowledgedAt: date(alert.acknowledgedAt),
    acknowledgedBy: alert.acknowledgedBy,
    snoozedUntil: date(alert.snoozedUntil),
    snoozedBy: alert.snoozedBy,
    note: alert.note,
  }
}
