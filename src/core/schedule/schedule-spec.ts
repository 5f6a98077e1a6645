import { EvertickError } from '../error.ts'
import { keysOf } from '../table-keys.ts'
import { boundedSequence, type TickBounds } from './bounded-sequence.ts'
import { parseCron } from './cron/cron-expression.ts'
import { cronSequence } from './cron/cron-sequence.ts'
import { didYouMean } from './did-you-mean.ts'
import { formatDuration, parseDuration } from './duration.ts'
import { parseInstant } from './instant.ts'
import { intervalSequence } from './interval-sequence.ts'
import { noNominalTicks, onceSequence } from './once-sequence.ts'
import type { Schedule, ScheduleSpec, TickSequence } from './schedule.ts'
import { parseTimezone } from './timezone.ts'

export interface ParseScheduleContext {
  /** The zone of a cron that names none. @default 'UTC' */
  readonly timezone?: string | undefined
  /** UTC milliseconds; the anchor of an interval that names none. */
  readonly createdAt: number
  /** The job's name. With it, a cron with `H` is checked as it will run. */
  readonly hashKey?: string | undefined
}

/** Shorter intervals and delays are refused: the scheduler cannot keep them, and a loop would serve better. */
export const minEveryMs = 10

/** The keys of each kind; the first one identifies it. */
const kinds = {
  cron: ['cron', 'timezone'],
  every: ['every', 'anchor'],
  fixedDelay: ['fixedDelay'],
  at: ['at'],
} as const
type Kind = keyof typeof kinds
const kindNames = keysOf(kinds)

/** Checks a schedule as its user wrote it and gives what is stored: plain JSON, no instant left relative. */
export function parseSchedule(schedule: Schedule, context: ParseScheduleContext): ScheduleSpec {
  const { kind, values } = checkedKeys(schedule)
  switch (kind) {
    case 'cron': {
      parseCron(values.cron, context.hashKey)
      const timezone = parseTimezone(
        values.timezone === undefined ? (context.timezone ?? 'UTC') : values.timezone,
        'timezone',
      )
      return { kind: 'cron', cron: (values.cron as string).trim(), timezone }
    }
    case 'every':
      return {
        kind: 'every',
        everyMs: pause(values.every, 'every'),
        anchorAt: anchorOf(values.anchor, context.createdAt),
      }
    case 'fixedDelay':
      return { kind: 'fixed_delay', delayMs: pause(values.fixedDelay, 'fixedDelay') }
    case 'at':
      return { kind: 'at', at: parseInstant(values.at, 'at') }
    default:
      return kind satisfies never
  }
}

export interface SequenceContext extends TickBounds {
  /** The job's name, which decides `H`. */
  readonly hashKey?: string | undefined
}

/** The nominal ticks of a stored schedule within `[startAt, endAt)`. */
export function sequenceOf(spec: ScheduleSpec, context: SequenceContext = {}): TickSequence {
  return boundedSequence(unboundedSequence(spec, context.hashKey), context)
}

function unboundedSequence(spec: ScheduleSpec, hashKey: string | undefined): TickSequence {
  switch (spec.kind) {
    case 'cron':
      return cachedCronSequence(spec.cron, spec.timezone, hashKey)
    case 'every':
      return intervalSequence(spec.everyMs, spec.anchorAt)
    case 'fixed_delay':
      return noNominalTicks
    case 'at':
      return onceSequence(spec.at)
    default:
      return spec satisfies never
  }
}

/**
 * A scan asks for the same thousands of schedules again and again; reading the text costs more than the next tick.
 * The oldest entry goes first, which is enough: a scan either fits or does not.
 */
const cachedSequences = new Map<string, TickSequence>()
const cacheSize = 5000

function cachedCronSequence(cron: string, timezone: string, hashKey: string | undefined): TickSequence {
  // The name matters only to `H`; without the letter, jobs with one text share one entry.
  const hashed = hashKey !== undefined && /h/i.test(cron)
  const key = hashed ? `${timezone} ${cron}\0${hashKey}` : `${timezone} ${cron}`
  const cached = cachedSequences.get(key)
  if (cached !== undefined) return cached
  const made = cronSequence(cron, timezone, hashKey)
  if (cachedSequences.size >= cacheSize) {
    const [oldest] = cachedSequences.keys()
    if (oldest !== undefined) cachedSequences.delete(oldest)
  }
  cachedSequences.set(key, made)
  return made
}

function pause(value: unknown, field: string): number {
  const ms = parseDuration(value, field)
  if (ms >= minEveryMs) return ms
  throw new EvertickError(
    'invalid_duration',
    `${field} is ${formatDuration(ms)}; the minimum is ${minEveryMs}ms`,
    {
      field,
      next: `Give at least ${minEveryMs}ms.`,
    },
  )
}

function anchorOf(anchor: unknown, createdAt: number): number {
  if (anchor === undefined) return createdAt
  return anchor === 'epoch' ? 0 : parseInstant(anchor, 'anchor')
}

function checkedKeys(schedule: unknown): { kind: Kind; values: Readonly<Record<string, unknown>> } {
  if (typeof schedule !== 'object' || schedule === null || Array.isArray(schedule)) {
    throw refused('schedule must be an object')
  }
  const values = schedule as Readonly<Record<string, unknown>>
  const keys = Object.keys(values).filter((key) => values[key] !== undefined)
  const given = kindNames.filter((kind) => keys.includes(kind))
  const allowed: readonly string[] = given.flatMap((kind) => kinds[kind])
  const known: readonly string[] = Object.values(kinds).flat()
  for (const key of keys) {
    if (allowed.includes(key)) continue
    if (known.includes(key)) continue
    const near = didYouMean(key, known)
    throw refused(
      `schedule has the unknown key ${JSON.stringify(key.slice(0, 64))}${near === undefined ? '' : `; did you mean ${near}?`}`,
    )
  }
  const [kind] = given
  if (kind === undefined) throw refused('schedule has none of cron, every, fixedDelay, at')
  if (given.length > 1) throw refused(`schedule has ${given.join(' and ')}; only one is allowed`)
  const stray = keys.find((key) => !allowed.includes(key))
  if (stray !== undefined) throw refused(`schedule has ${stray}, which cannot be combined with ${kind}`)
  return { kind, values }
}

function refused(message: string): EvertickError {
  return new EvertickError('invalid_schedule', message, {
    field: 'schedule',
    next: "Give one of { cron, timezone? }, { every, anchor? }, { fixedDelay } or { at }, such as { every: '15m' }.",
  })
}
