/** A job's ticks by day and hour in a time zone. Each tick is in exactly one count. */
import { isFinal } from '../../core/execution/execution-state.ts'
import { countWithin } from '../../core/history/spread.ts'
import type { Job } from '../../core/job/job.ts'
import { nominalSequence } from '../../core/job/sequence.ts'
import { type LocalHour, localHours } from '../../core/schedule/local-hours.ts'
import type { TickSequence } from '../../core/schedule/schedule.ts'
import { parseTimezone, zoneOffsets } from '../../core/schedule/timezone.ts'
import type { TickRange } from '../../core/tick/account.ts'
import type { TickCell } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { Slice } from '../slice.ts'
import { type SpanOptions, spanOf } from './span.ts'

export interface HeatmapOptions extends SpanOptions {
  /** The zone of the days. @default the job's, or that of the configuration */
  readonly timezone?: string
}

const noCounts = {
  ran: 0,
  late: 0,
  caughtUp: 0,
  failed: 0,
  cancelled: 0,
  running: 0,
  coalesced: 0,
  skipped: 0,
}
type Counts = typeof noCounts

export interface HeatmapHour extends Readonly<Counts> {
  readonly at: Date
  readonly hour: number
}

export interface Heatmap {
  readonly job: string
  readonly timezone: string
  /** A day of 23 or 25 hours has as many. */
  readonly days: readonly { readonly day: string; readonly hours: readonly HeatmapHour[] }[]
}

const mostDays = 400
/** Every zone's hours begin at a whole one. */
const slotMs = 900_000
/** A run that begins later than this after its tick counts as late. */
const lateMs = 60_000

export async function heatmapOf(app: AppContext, job: Job, options: HeatmapOptions): Promise<Heatmap> {
  const { from, to } = spanOf(options, mostDays)
  const own = job.spec.schedule?.kind === 'cron' ? job.spec.schedule.timezone : app.timezone
  const timezone = parseTimezone(options.timezone ?? own, 'timezone')
  const hours = localHours(zoneOffsets(timezone), from, to).map((hour) => ({
    ...hour,
    counts: { ...noCounts },
  }))
  const { cells, ranges } = await app.store.ticks.countTicks(job.id, from, to, slotMs, lateMs)
  for (const cell of cells) {
    const hour = hours[indexAt(hours, Math.max(cell.at, from))]
    if (hour !== undefined) hour.counts[countOf(cell)] += cell.count
  }
  const sequence = evaluated(job)
  const slice = new Slice(app.rest)
  for (const range of ranges) {
    const within = shareOf(range, sequence)
    for (let index = indexAt(hours, Math.max(range.from, from)); index < hours.length; index += 1) {
      const hour = hours[index]
      if (hour === undefined || hour.startAt > range.to) break
      hour.counts[countOfRange(range)] += within(Math.max(hour.startAt, from), Math.min(hour.endAt, to))
      await slice.took(1)
    }
  }
  const days = Map.groupBy(hours, ({ day }) => day)
  return {
    job: job.name,
    timezone,
    days: [...days].map(([day, ofDay]) => ({
      day,
      hours: ofDay.map(({ startAt, hour, counts }) => ({ at: new Date(startAt), hour, ...counts })),
    })),
  }
}

function countOf({ account, state, late }: TickCell): keyof Counts {
  if (!isFinal(state)) return 'running'
  if (state !== 'completed') return state === 'failed' ? 'failed' : 'cancelled'
  if (account === 'caught_up') return 'caughtUp'
  return late ? 'late' : 'ran'
}

/** Whether a run whose details are no longer kept began late is not known: it ran. */
function countOfRange({ account, outcome }: TickRange): keyof Counts {
  if (outcome === 'failed' || outcome === 'cancelled') return outcome
  if (account === 'caught_up') return 'caughtUp'
  return account === 'fired' ? 'ran' : account
}

/** Spreads a range over hours: by its own ticks if the schedule is unchanged, else evenly. */
function shareOf(range: TickRange, sequence: TickSequence | null): (from: number, to: number) => number {
  if (sequence === null || sequence.count(range.from, range.to + 1) !== range.count) {
    return (from, to) => countWithin(range, from, to)
  }
  return (from, to) => {
    const [begin, end] = [Math.max(from, range.from), Math.min(to, range.to + 1)]
    return begin < end ? sequence.count(begin, end) : 0
  }
}

function evaluated({ name, spec }: Job): TickSequence | null {
  try {
    return nominalSequence(name, spec)
  } catch {
    return null
  }
}

/** The hour that contains an instant, by binary search. */
function indexAt(hours: readonly LocalHour[], at: number): number {
  let low = 0
  let high = hours.length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((hours[middle]?.endAt ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}
