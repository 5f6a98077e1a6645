/** A job's lane: read before anything is placed in it, and moved on after anything in it has ended. */

import { isCircuitOpen } from '../../../core/alert/circuit.ts'
import type { Cause } from '../../../core/execution/execution.ts'
import {
  type ActiveExecution,
  type BlockedExecution,
  type Lane,
  releaseBlocked,
} from '../../../core/execution/overlap.ts'
import { handlerKey } from '../../../core/job/handler.ts'
import type { Job } from '../../../core/job/job.ts'
import type { ReleaseAt } from '../../store.ts'
import { activeStateOf, causeOf, number, optionalNumber, text } from '../runtime/rows.ts'
import { type Row, row, rows, run, type Script } from '../runtime/script.ts'
import { closeLane, laneReach } from './hours.ts'
import { isActive } from './states.ts'

/** Held, too: a claim needs no job's row, and must not take what was just found to be free to step back. */
const activeText = `
  SELECT job_id, id, state, cause, tick_at, ready_at FROM @live_executions /* lane */
  WHERE job_id IN ?* AND ${isActive} AND cause <> 'enqueue' ORDER BY seq FOR UPDATE`

/** By cause, as the index of what is blocked has them: else SQLite reads the whole history of a job, and finds none. */
const anyBlockedText = `
  SELECT id FROM @live_executions WHERE job_id = ? AND state = 'blocked' AND waits_for IS NULL ORDER BY cause LIMIT 1`

const blockedCountText = `
  SELECT job_id, cause, count(*) AS blocked FROM @live_executions
  WHERE job_id IN ?* AND state = 'blocked' AND waits_for IS NULL GROUP BY job_id, cause`

/** The same of a job with opening hours: ticks that wait for the opening are nobody's turn. */
const openCountText = `
  SELECT job_id, cause, count(*) AS blocked FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND waits_for IS NULL AND (cause <> 'schedule' OR ready_at < ?)
  GROUP BY job_id, cause`

/** The few that wait are sorted: in the order of an index they are looked for in the whole history of the job. */
const waitingText = `
  SELECT id, ready_at FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND waits_for IS NULL AND cause IN ('schedule', 'manual', 'dependency')
  ORDER BY seq + 0 LIMIT ?`

const openWaitingText = `
  SELECT id, ready_at FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND waits_for IS NULL
    AND (cause IN ('manual', 'dependency') OR cause = 'schedule' AND ready_at < ?)
  ORDER BY seq + 0 LIMIT ?`

/** The first tick that waits for an opening. */
const openingText = `
  SELECT min(ready_at) AS at FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND cause = 'schedule' AND ready_at >= ?`

/** Catch-up before backfill, oldest first; what waits for its retry lets the others pass. */
const chainHeadText = `
  SELECT id, ready_at FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND cause = ? AND ready_at <= ? ORDER BY seq LIMIT 1`

const chainTimeText = `
  SELECT id, ready_at FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND cause IN ('catch_up', 'backfill') ORDER BY ready_at LIMIT 1`

/** In closed time no catch-up is anybody's turn. */
const closedChainTimeText = `
  SELECT id, ready_at FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND (cause = 'backfill' OR cause = 'catch_up' AND ready_at > ?)
  ORDER BY ready_at LIMIT 1`

export function* loadLane(job: Job, now: number): Script<Lane> {
  return laneOf(job, yield* loadLanes([job], now))
}

/** The lanes of jobs whose rows are held, by job. */
export type Lanes = ReadonlyMap<string, LaneContents>
type LaneContents = Pick<Lane, 'active' | 'waiting' | 'waitingTicks' | 'chained'>

const emptyLane: LaneContents = { active: [], waiting: 0, waitingTicks: 0, chained: 0 }

/** Two statements, however many jobs. `allow` never counts, so that its ticks cost nothing beside the insert. */
export function* loadLanes(jobs: readonly Job[], now: number): Script<Lanes> {
  const laned = jobs.filter(({ spec }) => spec.overlap !== 'allow')
  const ids = laned.map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const active = Map.groupBy(yield* rows(activeText, ids), ({ job_id }) => text(job_id))
  const blocked = Map.groupBy(yield* rows(blockedCountText, ids), ({ job_id }) => text(job_id))
  for (const job of laned) {
    const reach = blocked.has(job.id) ? laneReach(job, now) : null
    if (reach !== null) blocked.set(job.id, yield* rows(openCountText, job.id, reach))
  }
  const lanes = new Map<string, LaneContents>()
  for (const id of new Set([...active.keys(), ...blocked.keys()])) {
    const blockedBy = (...causes: Cause[]) =>
      (blocked.get(id) ?? [])
        .filter((counted) => causes.includes(causeOf(counted.cause)))
        .reduce((sum, counted) => sum + number(counted.blocked), 0)
    lanes.set(id, {
      active: (active.get(id) ?? []).map(activeFrom),
      waiting: blockedBy('schedule', 'manual', 'dependency'),
      waitingTicks: blockedBy('schedule', 'dependency'),
      chained: blockedBy('catch_up', 'backfill'),
    })
  }
  return lanes
}

