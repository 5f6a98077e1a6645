/** Alerts and their rules. */

import type { Alert, AlertFact, AlertState, AlertTurn, Tiding } from '../../core/alert/alert.ts'
import type { AlertRule } from '../../core/alert/alert-rule.ts'
import type { Fence } from './cluster.ts'
import type { ChangeContext } from './jobs.ts'

export interface AlertStore {
  /** What the rules find now, and the alerts that there are: read, and nothing held. */
  lookAtAlerts(now: number): Promise<AlertLook>
  /** Decided by the leader's fence, and for a new alert by its key: an unresolved one of its rule and subject refuses it. */
  changeAlerts(request: ChangeAlerts): Promise<ChangedAlerts>
  /** Marks what a rule has to tell as told, and hands out what is told. Decided by the leader's fence. */
  tellAlerts(request: TellAlerts): Promise<ToldAlerts>
  /** Newest first. */
  listAlerts(query: AlertQuery): Promise<Alert[]>
  findAlert(id: string): Promise<Alert | null>
  /** Unresolved ones, by their states. */
  countAlerts(now: number): Promise<AlertCounts>
  /** Null where there is no such alert; one that is resolved stays as it is. */
  answerAlert(id: string, answer: AlertAnswer, by: ChangeContext): Promise<Alert | null>
  /** Removes what was resolved before an instant, a batch at a time; says how many went. */
  purgeAlerts(before: number): Promise<number>
  /** Those that somebody wrote. */
  listAlertRules(): Promise<WrittenRule[]>
  putAlertRule(rule: AlertRule, by: ChangeContext): Promise<void>
  /** False where nobody wrote one of that name. */
  deleteAlertRule(name: string, by: ChangeContext): Promise<boolean>
}

export interface RuleFacts {
  readonly rule: AlertRule
  readonly facts: readonly AlertFact[]
  /** Not all of them: there are more than one look takes. */
  readonly more: boolean
}

export interface AlertLook {
  readonly found: readonly RuleFacts[]
  readonly unresolved: readonly Alert[]
  readonly untold: readonly UntoldAlerts[]
}

/** What a rule has to tell. */
export interface UntoldAlerts {
  readonly rule: string
  readonly tiding: Tiding
  readonly oldestAt: number
}

/** A turn of one alert. Without an alert it is a new one, of the fact. */
export interface AlertChange extends AlertTurn {
  readonly rule: AlertRule | null
  readonly alert: Alert | null
  readonly fact: AlertFact | null
}

export interface ChangeAlerts {
  readonly leader: Fence
  readonly now: number
  readonly changes: readonly AlertChange[]
}

export interface ChangedAlerts {
  /** False where the fence refused: another node leads, and nothing was written. */
  readonly led: boolean
  readonly opened: readonly Alert[]
  readonly resolved: readonly Alert[]
  /** The names of jobs that a rule has paused. */
  readonly paused: readonly PausedByRule[]
}

export interface PausedByRule {
  readonly rule: string
  readonly job: string
  readonly reason: string
}

export interface TellAlerts {
  readonly leader: Fence
  readonly now: number
  readonly rule: string
  readonly tiding: Tiding
}

export interface ToldAlerts {
  readonly led: boolean
  readonly count: number
}

export interface AlertQuery {
  readonly states?: readonly AlertState[]
  readonly rule?: string
  readonly jobId?: string
  readonly limit: number
  readonly beforeId?: string
  readonly now: number
}

export type AlertCounts = Readonly<Record<Exclude<AlertState, 'resolved'>, number>>

export type AlertAnswer =
  | { readonly kind: 'ack'; readonly note: string | null }
  | { readonly kind: 'snooze'; readonly until: number; readonly note: string | null }

export interface WrittenRule {
  readonly rule: AlertRule
  readonly changedAt: number
  readonly changedBy: string
}
