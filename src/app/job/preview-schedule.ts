/** A schedule in words, with its next instants and what a person should know of it. Needs no database. */
import { describeSchedule } from '../../core/schedule/describe-schedule.ts'
import { nextTicks } from '../../core/schedule/next-ticks.ts'
import type { Schedule } from '../../core/schedule/schedule.ts'
import { parseSchedule } from '../../core/schedule/schedule-spec.ts'
import { scheduleWarnings } from '../../core/schedule/schedule-warnings.ts'

export interface SchedulePreview {
  readonly description: string
  readonly next: readonly Date[]
  readonly warnings: readonly string[]
}

/** The instants after `from`, which is also where an interval that names no anchor begins. */
export function previewSchedule(
  schedule: Schedule,
  { from, count, name }: { from: Date; count: number; name?: string },
): SchedulePreview {
  const named = name === undefined ? {} : { name }
  const spec = parseSchedule(schedule, { createdAt: from.getTime(), hashKey: name })
  return {
    description: describeSchedule(schedule, named),
    next: nextTicks(schedule, { from, count, ...named }),
    warnings: scheduleWarnings(spec, from.getTime(), name),
  }
}
