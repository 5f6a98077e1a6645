/** A rule of alerts as its user writes it and as it is shown, from and to what is stored. */
import { z } from 'zod'
import { type AlertKind, alertKinds, type Parameter } from '../../core/alert/alert-kinds.ts'
import {
  type AlertRule,
  alertKindNames,
  type Severity,
  severities,
  untilResumed,
} from '../../core/alert/alert-rule.ts'
import { EvertickError } from '../../core/error.ts'
import { storedName, toShown, toStored } from '../../core/job/options-codec.ts'
import { durationText, parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import { parseTimezone } from '../../core/schedule/timezone.ts'
import { checked } from '../config/checked.ts'
import { fieldShape } from '../job/option-shapes.ts'

/** A time of the day, such as `22:00`. */
export interface QuietOptions {
  readonly from: string
  readonly to: string
  /** @default that of the node */
  readonly timezone?: string
}

/** What is left out stays as it is, or of a new rule is its default. */
export interface RuleOptions {
  readonly name: string
  /** What it watches. A new rule needs one. */
  readonly kind?: AlertKind
  /** @default true */
  readonly enabled?: boolean
  /** @default 'warning' */
  readonly severity?: Severity
  /** The parameters of its kind. @default those of the kind */
  readonly params?: Readonly<Record<string, Duration | number | string>>
  /** Only these jobs: any of the names, in which `*` stands for anything, or any of the tags. @default all */
  readonly jobs?: { readonly names?: readonly string[]; readonly tags?: readonly string[] } | null
  /** How long it must hold before the alert opens. @default 0 */
  readonly for?: Duration
  /** How often it is told again. @default never */
  readonly repeat?: Duration | null
  /** When nothing is told of it. @default never */
  readonly quiet?: QuietOptions | null
  /** Pauses the job: for a time, or until somebody resumes it. @default nothing */
  readonly action?: { readonly pause: Duration | typeof untilResumed } | null
}

export interface RuleView {
  readonly name: string
  readonly kind: AlertKind
  readonly enabled: boolean
  readonly severity: Severity
  readonly params: Readonly<Record<string, number | string>>
  readonly jobs: { readonly names: readonly string[]; readonly tags: readonly string[] } | null
  readonly for: Duration
  readonly repeat: Duration | null
  readonly quiet: { readonly from: string; readonly to: string; readonly timezone: string } | null
  readonly action: { readonly pause: Duration | typeof untilResumed } | null
  /** Evertick brings a rule of this name along. */
  readonly builtIn: boolean
  /** Who changed it last, and when; null for a built-in rule as it came. */
  readonly changedBy: string | null
  readonly changedAt: Date | null
}

const duration = z.union([z.number(), z.string()])
const texts = z.array(z.string().min(1).max(200)).max(200)
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is not a time of the day, such as 22:00')
const shape = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,99}$/i, 'may have letters, digits, - and _, and at most 100 of them'),
  kind: z.enum(alertKindNames).optional(),
  enabled: z.boolean().optional(),
  severity: z.enum(severities).optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  jobs: z.strictObject({ names: texts.optional(), tags: texts.optional() }).nullable().optional(),
  for: duration.optional(),
  repeat: duration.nullable().optional(),
  quiet: z.strictObject({ from: time, to: time, timezone: z.string().optional() }).nullable().optional(),
  action: z.strictObject({ pause: duration }).nullable().optional(),
})
const optionNames = [...Object.keys(shape.shape), 'names', 'tags', 'from', 'to', 'timezone', 'pause']

/** Every parameter of a kind, one table for each. */
function parametersOf(kind: AlertKind): Readonly<Record<string, Parameter>> {
  return alertKinds[kind].params
}

