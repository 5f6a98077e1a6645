/** A job's opening hours as they stand in its definition, with its calendar as that was when the revision began. */

import { EvertickError } from '../error.ts'
import { asksHours, type Cause } from '../execution/execution.ts'
import { parseHoursRule } from '../schedule/hours/hours-rule.ts'
import { nextOpenTick } from '../schedule/hours/open-ticks.ts'
import { OpeningHours } from '../schedule/hours/opening-hours.ts'
import type { TickSequence } from '../schedule/schedule.ts'
import type { JobSpec } from './job.ts'
import type { ClosedPolicy } from './policies.ts'

/** What a calendar says. A job keeps its own copy: what held last month is in the revisions, not in the calendar. */
export interface CalendarHours {
  /** Null: of whoever uses it. */
  readonly timezone: string | null
  readonly open: readonly string[]
  readonly closed: readonly string[]
}

export interface JobCalendar extends CalendarHours {
  readonly name: string
  readonly version: number
}

export interface JobWindow {
  readonly hours: OpeningHours
  readonly onClosed: ClosedPolicy
}

type Hours = Pick<JobSpec, 'window' | 'calendar' | 'schedule'>

/** By the option itself, which an edit of anything else leaves as it is. */
const kept = new WeakMap<
  JobSpec['window'],
  { readonly calendar: JobSpec['calendar']; readonly timezone: string; readonly window: JobWindow }
>()

/** Null where a job is always open. */
export function windowOf({ window: written, calendar, schedule }: Hours): JobWindow | null {
  const { open, closed, onClosed } = written
  if (open.length + closed.length === 0 && calendar === undefined) return null
  const timezone = zoneOf({ window: written, schedule })
  const known = kept.get(written)
  if (known !== undefined && known.calendar === calendar && known.timezone === timezone) return known.window
  const layers = [layerOf({ open, closed }, timezone)]
  if (calendar !== undefined) layers.push(layerOf(calendar, calendar.timezone ?? timezone))
  const window = { hours: new OpeningHours(layers), onClosed }
  kept.set(written, { calendar, timezone, window })
  return window
}

export function layerOf({ open, closed }: Pick<CalendarHours, 'open' | 'closed'>, timezone: string) {
  return {
    timezone,
    open: open.map((line) => parseHoursRule(line, 'open')),
    closed: closed.map((line) => parseHoursRule(line, 'closed')),
  }
}

/** The clock that the hours are read on. */
export function zoneOf({ window: { timezone }, schedule }: Pick<Hours, 'window' | 'schedule'>): string {
  if (timezone !== null && timezone !== '') return timezone
  return schedule?.kind === 'cron' ? schedule.timezone : 'UTC'
}

/** An instant, or the opening after it; itself too where none comes. */
export function openFrom(spec: Hours, instant: number): number {
  return windowOf(spec)?.hours.nextOpening(instant) ?? instant
}

/** Until when an execution that is ready then may start, as far as the hours say; null: at any time. */
export function openUntil(spec: Hours, readyAt: number): number | null {
  return windowOf(spec)?.hours.nextClosing(readyAt) ?? null
}

/** When the ticks from an instant on are to be decided: of skipped ones, together with the next that is open. */
export function dueInstant(spec: Hours, sequence: TickSequence, from: number): number | null {
  const tick = sequence.next(from - 1)
  const window = windowOf(spec)
  if (tick === null || window === null) return tick
  const { hours, onClosed } = window
  return (onClosed === 'skip' ? nextOpenTick(sequence, hours, tick) : hours.nextOpening(tick)) ?? tick
}

/** Null, too, where time zone data no longer knows the zone: whoever plans the job's ticks reports it. */
export function knownWindow(spec: Hours): JobWindow | null {
  try {
    return windowOf(spec)
  } catch (error) {
    if (error instanceof EvertickError && error.kind === 'usage') return null
    throw error
  }
}

/** Those that an execution of this cause asks. */
export function hoursFor(spec: Hours, cause: Cause): OpeningHours | null {
  return asksHours(cause) ? (knownWindow(spec)?.hours ?? null) : null
}

export function isClosedAt(spec: Hours, instant: number): boolean {
  const window = windowOf(spec)
  return window !== null && !window.hours.isOpen(instant)
}
