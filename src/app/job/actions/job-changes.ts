/** Changes of a job as callers ask for them, and what listeners hear of them. */
import type { Job } from '../../../core/job/job.ts'
import { parseDuration } from '../../../core/schedule/duration.ts'
import { parseInstant } from '../../../core/schedule/instant.ts'
import type { Duration, Instant } from '../../../core/schedule/schedule.ts'
import type { ChangeJobs, JobChange } from '../../../store/store.ts'
import type { AppContext } from '../../app-context.ts'

export interface PauseOptions {
  /** Why. */
  readonly reason?: string
  /** When it ends. */
  readonly until?: Instant | Duration
}

export interface ResumeOptions {
  /** What to do with the ticks missed while it was paused. @default 'skip' */
  readonly catchUp?: 'skip' | 'policy' | 'latest' | 'all'
}

/** What takes no more than a word and these options. */
export type PlainChange = ChangeJobs['change']

export function changeOf(
  kind: PlainChange['kind'],
  { reason, until, catchUp = 'skip' }: PauseOptions & ResumeOptions,
  now: number,
): PlainChange {
  switch (kind) {
    case 'pause':
      return {
        kind,
        ...(reason === undefined ? {} : { reason }),
        ...(until === undefined ? {} : { until: untilInstant(until, now) }),
      }
    case 'resume':
      return { kind, catchUp }
    case 'cancel':
    case 'delete':
      return { kind }
  }
}

/** An instant, or a duration from now on. */
export function untilInstant(until: Instant | Duration, now: number): number {
  if (typeof until === 'number') return now + until
  if (typeof until === 'string' && /^[\d.]+(ms|[smhdw])/.test(until))
    return now + parseDuration(until, 'until')
  return parseInstant(until, 'until')
}

export function tellChange(
  { events }: Pick<AppContext, 'events'>,
  kind: JobChange['kind'],
  job: string,
  pause: Job['pause'],
): void {
  if (kind === 'pause') events.emit('job:paused', { job, reason: pause?.reason ?? null })
  else if (kind === 'resume') events.emit('job:resumed', { job })
  else if (kind === 'delete') events.emit('job:deleted', { job })
  else events.emit('job:updated', { job })
}
