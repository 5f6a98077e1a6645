/**
 * An alert: one rule and one subject, from the first time that the rule held to the end of it. What becomes of it at a look
 * is decided here, from the facts alone; whoever leads writes it down under its fence.
 */
import type { AlertKind } from './alert-kinds.ts'
import type { AlertRule, Severity } from './alert-rule.ts'

/** What a rule finds true of a subject at this moment. */
export interface AlertFact {
  /** A job's id, a queue's name, or nothing for the cluster. */
  readonly subject: string
  readonly jobId: string | null
  /** Of the job or the queue; empty for the cluster. */
  readonly name: string
  readonly value: number | null
  /** Another mark is another reason for the rule's action: of a failing job, the run that failed last. */
  readonly mark: string
}

/** What is still to be said of an alert. Between openings and now it has never more than one thing to say. */
export const tidings = ['opened', 'repeated', 'resolved'] as const
export type Tiding = (typeof tidings)[number]

export interface Alert {
  readonly id: string
  readonly rule: string
  readonly kind: AlertKind
  readonly severity: Severity
  readonly subject: string
  readonly jobId: string | null
  readonly name: string
  /** As it was when it opened. */
  readonly value: number | null
  /** When it was first found. */
  readonly sinceAt: number
  /** null while it waits for the `for` of its rule. */
  readonly openedAt: number | null
  readonly resolvedAt: number | null
  readonly acknowledgedAt: number | null
  readonly acknowledgedBy: string | null
  readonly snoozedUntil: number | null
  readonly snoozedBy: string | null
  readonly note: string | null
  /** What is not told yet, and since when. */
  readonly untold: Tiding | null
  readonly untoldAt: number | null
  readonly toldAt: number | null
  /** The reason for which the rule's action was taken last. */
  readonly actedMark: string | null
}

/** As people see it; one that only waits for its `for` is not shown. */
export const alertStates = ['open', 'acknowledged', 'snoozed', 'resolved'] as const
export type AlertState = (typeof alertStates)[number]

type Told = Pick<Alert, 'resolvedAt' | 'acknowledgedAt' | 'snoozedUntil'>

export function alertState({ resolvedAt, acknowledgedAt, snoozedUntil }: Told, now: number): AlertState {
  if (resolvedAt !== null) return 'resolved'
  if (acknowledgedAt !== null) return 'acknowledged'
  return snoozedUntil !== null && snoozedUntil > now ? 'snoozed' : 'open'
}

export type AlertStep = 'none' | 'await' | 'forget' | 'open' | 'repeat' | 'resolve'

export interface AlertTurn {
  readonly step: AlertStep
  /** The rule's action is to be taken. */
  readonly acts: boolean
}

/** The alert is the unresolved one of the rule and the subject. A rule that is off, or gone, finds nothing. */
export function nextTurn(
  rule: Pick<AlertRule, 'forMs' | 'repeatMs' | 'action'> | null,
  alert: Alert | null,
  fact: AlertFact | null,
  now: number,
): AlertTurn {
  const step = nextStep(rule, alert, fact, now)
  const isOpen = step === 'open' || (alert?.openedAt ?? null) !== null
  const acts = (rule?.action ?? null) !== null && fact !== null && isOpen && fact.mark !== alert?.actedMark
  return { step, acts }
}

function nextStep(
  rule: Pick<AlertRule, 'forMs' | 'repeatMs'> | null,
  alert: Alert | null,
  fact: AlertFact | null,
  now: number,
): AlertStep {
  if (rule === null || fact === null) {
    if (alert === null) return 'none'
    return alert.openedAt === null ? 'forget' : 'resolve'
  }
  if (alert === null) return rule.forMs > 0 ? 'await' : 'open'
  if (alert.openedAt === null) return now - alert.sinceAt >= rule.forMs ? 'open' : 'none'
  return repeats(rule.repeatMs, alert, now) ? 'repeat' : 'none'
}

/** Nobody is told again of what somebody has taken on, or of what waits to be told; a snooze that is over tells once. */
function repeats(repeatMs: number | null, alert: Alert, now: number): boolean {
  const { untold, toldAt, snoozedUntil } = alert
  if (untold !== null || toldAt === null || alertState(alert, now) !== 'open') return false
  if (snoozedUntil !== null && snoozedUntil > toldAt) return true
  return repeatMs !== null && now - toldAt >= repeatMs
}
