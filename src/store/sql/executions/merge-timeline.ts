/**
 * A timeline in which short runs that stand too close together are one, however many there are: the database adds them up
 * by slots, a stretch of the primary key at a time, and slots that touch are joined here.
 */
import type { MergedRun, MergedTimeline, MergeQuery } from '../../store.ts'
import { number, text } from '../runtime/rows.ts'
import { countedRows, type Row, rows, type Script } from '../runtime/script.ts'
import { Where } from '../runtime/where.ts'
import { withRests } from '../steps/step-rows.ts'
import { jobIdOf } from './list-executions.ts'
import { heldRuns, stretch, timelineRow } from './read-activity.ts'

/**
 * What lasts as long as a slot, or has not ended, stands by itself. What differs most comes last in the GROUP BY: by that
 * MariaDB's temporary table tells its rows apart, and with the job first a stretch took 18 ms, now 5 (SQLite and
 * PostgreSQL are as fast either way).
 */
const mergedText = (where: string) => `
  SELECT job_id, leased_by, state, cause, slot, count(*) AS n, max(seq) AS seq,
    max(CAST(id AS CHAR(36))) AS id,
    min(started_at) AS started_at, max(finished_at) AS finished_at, max(scheduled_for) AS scheduled_for,
    max(attempt) AS attempt
  FROM (SELECT e.job_id, e.leased_by, e.state, e.cause, e.seq, e.id, e.started_at, e.finished_at, e.scheduled_for, e.attempt,
      e.started_at - e.started_at % ? AS slot,
      CASE WHEN e.finished_at - e.started_at < ? THEN 0 ELSE e.seq END AS own
    FROM @job_executions e WHERE ${where}) shown
  GROUP BY leased_by, cause, state, own, slot, job_id`

export function* mergeTimeline(query: MergeQuery): Script<MergedTimeline> {
  const { from, to, job, limit, beforeSeq, lookBackMs, maxRows, slotMs } = query
  const { wanted, high } = yield* stretch(from, to, lookBackMs, maxRows)
  const top = Math.min(high, beforeSeq ?? high)
  const low = Math.max(wanted, top - maxRows)
  const jobId = job === undefined ? null : yield* jobIdOf(job)
  let merged: Slots[] = []
  let end = top
  while (end > low && merged.length < limit) {
    const begin = Math.max(low, end - countedRows)
    const where = new Where('e.seq >= ? AND e.seq < ?')
    where.params.push(begin, end)
    if (jobId !== null) where.and('e.job_id = ?', jobId)
    where.and('e.started_at < ? AND (e.finished_at >= ? OR e.finished_at IS NULL)', to, from)
    const slots = yield* rows(mergedText(where.text), slotMs, slotMs, ...where.params)
    merged = joined([...merged, ...slots.map((slot) => slotsOf(slot, slotMs))], slotMs)
    end = begin
  }
  const isWhole = end <= wanted
  // What still runs may be much older.
  const held = isWhole ? yield* heldRuns({ below: wanted, to, limit, jobId }) : []
  const runs = yield* withRests([...merged.map(({ run }) => run), ...held.map(mergedRun)])
  const names = yield* namesOf(runs)
  return {
    runs: runs
      .map((run) => ({ ...run, job: names.get(run.jobId) ?? '' }))
      .toSorted((a, b) => b.startedAt - a.startedAt),
    beforeSeq: isWhole ? null : end,
  }
}

/** The runs of some slots that touch. */
interface Slots {
  readonly first: number
  readonly last: number
  readonly mayJoin: boolean
  readonly run: MergedRun
}

function slotsOf(row: Row, slotMs: number): Slots {
  const run = mergedRun(row)
  const { startedAt, finishedAt } = run
  const mayJoin = run.count > 1 || (finishedAt !== null && finishedAt - startedAt < slotMs)
  return { first: number(row.slot), last: number(row.slot), mayJoin, run }
}

function joined(all: readonly Slots[], slotMs: number): Slots[] {
  const lines = Map.groupBy(all, ({ mayJoin, run: { seq, jobId, nodeId, state, cause } }) =>
    mayJoin ? `${jobId} ${nodeId} ${state} ${cause}` : seq,
  )
  return [...lines.values()].flatMap((line) => {
    const apart: Slots[] = []
    for (const next of line.toSorted((a, b) => a.first - b.first)) {
      const last = apart.at(-1)
      if (last === undefined || next.first - last.last > slotMs) apart.push(next)
      else apart[apart.length - 1] = sumOf(last, next)
    }
    return apart
  })
}

function sumOf(one: Slots, next: Slots): Slots {
  const newest = one.run.seq > next.run.seq ? one.run : next.run
  const run = {
    ...newest,
    count: one.run.count + next.run.count,
    startedAt: Math.min(one.run.startedAt, next.run.startedAt),
    finishedAt: Math.max(one.run.finishedAt ?? 0, next.run.finishedAt ?? 0),
    attempt: Math.max(one.run.attempt, next.run.attempt),
  }
  return { first: one.first, last: Math.max(one.last, next.last), mayJoin: true, run }
}

function* namesOf(runs: readonly MergedRun[]): Script<ReadonlyMap<string, string>> {
  const ids = [...new Set(runs.map(({ jobId }) => jobId))]
  const jobs = yield* rows('SELECT id, name FROM @jobs WHERE id IN ?*', ids)
  return new Map(jobs.map(({ id, name }) => [text(id), text(name)]))
}

/** Its job's name is read once for all. */
function mergedRun(written: Row): MergedRun {
  return { ...timelineRow(written), count: number(written.n ?? 1) }
}
