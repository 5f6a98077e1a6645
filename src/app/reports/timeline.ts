/** The runs that overlap a span, newest first: no more of each than a bar in a picture needs. */
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { TimelineRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { pageLimit } from '../config/call-options.ts'
import { type SpanOptions, spanOf } from './span.ts'

export interface TimelineOptions extends SpanOptions {
  /** Of one job only, by id or name. */
  readonly job?: string
  /** Shorter runs that begin so close together are told as one: a picture cannot show them apart. @default none */
  readonly merge?: Duration
  /** @default 500 */
  readonly limit?: number
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string
}

export interface TimelineRun extends Omit<TimelineRow, 'seq' | 'startedAt' | 'finishedAt' | 'scheduledFor'> {
  readonly startedAt: Date
  readonly finishedAt: Date | null
  readonly scheduledFor: Date
  /** With `merge`: of how many it tells; id and `scheduledFor` are those of the newest. */
  readonly count?: number
}

export interface Timeline {
  readonly from: Date
  readonly to: Date
  readonly runs: readonly TimelineRun[]
  readonly nextCursor: string | null
}

const mostDays = 31
/** Finished runs are searched among the executions made since then; a running one is listed whatever its age. */
const lookBackMs = 86_400_000
const mostRows = 200_000

export async function timelineOf({ store }: AppContext, options: TimelineOptions): Promise<Timeline> {
  const { from, to } = spanOf(options, mostDays)
  const { job, cursor, merge } = options
  const limit = pageLimit(options.limit, 500)
  const query = {
    from,
    to,
    lookBackMs,
    maxRows: mostRows,
    ...(job === undefined ? {} : { job }),
    ...(cursor === undefined ? {} : { beforeSeq: placeOf(cursor) }),
  }
  const shown = { from: new Date(from), to: new Date(to) }
  if (merge !== undefined) {
    const slotMs = Math.max(1, parseDuration(merge, 'merge'))
    const { runs, beforeSeq } = await store.executions.mergeTimeline({ ...query, limit, slotMs })
    return { ...shown, runs: runs.map(runView), nextCursor: beforeSeq === null ? null : String(beforeSeq) }
  }
  const rows = await store.executions.readTimeline({ ...query, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? String(page.at(-1)?.seq) : null
  return { ...shown, runs: page.map(runView), nextCursor }
}

function runView({ seq: _, startedAt, finishedAt, scheduledFor, ...run }: TimelineRow): TimelineRun {
  return {
    ...run,
    startedAt: new Date(startedAt),
    finishedAt: finishedAt === null ? null : new Date(finishedAt),
    scheduledFor: new Date(scheduledFor),
  }
}

function placeOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw new EvertickError('invalid_option', 'This cursor does not belong to a timeline.', {
    field: 'cursor',
    next: 'Pass the `nextCursor` of the previous page, or leave it out to start over.',
  })
}
