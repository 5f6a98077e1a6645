/** The rows of the ledger: those that accounting writes, those that executions leave behind, and how they join. */
import type { Job } from '../../../core/job/job.ts'
import { sequenceOfJob } from '../../../core/job/sequence.ts'
import type { TickKind } from '../../../core/tick/account.ts'
import { cutByMonth } from '../../../core/tick/catch-up.ts'
import { countOf, hoursAround, joinRows, type LedgerRow, packRows } from '../../../core/tick/ledger-row.ts'
import { packRuns, unpackRuns } from '../../../core/tick/packed-runs.ts'
import type { TickPlan } from '../../../core/tick/plan-ticks.ts'
import { newestOfEach } from '../jobs/newest-of-each.ts'
import {
  cancelReasonOf,
  finalStateOf,
  number,
  optionalNumber,
  optionalText,
  rangeAccountOf,
  rangeReasonOf,
  text,
} from '../runtime/rows.ts'
import { insertAll, type Row, type RowOf, row, rows, run, type Script } from '../runtime/script.ts'

export interface WrittenRow extends LedgerRow {
  readonly id: number
}

export function ledgerRowFrom(written: Row): WrittenRow {
  const packed = optionalText(written.packed)
  return {
    id: number(written.id),
    from: number(written.from_at),
    to: number(written.to_at),
    runs: packed === null ? [{ kind: kindFrom(written), count: number(written.count) }] : unpackRuns(packed),
    into: optionalNumber(written.into_at),
    executionId: optionalText(written.execution_id),
    revision: number(written.revision),
    tzVersion: text(written.tz_version),
  }
}

/** Of a row that is not packed. */
export function kindFrom({ account, reason, outcome, cancel_reason }: Row): TickKind {
  return {
    account: rangeAccountOf(account),
    reason: reason === null ? null : rangeReasonOf(reason),
    outcome: outcome === null ? null : finalStateOf(outcome),
    cancelReason: cancel_reason === null ? null : cancelReasonOf(cancel_reason),
  }
}

const rangeColumns = {
  job_id: 'uuid',
  from_at: 'number',
  to_at: 'number',
  count: 'number',
  account: 'text',
  reason: 'text',
  outcome: 'text',
  cancel_reason: 'text',
  execution_id: 'uuid',
  into_at: 'number',
  revision: 'number',
  tz_version: 'text',
  packed: 'text',
  created_at: 'number',
} as const

/** The ranges of a plan. They are the newest rows, so that only the last one before them may join. */
export function* insertRanges(
  job: Job,
  { ranges, executions }: Pick<TickPlan, 'ranges' | 'executions'>,
  ids: ReadonlyMap<number, string>,
  now: number,
): Script<void> {
  const [earliest] = ranges
  if (earliest === undefined) return
  const fresh = freshRows(job, ranges, ids)
  const last = yield* row(
    'SELECT * FROM @tick_ranges WHERE job_id = ? AND from_at < ? ORDER BY from_at DESC LIMIT 1',
    job.id,
    earliest.from,
  )
  const before = mayGrow(job, last)
  const kept = executions.map(({ tickAt }) => tickAt)
  const older = before.length === 0 ? null : yield* tickBefore(job.id, earliest.from)
  if (older !== null) kept.unshift(older)
  yield* replaceRows(job.id, before, joinRows([...before, ...fresh], kept), now)
}

function freshRows(job: Job, ranges: TickPlan['ranges'], ids: ReadonlyMap<number, string>): LedgerRow[] {
  return ranges
    .flatMap((range) => cutByMonth(sequenceOfJob(job), range))
    .map(({ from, to, count, account, reason, into }) => ({
      from,
      to,
      runs: [{ kind: { account, reason, outcome: null, cancelReason: null }, count }],
      into,
      executionId: into === null ? null : (ids.get(into) ?? null),
      revision: job.revision,
      tzVersion: job.tzVersion,
    }))
}

/** What the ledger has passed is in the totals: it must not grow any more. */
function mayGrow(job: Job, last: Row | null): WrittenRow[] {
  return last === null || number(last.from_at) < job.ledgerFrom ? [] : [ledgerRowFrom(last)]
}

/** Ranges of a job that has no execution of its own among them. */
export interface RangesOfJob {
  readonly job: Job
  readonly ranges: TickPlan['ranges']
}

const newestRangeText = 'SELECT * FROM @tick_ranges WHERE job_id = ? ORDER BY from_at DESC LIMIT 1'

