/** Alerts as people look at them and answer them. One that waits for the `for` of its rule is not among them. */
import { type Alert, type AlertState, alertState } from '../../../core/alert/alert.ts'
import { idOrNone } from '../../../core/id.ts'
import type { AlertAnswer, AlertCounts, AlertQuery, ChangeContext } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { number } from '../runtime/rows.ts'
import { row, rows, run, type Script, setText } from '../runtime/script.ts'
import { Where } from '../runtime/where.ts'
import { alertFrom } from './alert-rows.ts'

/** In the words of `alertState`. */
const stateTexts: Readonly<Record<AlertState, string>> = {
  resolved: 'resolved_at IS NOT NULL',
  acknowledged: 'open_key IS NOT NULL AND acknowledged_at IS NOT NULL',
  snoozed: 'open_key IS NOT NULL AND acknowledged_at IS NULL AND snoozed_until > ?',
  open: 'open_key IS NOT NULL AND acknowledged_at IS NULL AND (snoozed_until IS NULL OR snoozed_until <= ?)',
}

const timed: readonly AlertState[] = ['snoozed', 'open']

export function* listAlerts(query: AlertQuery): Script<Alert[]> {
  const { states, now } = query
  const where = new Where('opened_at IS NOT NULL')
  if (states !== undefined)
    where.and(
      `(${states.map((state) => `(${stateTexts[state]})`).join(' OR ')})`,
      ...states.filter((state) => timed.includes(state)).map(() => now),
    )
  if (query.rule !== undefined) where.and('rule = ?', query.rule)
  if (query.jobId !== undefined) where.and('job_id = ?', idOrNone(query.jobId))
  if (query.beforeId !== undefined) where.and('id < ?', idOrNone(query.beforeId))
  const found = yield* rows(
    `SELECT * FROM @alerts WHERE ${where.text} ORDER BY id DESC LIMIT ?`,
    ...where.params,
    query.limit,
  )
  return found.map(alertFrom)
}

export function* countAlerts(now: number): Script<AlertCounts> {
  const count = function* (state: AlertState): Script<number> {
    const params = timed.includes(state) ? [now] : []
    const counted = yield* row(
      `SELECT count(*) AS n FROM @alerts WHERE opened_at IS NOT NULL AND ${stateTexts[state]}`,
      ...params,
    )
    return number(counted?.n)
  }
  return {
    open: yield* count('open'),
    acknowledged: yield* count('acknowledged'),
    snoozed: yield* count('snoozed'),
  }
}

const byIdText = 'SELECT * FROM @alerts WHERE id = ? AND opened_at IS NOT NULL'

export function* findAlert(id: string): Script<Alert | null> {
  const found = yield* row(byIdText, idOrNone(id))
  return found === null ? null : alertFrom(found)
}

/** The later answer holds: who snoozes what was acknowledged wants to hear of it again. */
export function* answerAlert(id: string, answer: AlertAnswer, by: ChangeContext): Script<Alert | null> {
  const found = yield* row(`${byIdText} FOR UPDATE`, idOrNone(id))
  if (found === null) return null
  const alert = alertFrom(found)
  if (alert.resolvedAt !== null) return alert
  const { now, actor, origin } = by
  const isAck = answer.kind === 'ack'
  const columns = {
    acknowledged_at: isAck ? now : null,
    acknowledged_by: isAck ? actor : null,
    snoozed_until: isAck ? null : answer.until,
    snoozed_by: isAck ? null : actor,
    note: answer.note ?? alert.note,
  }
  yield* run(`UPDATE @alerts SET ${setText(columns)} WHERE id = ?`, ...Object.values(columns), alert.id)
  const { kind, ...details } = answer
  yield* writeAuditLog({
    at: now,
    actor,
    origin,
    action: `alert.${kind}`,
    subject: alert.name === '' ? alert.rule : alert.name,
    before: { state: alertState(alert, now) },
    after: { rule: alert.rule, alert: alert.id, ...details },
  })
  return yield* findAlert(alert.id)
}

const mostPurged = 1_000

export function* purgeAlerts(before: number): Script<number> {
  const old = yield* rows(
    'SELECT id FROM @alerts WHERE resolved_at < ? AND untold IS NULL ORDER BY resolved_at LIMIT ?',
    before,
    mostPurged,
  )
  if (old.length === 0) return 0
  return yield* run(
    'DELETE FROM @alerts WHERE resolved_at IS NOT NULL AND id IN ?*',
    old.map(({ id }) => String(id)),
  )
}