export function alertRule(written: RuleOptions, before: AlertRule | null, timezone: string): AlertRule {
  const what = `Rule "${written.name}"`
  checked(shape, written, 'invalid_option', what, optionNames)
  const { name } = written
  const kind = written.kind ?? before?.kind
  if (kind === undefined)
    throw new EvertickError('invalid_option', `${what}: a new rule needs a kind.`, {
      field: 'kind',
      next: `Give one of: ${alertKindNames.join(', ')}.`,
    })
  const kept = kind === before?.kind ? before.params : {}
  const { quiet, action, repeat, jobs } = written
  const rule = {
    name,
    kind,
    enabled: written.enabled ?? before?.enabled ?? true,
    severity: written.severity ?? before?.severity ?? 'warning',
    params: { ...defaultsOf(kind), ...kept, ...storedParams(kind, written.params ?? {}, what) },
    jobs: jobs === undefined ? (before?.jobs ?? null) : storedJobs(jobs),
    forMs: written.for === undefined ? (before?.forMs ?? 0) : parseDuration(written.for, 'for'),
    repeatMs: repeat === undefined ? (before?.repeatMs ?? null) : repeatMs(repeat),
    quiet: quiet === undefined ? (before?.quiet ?? null) : storedQuiet(quiet, timezone),
    action: action === undefined ? (before?.action ?? null) : storedAction(action),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kind and parameters come from one row of the table
  const stored = rule as AlertRule
  refuseForSubject(stored, what)
  return stored
}

/** What has no meaning for a queue or the cluster. */
function refuseForSubject({ kind, jobs, action }: AlertRule, what: string): void {
  const { subject } = alertKinds[kind]
  if (subject === 'job') return
  for (const [field, value] of Object.entries({ jobs, action })) {
    if (value === null) continue
    throw new EvertickError(
      'invalid_option',
      `${what}: ${field} has no meaning for ${kind}, which is about ${subject === 'queue' ? 'queues' : 'the cluster'}.`,
      { field, next: `Leave ${field} out.` },
    )
  }
}

function defaultsOf(kind: AlertKind): Readonly<Record<string, number | string>> {
  const params = Object.entries(parametersOf(kind))
  return Object.fromEntries(params.map(([name, param]) => [storedName(name, param), param.default]))
}

function storedParams(
  kind: AlertKind,
  given: Readonly<Record<string, unknown>>,
  what: string,
): Readonly<Record<string, unknown>> {
  const params = Object.entries(parametersOf(kind))
  const forms = { duration, instant: z.date() }
  const shapes = params.map(([name, param]) => [name, fieldShape(param, forms).optional()] as const)
  const known = params.map(([name]) => name)
  checked(z.strictObject(Object.fromEntries(shapes)), given, 'invalid_option', `${what}, params`, known)
  return Object.fromEntries(
    params
      .filter(([name]) => given[name] !== undefined)
      .map(([name, param]) => [storedName(name, param), toStored(param, given[name], `params.${name}`)]),
  )
}

function storedJobs(jobs: NonNullable<RuleOptions['jobs']> | null): AlertRule['jobs'] {
  if (jobs === null) return null
  const { names = [], tags = [] } = jobs
  return names.length + tags.length === 0 ? null : { names, tags }
}

const soonestRepeatMs = 60_000

function repeatMs(repeat: Duration | null): number | null {
  if (repeat === null) return null
  const ms = parseDuration(repeat, 'repeat')
  if (ms >= soonestRepeatMs) return ms
  throw new EvertickError('invalid_option', 'repeat is less than a minute.', {
    field: 'repeat',
    next: 'Give a minute or more, or null for never.',
  })
}

function storedQuiet(quiet: QuietOptions | null, timezone: string): AlertRule['quiet'] {
  if (quiet === null) return null
  const { from, to } = quiet
  if (from === to)
    throw new EvertickError('invalid_option', `quiet begins and ends at ${from}.`, {
      field: 'quiet.to',
      next: 'Give two different times, or switch the rule off.',
    })
  const zone = parseTimezone(quiet.timezone ?? timezone, 'quiet.timezone')
  return { from: minuteOf(from), to: minuteOf(to), timezone: zone }
}

function minuteOf(time: string): number {
  const [hours = '', minutes = ''] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

function timeOf(minute: number): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

function storedAction(action: RuleOptions['action']): AlertRule['action'] {
  if (action === null || action === undefined) return null
  return { pauseMs: action.pause === untilResumed ? null : parseDuration(action.pause, 'action.pause') }
}

export function ruleView(
  rule: AlertRule,
  about: Pick<RuleView, 'builtIn' | 'changedBy' | 'changedAt'>,
): RuleView {
  const { name, kind, enabled, severity, jobs, quiet, action } = rule
  const stored = new Map<string, unknown>(Object.entries(rule.params))
  const params: Record<string, number | string> = {}
  for (const [param, shapeOf] of Object.entries(parametersOf(kind))) {
    const shown = toShown(shapeOf, stored.get(storedName(param, shapeOf)))
    if (typeof shown === 'number' || typeof shown === 'string') params[param] = shown
  }
  return {
    name,
    kind,
    enabled,
    severity,
    params,
    jobs,
    for: durationText(rule.forMs),
    repeat: rule.repeatMs === null ? null : durationText(rule.repeatMs),
    quiet: quiet === null ? null : { ...quiet, from: timeOf(quiet.from), to: timeOf(quiet.to) },
    action:
      action === null
        ? null
        : { pause: action.pauseMs === null ? untilResumed : durationText(action.pauseMs) },
    ...about,
  }
}
