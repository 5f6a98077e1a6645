/** The parts of a job's definition that have their own column, because a statement needs them. */
import { handlerKey } from '../../../core/job/handler.ts'
import { lateAfterMs } from '../../../core/job/health.ts'
import type { Job, JobSpec } from '../../../core/job/job.ts'
import { optionalNumber } from '../runtime/rows.ts'
import type { Columns, Row, RowOf } from '../runtime/script.ts'

export const specColumnTypes = {
  spec: 'text',
  handler: 'text',
  queue: 'text',
  priority: 'number',
  overlap: 'text',
  max_attempts: 'number',
  schedule_kind: 'text',
  timezone: 'text',
  delay_ms: 'number',
  start_deadline_ms: 'number',
  late_ms: 'number',
} as const satisfies Columns

export function specColumns(spec: JobSpec): RowOf<typeof specColumnTypes> {
  const { schedule } = spec
  return {
    spec: JSON.stringify(spec),
    handler: handlerKey(spec.handler),
    queue: spec.queue,
    priority: spec.priority,
    overlap: spec.overlap,
    max_attempts: spec.retry.attempts,
    start_deadline_ms: spec.startDeadlineMs,
    schedule_kind: schedule?.kind ?? null,
    timezone: schedule?.kind === 'cron' ? schedule.timezone : null,
    // The end of every tick asks for it.
    delay_ms: schedule?.kind === 'fixed_delay' ? schedule.delayMs : null,
    late_ms: lateAfterMs(spec),
  }
}

export function pauseColumns({ pause }: Pick<Job, 'pause'>) {
  return {
    paused_at: pause?.at ?? null,
    paused_until: pause?.until ?? null,
    paused_reason: pause?.reason ?? null,
    paused_by: pause?.by ?? null,
  }
}

/** What an enqueue takes from the row of its job. */
export const enqueueColumns = 'id, name, state, handler, queue, priority, max_attempts, start_deadline_ms'

/** Until when an execution may start; null where it may at any time. */
export function startBy(
  readyAt: number,
  { startDeadlineMs }: Pick<JobSpec, 'startDeadlineMs'>,
): number | null {
  return startDeadlineMs === null ? null : readyAt + startDeadlineMs
}

/** The same from the row of its job. */
export function startByRow(readyAt: number, job: Row): number | null {
  return startBy(readyAt, { startDeadlineMs: optionalNumber(job.start_deadline_ms) })
}

/** The same inside a statement, where the job is `j`. */
export const startByText = (readyAt: string) => `${readyAt} + j.start_deadline_ms`
