/** A rule of alerts as it is stored: checked and complete. Durations are milliseconds, and their names end in `Ms`. */
import { parseDuration } from '../schedule/duration.ts'
import { keysOf } from '../table-keys.ts'
import { type AlertKind, alertKinds } from './alert-kinds.ts'

export const alertKindNames = keysOf(alertKinds)

/** How long a rule pauses a job, where that is for nobody but a person to end. */
export const untilResumed = 'until resumed'

export const severities = ['info', 'warning', 'critical'] as const
export type Severity = (typeof severities)[number]

/** The parameters of a kind, under the names by which they are stored. */
type Stored<Params> = {
  readonly [Name in keyof Params as Params[Name] extends { readonly is: 'duration' }
    ? `${Name & string}Ms`
    : Name]: Params[Name] extends { readonly is: 'choice'; readonly of: infer Words } ? keyof Words : number
}

export type AlertParams<Kind extends AlertKind> = Stored<(typeof alertKinds)[Kind]['params']>

/** Which jobs a rule is about: any of the names, in which `*` stands for anything, or any of the tags. */
export interface RuleJobs {
  readonly names: readonly string[]
  readonly tags: readonly string[]
}

/** Nothing is told between these times of the day, which may lie on both sides of midnight. */
export interface QuietHours {
  /** Minutes since midnight. */
  readonly from: number
  readonly to: number
  readonly timezone: string
}

interface RuleBase {
  readonly name: string
  readonly enabled: boolean
  readonly severity: Severity
  /** null: all of them. */
  readonly jobs: RuleJobs | null
  /** How long it must hold before the alert opens. */
  readonly forMs: number
  /** How often it is told again while it is open; null: never. */
  readonly repeatMs: number | null
  readonly quiet: QuietHours | null
  /** Pauses the job; `pauseMs` is null until somebody resumes it. */
  readonly action: { readonly pauseMs: number | null } | null
}

export type RuleOf<Kind extends AlertKind> = RuleBase & {
  readonly kind: Kind
  readonly params: AlertParams<Kind>
}

export type AlertRule = { readonly [Kind in AlertKind]: RuleOf<Kind> }[AlertKind]

const base = {
  enabled: true,
  severity: 'warning',
  jobs: null,
  forMs: 0,
  repeatMs: null,
  quiet: null,
  action: null,
} as const

/** On from the beginning: few, and none that cries wolf. A rule that somebody writes under one of these names replaces it. */
export const builtInRules: readonly AlertRule[] = [
  { ...base, name: 'failing', kind: 'failing', params: { runs: 3 } },
  { ...base, name: 'missed', kind: 'missed', params: { ticks: 1, withinMs: parseDuration('1h', 'within') } },
  { ...base, name: 'no-runner', kind: 'no_runner', forMs: parseDuration('2m', 'for'), params: {} },
  { ...base, name: 'late', kind: 'late', params: { overMs: parseDuration('5m', 'over') } },
  {
    ...base,
    name: 'leader-gap',
    kind: 'leader_gap',
    params: {
      overMs: parseDuration('1m', 'over'),
      withinMs: parseDuration('1h', 'within'),
      after: 'crash',
    },
  },
]

/** What is stored over what is built in, by name. */
export function rulesOver(stored: readonly AlertRule[]): AlertRule[] {
  const rules = new Map([...builtInRules, ...stored].map((rule) => [rule.name, rule]))
  return [...rules.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function isBuiltInRule(name: string): boolean {
  return builtInRules.some((rule) => rule.name === name)
}
