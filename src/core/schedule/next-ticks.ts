import { EvertickError } from '../error.ts'
import { parseInstant } from './instant.ts'
import { intervalSequence } from './interval-sequence.ts'
import type { Instant, Schedule, TickSequence } from './schedule.ts'
import { parseSchedule, sequenceOf } from './schedule-spec.ts'

interface TickListOptions {
  /** Exclusive. The anchor, too, of an interval that names none. */
  readonly from: Instant
  /** At most this many, 1 to 100,000. */
  readonly count: number
  /** The job's name: needed where the cron has an `H`. */
  readonly name?: string
}

export interface NextTicksOptions extends TickListOptions {
  /** Exclusive. @default no end */
  readonly until?: Instant
}

export interface PreviousTicksOptions extends TickListOptions {
  /** Inclusive. @default no start */
  readonly since?: Instant
}

const maxCount = 100_000

/**
 * The next due instants of a schedule after `from`, oldest first. No database, no clock.
 * For `fixedDelay` they are an estimate, `from + k * delay`: in fact each one waits for the previous run to end.
 */
export function nextTicks(schedule: Schedule, options: NextTicksOptions): Date[] {
  const { sequence, from } = listed(schedule, options)
  const until = options.until === undefined ? Number.POSITIVE_INFINITY : parseInstant(options.until, 'until')
  const ticks: Date[] = []
  for (let tick = sequence.next(from); tick !== null && tick < until; tick = sequence.next(tick)) {
    ticks.push(new Date(tick))
    if (ticks.length === options.count) break
  }
  return ticks
}

/** The due instants of a schedule before `from`, newest first; the same estimate for `fixedDelay`. */
export function previousTicks(schedule: Schedule, options: PreviousTicksOptions): Date[] {
  const { sequence, from } = listed(schedule, options)
  const since = options.since === undefined ? Number.NEGATIVE_INFINITY : parseInstant(options.since, 'since')
  const ticks: Date[] = []
  for (let tick = sequence.previous(from); tick !== null && tick >= since; tick = sequence.previous(tick)) {
    ticks.push(new Date(tick))
    if (ticks.length === options.count) break
  }
  return ticks
}

function listed(schedule: Schedule, options: TickListOptions): { sequence: TickSequence; from: number } {
  const { count, name } = options
  if (!Number.isInteger(count) || count < 1 || count > maxCount) {
    throw new EvertickError('invalid_option', `count must be a whole number from 1 to ${maxCount}`, {
      field: 'count',
      next: 'Say how many ticks to list, such as count: 10.',
    })
  }
  const from = parseInstant(options.from, 'from')
  const spec = parseSchedule(schedule, { createdAt: from, hashKey: name })
  const sequence =
    spec.kind === 'fixed_delay' ? intervalSequence(spec.delayMs, from) : sequenceOf(spec, { hashKey: name })
  return { sequence, from }
}
