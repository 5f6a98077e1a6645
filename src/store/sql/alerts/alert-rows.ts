/** Alerts and rules, as they are in their rows. */
import { type Alert, type AlertFact, tidings } from '../../../core/alert/alert.ts'
import { type AlertRule, alertKindNames, severities } from '../../../core/alert/alert-rule.ts'
import { json, number, oneOf, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import type { Row, RowOf } from '../runtime/script.ts'

const kindOf = oneOf('kind of an alert', alertKindNames)
const severityOf = oneOf('severity', severities)
export const tidingOf = oneOf('tiding of an alert', tidings)

export function alertFrom(alert: Row): Alert {
  return {
    id: text(alert.id),
    rule: text(alert.rule),
    kind: kindOf(alert.kind),
    severity: severityOf(alert.severity),
    subject: text(alert.subject),
    jobId: optionalText(alert.job_id),
    name: text(alert.name),
    value: optionalNumber(alert.value),
    sinceAt: number(alert.since_at),
    openedAt: optionalNumber(alert.opened_at),
    resolvedAt: optionalNumber(alert.resolved_at),
    acknowledgedAt: optionalNumber(alert.acknowledged_at),
    acknowledgedBy: optionalText(alert.acknowledged_by),
    snoozedUntil: optionalNumber(alert.snoozed_until),
    snoozedBy: optionalText(alert.snoozed_by),
    note: optionalText(alert.note),
    untold: alert.untold === null ? null : tidingOf(alert.untold),
    untoldAt: optionalNumber(alert.untold_at),
    toldAt: optionalNumber(alert.told_at),
    actedMark: optionalText(alert.acted_mark),
  }
}

export const alertColumns = {
  id: 'uuid',
  rule: 'text',
  kind: 'text',
  severity: 'text',
  subject: 'text',
  job_id: 'uuid',
  name: 'text',
  open_key: 'text',
  value: 'number',
  since_at: 'number',
  opened_at: 'number',
  untold: 'text',
  untold_at: 'number',
  acted_mark: 'text',
} as const

/** Of a rule and a subject there is one that is not resolved. A rule's name has no colon. */
export function openKey(rule: string, subject: string): string {
  return `${rule}:${subject}`
}

/** As it is when a look finds it first: open at once, or waiting for the `for` of its rule. */
export function newAlert(rule: AlertRule, fact: AlertFact, id: string, opens: boolean, now: number): Alert {
  return {
    id,
    rule: rule.name,
    kind: rule.kind,
    severity: rule.severity,
    subject: fact.subject,
    jobId: fact.jobId,
    name: fact.name,
    value: fact.value,
    sinceAt: now,
    openedAt: opens ? now : null,
    resolvedAt: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    snoozedUntil: null,
    snoozedBy: null,
    note: null,
    untold: opens ? 'opened' : null,
    untoldAt: opens ? now : null,
    toldAt: null,
    actedMark: null,
  }
}

export function alertRow(alert: Alert): RowOf<typeof alertColumns> {
  return {
    id: alert.id,
    rule: alert.rule,
    kind: alert.kind,
    severity: alert.severity,
    subject: alert.subject,
    job_id: alert.jobId,
    name: alert.name,
    open_key: openKey(alert.rule, alert.subject),
    value: alert.value,
    since_at: alert.sinceAt,
    opened_at: alert.openedAt,
    untold: alert.untold,
    untold_at: alert.untoldAt,
    acted_mark: alert.actedMark,
  }
}

/** Checked before it was stored. One of a kind that this version does not know is refused by whoever reads its kind. */
export function ruleFrom(written: Row): AlertRule {
  const rule = json(written.rule) as AlertRule
  kindOf(rule.kind)
  return rule
}
