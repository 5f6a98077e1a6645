/** Everything that node-schedule takes for a schedule, read as it reads it: cron, date, rule, literal, with start and end. */
import { EvertickError } from '../../core/error.ts'
import { parseSchedule, sequenceOf } from '../../core/schedule/schedule-spec.ts'
import type { RecurrenceFields, RecurrenceRule } from './recurrence-rule.ts'
import { scheduleOfRule } from './rule-to-cron.ts'

export interface DateRangeSpec {
  readonly rule: string | Date | RecurrenceFields
  readonly start?: Date | string | number | undefined
  readonly end?: Date | string | number | undefined
  readonly tz?: string | undefined
}

export type JobSpec = RecurrenceRule | DateRangeSpec | RecurrenceFields | Date | string | number

export type ReadSpec =
  | { readonly kind: 'at'; readonly at: number }
  | {
      readonly kind: 'cron'
      readonly cron: string
      /** Whether the caller named the zone; else the stored one goes before the host's. */
      readonly ownZone: boolean
      readonly timezone: string
      readonly startAt: number | null
      readonly endAt: number | null
    }

/** null for what node-schedule answers with null. */
export function readSpec(spec: JobSpec, zone: string, now: number): ReadSpec | null {
  if (!isRange(spec)) return readRule(spec, tzOf(spec), zone)
  const read = readRule(spec.rule, spec.tz ?? tzOf(spec.rule), zone)
  if (read?.kind !== 'cron') return read
  const start = instantOf(spec.start)
  const end = instantOf(spec.end)
  // node-schedule begins after the start and ends with the end, and a start that has passed is none.
  const startAt = start === null || start < now ? read.startAt : later(read.startAt, start + 1)
  const endAt = end === null ? read.endAt : earlier(read.endAt, end + 1)
  return { ...read, startAt, endAt }
}

/** The next instant after `from`; null where there is none. */
export function nextOf(read: ReadSpec, name: string, from: number): number | null {
  if (read.kind === 'at') return read.at > from ? read.at : null
  const { cron, timezone, startAt, endAt } = read
  const bounds = { ...(startAt === null ? {} : { startAt }), ...(endAt === null ? {} : { endAt }) }
  return sequenceOf({ kind: 'cron', cron, timezone }, { hashKey: name, ...bounds }).next(from)
}

function readRule(
  spec: Exclude<JobSpec, DateRangeSpec>,
  tz: string | undefined,
  zone: string,
): ReadSpec | null {
  if (spec instanceof Date || typeof spec === 'number') return dateOf(new Date(spec))
  const timezone = tz ?? zone
  const ownZone = tz !== undefined
  if (typeof spec === 'string') {
    const cron = cronOf(spec, timezone)
    if (cron === null) return dateOf(new Date(spec))
    return { kind: 'cron', cron, timezone, ownZone, startAt: null, endAt: null }
  }
  const rule = scheduleOfRule(spec, timezone)
  return rule === null ? null : { kind: 'cron', ...rule, ownZone }
}

function dateOf(date: Date): ReadSpec | null {
  const at = date.getTime()
  return Number.isNaN(at) ? null : { kind: 'at', at }
}

function cronOf(text: string, timezone: string): string | null {
  try {
    const parsed = parseSchedule({ cron: text, timezone }, { createdAt: 0, hashKey: '' })
    return parsed.kind === 'cron' ? parsed.cron : null
  } catch (error) {
    if (error instanceof EvertickError && error.code === 'invalid_cron') return null
    throw error
  }
}

function isRange(spec: JobSpec): spec is DateRangeSpec {
  return typeof spec === 'object' && !(spec instanceof Date) && 'rule' in spec
}

function tzOf(spec: JobSpec): string | undefined {
  if (typeof spec !== 'object' || spec instanceof Date) return undefined
  return spec.tz
}

function instantOf(value: Date | string | number | undefined): number | null {
  if (value === undefined) return null
  const at = new Date(value).getTime()
  return Number.isNaN(at) ? null : at
}

function later(a: number | null, b: number): number {
  return a === null ? b : Math.max(a, b)
}

function earlier(a: number | null, b: number): number {
  return a === null ? b : Math.min(a, b)
}