export function laneOf({ id, spec, chainYields }: Job, lanes: Lanes): Lane {
  const { overlap, maxConcurrent } = spec
  return { overlap, maxConcurrent, chainYields, ...(lanes.get(id) ?? emptyLane) }
}

/** Those of these jobs that have something blocked. */
export function* jobsWithBlocked(jobIds: readonly string[]): Script<ReadonlySet<string>> {
  if (jobIds.length === 0) return new Set()
  return new Set((yield* rows(blockedCountText, jobIds)).map(({ job_id }) => text(job_id)))
}

/** Whether something of the job waits, nothing runs, and no node has its handler: rare, so the read is, too. */
export function* isHeldBack({ spec }: Job, { active }: Lane): Script<boolean> {
  if (active.length === 0 || active.some(({ state }) => state === 'running')) return false
  const handler = handlerKey(spec.handler)
  return (yield* row('SELECT handler FROM @node_handlers WHERE handler = ? LIMIT 1', handler)) === null
}

function activeFrom(active: Row): ActiveExecution {
  return {
    id: text(active.id),
    state: activeStateOf(active.state),
    cause: causeOf(active.cause),
    tickAt: optionalNumber(active.tick_at),
    readyAt: number(active.ready_at),
  }
}

/** Releases what may go; says when to come again where only time keeps the chain blocked. */
export function* settleLane(
  job: Pick<Job, 'id' | 'spec' | 'chainYields' | 'pause'>,
  now: number,
): Script<ReleaseAt[]> {
  // Nearly always nothing is blocked: one look at a small index replaces four.
  if ((yield* row(anyBlockedText, job.id)) === null) return []
  if (job.spec.overlap === 'allow') {
    yield* run(
      `UPDATE @live_executions SET state = 'pending' WHERE job_id = ? AND state = 'blocked' AND waits_for IS NULL`,
      job.id,
    )
    return []
  }
  yield* closeLane(job, now)
  const reach = laneReach(job, now)
  const found =
    reach === null
      ? yield* rows(waitingText, job.id, job.spec.maxConcurrent)
      : yield* rows(openWaitingText, job.id, reach, job.spec.maxConcurrent)
  const waiting = found.map(blockedFrom)
  const head = isCircuitOpen(job.pause) ? null : yield* headOfChain(job.id, now, reach === 0)
  const atOpening = reach === null ? [] : yield* releaseAtOpening(job.id, reach)
  if (waiting.length === 0 && head === null) return atOpening

  const active = (yield* rows(activeText, [job.id])).map(activeFrom)
  const lane = { maxConcurrent: job.spec.maxConcurrent, chainYields: job.chainYields, active }
  const release = releaseBlocked(lane, waiting, head === null ? null : blockedFrom(head), now)
  if (release.ids.length > 0) {
    yield* run(
      `UPDATE @live_executions SET state = 'pending' WHERE state = 'blocked' AND id IN ?*`,
      release.ids,
    )
  }
  if (release.chainYields !== job.chainYields) {
    yield* run('UPDATE @jobs SET chain_yields = ? WHERE id = ?', release.chainYields, job.id)
  }
  const [opening] = atOpening
  const at = Math.min(release.releaseAt ?? Number.POSITIVE_INFINITY, opening?.at ?? Number.POSITIVE_INFINITY)
  return at === Number.POSITIVE_INFINITY ? [] : [{ jobId: job.id, at }]
}

function* releaseAtOpening(jobId: string, reach: number): Script<ReleaseAt[]> {
  const at = optionalNumber((yield* row(openingText, jobId, reach))?.at)
  return at === null ? [] : [{ jobId, at }]
}

/** In closed hours only what does not ask for them has a turn. */
function* headOfChain(jobId: string, now: number, isClosed: boolean): Script<Row | null> {
  const ready =
    (isClosed ? null : yield* row(chainHeadText, jobId, 'catch_up', now)) ??
    (yield* row(chainHeadText, jobId, 'backfill', now))
  if (ready !== null) return ready
  return isClosed ? yield* row(closedChainTimeText, jobId, now) : yield* row(chainTimeText, jobId)
}

function blockedFrom(execution: Row): BlockedExecution {
  return { id: text(execution.id), readyAt: number(execution.ready_at) }
}
