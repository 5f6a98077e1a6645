/** A schedule in words, with its next instants and what a person should know of it. Needs no database. */
import type { JobOptions } from '../../core/job/options.ts'
import { storedOptions } from '../../core/job/options-codec.ts'
import { upcomingOf } from '../../core/job/upcoming.ts'
import type { JobCalendar } from '../../core/job/window.ts'
import { describeSchedule } from '../../core/schedule/describe-schedule.ts'
import { intervalSequence } from '../../core/schedule/interval-sequence.ts'
import type { Schedule } from '../../core/schedule/schedule.ts'
import { parseSchedule, sequenceOf } from '../../core/schedule/schedule-spec.ts'
import { scheduleWarnings } from '../../core/schedule/schedule-warnings.ts'
import { type ClosedTime, closedTime } from './closed-time.ts'

export interface SchedulePreview {
  readonly description: string
  readonly next: readonly Date[]
  readonly warnings: readonly string[]
  /** Closed times among the next instants. */
  readonly closed: readonly ClosedTime[]
}

export interface PreviewOptions {
  readonly from: Date
  readonly count: number
  readonly name?: string
  readonly window?: NonNullable<JobOptions['window']>
  /** What the calendar of the window says. */
  readonly calendar?: JobCalendar
}

/** The instants after `from`, which is also where an interval that names no anchor begins. */
export function previewSchedule(
  schedule: Schedule,
  { from, count, name, window: written = {}, calendar }: PreviewOptions,
): SchedulePreview {
  const named = name === undefined ? {} : { name }
  const spec = parseSchedule(schedule, { createdAt: from.getTime(), hashKey: name })
  const { window } = storedOptions({ window: written })
  const hours = { window, schedule: spec, ...(calendar === undefined ? {} : { calendar }) }
  const ticks =
    spec.kind === 'fixed_delay'
      ? intervalSequence(spec.delayMs, from.getTime())
      : sequenceOf(spec, { hashKey: name })
  const { starts, closed } = upcomingOf(hours, ticks, from.getTime(), count)
  return {
    description: describeSchedule(schedule, named),
    next: starts.map((at) => new Date(at)),
    closed: closed.map(closedTime),
    warnings: scheduleWarnings(spec, from.getTime(), name),
  }
}