/** The same for many jobs: few of them go on where their last row ended. */
export function* insertRangesOfMany(many: readonly RangesOfJob[], now: number): Script<void> {
  const newest = yield* newestOfEach(
    many.map(({ job }) => job.id),
    newestRangeText,
  )
  const last = new Map(newest.map((written) => [text(written.job_id), written]))
  const apart: RowOf<typeof rangeColumns>[] = []
  for (const { job, ranges } of many) {
    const fresh = freshRows(job, ranges, new Map())
    const [before] = mayGrow(job, last.get(job.id) ?? null)
    const isApart =
      before === undefined ||
      (before.to < (fresh[0]?.from ?? 0) && joinRows([before, ...fresh], []).includes(before))
    if (isApart) apart.push(...joinRows(fresh, []).map((one) => columnsOf(job.id, one, now)))
    else yield* insertRanges(job, { ranges, executions: [] }, new Map(), now)
  }
  yield* insertAll('tick_ranges', rangeColumns, apart)
}

/** Rows for ticks whose executions are gone: they join with what is beside them, and a varied hour is packed. */
export function* insertFolded(job: Job, fresh: readonly LedgerRow[], now: number): Script<void> {
  const [first, last] = [fresh[0], fresh.at(-1)]
  if (first === undefined || last === undefined) return
  const { from, until } = hoursAround(first.from, last.to)
  const around = [
    ...(yield* rows(
      `SELECT * FROM @tick_ranges WHERE job_id = ? AND from_at >= ? AND from_at < ? ORDER BY from_at DESC LIMIT 1`,
      job.id,
      job.ledgerFrom,
      from,
    )),
    ...(yield* rows(
      'SELECT * FROM @tick_ranges WHERE job_id = ? AND from_at >= ? AND from_at < ? ORDER BY from_at',
      job.id,
      Math.max(from, job.ledgerFrom),
      until,
    )),
    ...(yield* rows(
      'SELECT * FROM @tick_ranges WHERE job_id = ? AND from_at >= ? ORDER BY from_at LIMIT 1',
      job.id,
      until,
    )),
  ].map(ledgerRowFrom)
  const all = [...around, ...fresh].sort((a, b) => a.from - b.from)
  const kept = yield* keptTicks(job.id, from, until)
  const after = packRows(joinRows(all, kept), kept)
  if (ticksOf(after) !== ticksOf(around) + ticksOf(fresh)) {
    throw new Error(`A fold of job ${job.name} would lose ticks.`)
  }
  yield* replaceRows(job.id, around, after, now)
}

function ticksOf(ledgerRows: readonly LedgerRow[]): number {
  return ledgerRows.reduce((sum, one) => sum + countOf(one), 0)
}

/** The ticks that have executions: of a span, and the nearest on either side of it. */
function* keptTicks(jobId: string, from: number, until: number): Script<number[]> {
  const within = yield* rows(
    'SELECT tick_at FROM @job_executions WHERE job_id = ? AND tick_at >= ? AND tick_at < ? ORDER BY tick_at',
    jobId,
    from,
    until,
  )
  const before = yield* tickBefore(jobId, from)
  const after = yield* row(
    'SELECT min(tick_at) AS tick_at FROM @job_executions WHERE job_id = ? AND tick_at >= ?',
    jobId,
    until,
  )
  return [before, ...within.map(({ tick_at }) => number(tick_at)), optionalNumber(after?.tick_at)].filter(
    (tick) => tick !== null,
  )
}

function* tickBefore(jobId: string, at: number): Script<number | null> {
  const before = yield* row(
    'SELECT max(tick_at) AS tick_at FROM @job_executions WHERE job_id = ? AND tick_at < ?',
    jobId,
    at,
  )
  return optionalNumber(before?.tick_at)
}

/** Rows that are in both stay as they are. */
function* replaceRows(
  jobId: string,
  before: readonly WrittenRow[],
  after: readonly LedgerRow[],
  now: number,
): Script<void> {
  const staying = new Set<LedgerRow>(after)
  const gone = before.filter((written) => !staying.has(written))
  if (gone.length > 0) {
    const deleted = yield* run(
      'DELETE FROM @tick_ranges WHERE id IN ?*',
      gone.map(({ id }) => id),
    )
    if (deleted !== gone.length) throw new Error('A range changed while its job was held.')
  }
  const known = new Set<LedgerRow>(before)
  yield* insertAll(
    'tick_ranges',
    rangeColumns,
    after.filter((one) => !known.has(one)).map((one) => columnsOf(jobId, one, now)),
  )
}

function columnsOf(jobId: string, ledgerRow: LedgerRow, now: number): RowOf<typeof rangeColumns> {
  const { from, to, runs, into, executionId, revision, tzVersion } = ledgerRow
  const [first, ...more] = runs
  const kind = more.length === 0 ? first?.kind : undefined
  return {
    job_id: jobId,
    from_at: from,
    to_at: to,
    count: countOf(ledgerRow),
    account: kind?.account ?? 'mixed',
    reason: kind?.reason ?? null,
    outcome: kind?.outcome ?? null,
    cancel_reason: kind?.cancelReason ?? null,
    execution_id: executionId,
    into_at: into,
    revision,
    tz_version: tzVersion,
    packed: kind === undefined ? packRuns(runs) : null,
    created_at: now,
  }
}
