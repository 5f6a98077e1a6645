/** A job's lane: read before anything is placed in it, and moved on after anything in it has ended. */

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
import { isActive } from './states.ts'

/** Held, too: a claim needs no job's row, and must not take what was just found to be free to step back. */
const activeText = `
  SELECT job_id, id, state, cause, tick_at, ready_at FROM @live_executions /* lane */
  WHERE job_id IN ?* AND ${isActive} AND cause <> 'enqueue' ORDER BY seq FOR UPDATE`

/** By cause, as the index of what is blocked has them: else SQLite reads the whole history of a job, and finds none. */
const anyBlockedText = `
  SELECT id FROM @live_executions WHERE job_id = ? AND state = 'blocked' ORDER BY cause LIMIT 1`

const blockedCountText = `
  SELECT job_id, cause, count(*) AS blocked FROM @live_executions
  WHERE job_id IN ?* AND state = 'blocked' GROUP BY job_id, cause`

/** The few that wait are sorted: in the order of an index they are looked for in the whole history of the job. */
const waitingText = `
  SELECT id, ready_at FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND cause IN ('schedule', 'manual') ORDER BY seq + 0 LIMIT ?`

/** Catch-up before backfill, oldest first; what waits for its retry lets the others pass. */
const chainHeadText = `
  SELECT id, ready_at FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND cause = ? AND ready_at <= ? ORDER BY seq LIMIT 1`

const chainTimeText = `
  SELECT id, ready_at FROM @live_executions
  WHERE job_id = ? AND state = 'blocked' AND cause IN ('catch_up', 'backfill') ORDER BY ready_at LIMIT 1`

export function* loadLane(job: Job): Script<Lane> {
  return laneOf(job, yield* loadLanes([job]))
}

/** The lanes of jobs whose rows are held, by job. */
export type Lanes = ReadonlyMap<string, LaneContents>
type LaneContents = Pick<Lane, 'active' | 'waiting' | 'waitingTicks' | 'chained'>

const emptyLane: LaneContents = { active: [], waiting: 0, waitingTicks: 0, chained: 0 }

/** Two statements, however many jobs. `allow` never counts, so that its ticks cost nothing beside the insert. */
export function* loadLanes(jobs: readonly Job[]): Script<Lanes> {
  const ids = jobs.filter(({ spec }) => spec.overlap !== 'allow').map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const active = Map.groupBy(yield* rows(activeText, ids), ({ job_id }) => text(job_id))
  const blocked = Map.groupBy(yield* rows(blockedCountText, ids), ({ job_id }) => text(job_id))
  const lanes = new Map<string, LaneContents>()
  for (const id of new Set([...active.keys(), ...blocked.keys()])) {
    const blockedBy = (...causes: Cause[]) =>
      (blocked.get(id) ?? [])
        .filter((counted) => causes.includes(causeOf(counted.cause)))
        .reduce((sum, counted) => sum + number(counted.blocked), 0)
    lanes.set(id, {
      active: (active.get(id) ?? []).map(activeFrom),
      waiting: blockedBy('schedule', 'manual'),
      waitingTicks: blockedBy('schedule'),
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
export function* settleLane(job: Pick<Job, 'id' | 'spec' | 'chainYields'>, now: number): Script<ReleaseAt[]> {
  // Nearly always nothing is blocked: one look at a small index replaces four.
  if ((yield* row(anyBlockedText, job.id)) === null) return []
  if (job.spec.overlap === 'allow') {
    yield* run(`UPDATE @live_executions SET state = 'pending' WHERE job_id = ? AND state = 'blocked'`, job.id)
    return []
  }
  const waiting = (yield* rows(waitingText, job.id, job.spec.maxConcurrent)).map(blockedFrom)
  const ready =
    (yield* row(chainHeadText, job.id, 'catch_up', now)) ??
    (yield* row(chainHeadText, job.id, 'backfill', now))
  const head = ready ?? (yield* row(chainTimeText, job.id))
  if (waiting.length === 0 && head === null) return []

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
  return release.releaseAt === null ? [] : [{ jobId: job.id, at: release.releaseAt }]
}

function blockedFrom(execution: Row): BlockedExecution {
  return { id: text(execution.id), readyAt: number(execution.ready_at) }
}
