/**
 * Crons whose ticks are evenly spaced for ever, as intervals with the very same ticks; the others for a person. The cron
 * is kept with the job, so that there is a way back.
 */
import type { Job } from '../../../core/job/job.ts'
import { sequenceOfJob } from '../../../core/job/sequence.ts'
import { cronToInterval } from '../../../core/schedule/cron/cron-to-interval.ts'
import { durationText, formatDuration } from '../../../core/schedule/duration.ts'
import { intervalSequence } from '../../../core/schedule/interval-sequence.ts'
import type { Duration, Schedule } from '../../../core/schedule/schedule.ts'
import { zoneOffsets } from '../../../core/schedule/timezone.ts'
import { keptOf, type Metadata, withKept } from './legacy-kept.ts'

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
  | {
      readonly kind: 'converted'
      readonly changes: { readonly schedule: Schedule; readonly metadata: Metadata }
      readonly report: ConvertedJob
    }
  | { readonly kind: 'manual'; readonly report: ManualJob }

/** Both ways. */
export interface ConvertReport {
  readonly converted: number
  /** The crons and the intervals of the jobs that were converted. */
  readonly intervals: readonly ConvertedJob[]
  readonly manual: readonly ManualJob[]
}

export async function convertJobs(
  jobs: readonly Job[],
  { back, now }: { readonly back: boolean; readonly now: number },
  change: (job: Job, changes: Extract<Conversion, { kind: 'converted' }>['changes']) => Promise<void>,
): Promise<ConvertReport> {
  const intervals: ConvertedJob[] = []
  const manual: ManualJob[] = []
  for (const job of jobs) {
    const conversion = back ? restorationOf(job) : conversionOf(job, now)
    if (conversion?.kind === 'manual') manual.push(conversion.report)
    if (conversion?.kind !== 'converted') continue
    await change(job, conversion.changes)
    intervals.push(conversion.report)
  }
  return { converted: intervals.length, intervals, manual }
}

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
  if (first === null) return manual('it has no more ticks')
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
    return manual(`it follows the clock of ${timezone}, which changes on ${day}; an interval does not`)
  }
  const { every, everyMs } = interval
  const anchor = first % everyMs === 0 ? 'epoch' : new Date(first).toISOString()
  const kept = { ...keptOf(job.spec.metadata), schedule_time: cron, timezone, every: everyMs }
  const metadata = withKept(job.spec.metadata, kept)
  return {
    kind: 'converted',
    changes: { schedule: { every, anchor }, metadata },
    report: { job: job.name, cron, every },
  }
}

/** The way back; null where the job keeps no cron. One whose schedule was changed since is for a person. */
export function restorationOf(job: Job): Conversion | null {
  const { schedule, metadata } = job.spec
  const { schedule_time: cron, timezone, every: everyMs, ...kept } = keptOf(metadata)
  if (cron === undefined) return null
  const manual = (why: string): Conversion => ({ kind: 'manual', report: { job: job.name, cron, why } })
  if (schedule?.kind !== 'every') return manual('it is no longer an interval: its schedule has changed')
  if (schedule.everyMs !== everyMs) {
    return manual(`its interval has changed to ${formatDuration(schedule.everyMs)}`)
  }
  const every = durationText(everyMs)
  return {
    kind: 'converted',
    changes: {
      schedule: timezone === undefined ? { cron } : { cron, timezone },
      metadata: withKept(metadata, kept),
    },
    report: { job: job.name, cron, every },
  }
}
