/** Crons whose ticks are evenly spaced for ever, as intervals with the very same ticks; the others for a person. */
import type { Job } from '../core/job/job.ts'
import { sequenceOfJob } from '../core/job/sequence.ts'
import { cronToInterval } from '../core/schedule/cron-to-interval.ts'
import { intervalSequence } from '../core/schedule/interval-sequence.ts'
import type { Duration, IntervalSchedule } from '../core/schedule/schedule.ts'
import { zoneOffsets } from '../core/schedule/timezone.ts'

export interface ConvertedJob {
  readonly job: string
  readonly cron: string
  readonly every: Duration
}

export interface ManualJob {
  readonly job: string
  readonly cron: string
  readonly why: string
}

export type Conversion =
  | { readonly kind: 'converted'; readonly schedule: IntervalSchedule; readonly report: ConvertedJob }
  | { readonly kind: 'manual'; readonly report: ManualJob }

/** How far ahead changes of the clock are looked for. */
const horizonMs = 10 * 366 * 86_400_000

/** null where the job has no cron. */
export function conversionOf(job: Job, now: number): Conversion | null {
  const { schedule } = job.spec
  if (schedule?.kind !== 'cron') return null
  const { cron, timezone } = schedule
  const manual = (why: string): Conversion => ({ kind: 'manual', report: { job: job.name, cron, why } })
  const interval = cronToInterval(cron)
  if (interval.kind === 'cron') return manual(interval.reason)
  const ticks = sequenceOfJob(job)
  const first = ticks.next(now)
  if (first === null) return manual('it has no tick to come')
  // Between two changes of the clock the cron is an interval; so it is one for ever if no change shifts its ticks.
  const same = intervalSequence(interval.everyMs, first)
  const zone = zoneOffsets(timezone)
  for (let at = zone.segmentAt(now).endAt; at < now + horizonMs; at = zone.segmentAt(at).endAt) {
    if (
      ticks.next(at - interval.everyMs) === same.next(at - interval.everyMs) &&
      ticks.next(at) === same.next(at)
    )
      continue
    const day = new Date(at).toISOString().slice(0, 10)
    return manual(`it keeps the clock of ${timezone}, which changes on ${day}; an interval would not`)
  }
  const { every, everyMs } = interval
  const anchor = first % everyMs === 0 ? 'epoch' : new Date(first).toISOString()
  return { kind: 'converted', schedule: { every, anchor }, report: { job: job.name, cron, every } }
}
