/** The claim, by hand for this engine: priority by priority, and each row by an update of its own. */

import type { Claiming } from '../sql/hot-scripts.ts'
import { jobNotFound } from '../sql/jobs/create-job.ts'
import { number, optionalNumber, text } from '../sql/runtime/rows.ts'
import { change, row, rows, type Script } from '../sql/runtime/script.ts'
import { type ClaimedJob, claimedFrom, claimedJobFrom, claimedTo } from '../sql/work/claimed.ts'
import type { ClaimedExecution, ClaimRequest } from '../store.ts'

/** The priorities in use, highest first: a loose scan, one index seek each. */
const topPriorityText = `
  SELECT max(priority) AS priority FROM @live_executions
  WHERE queue = ? AND state IN ('pending', 'retrying') AND priority < ?`

/**
 * Ready rows of one priority. With the priority fixed, the index is in order of ready_at, so a backlog that is not ready
 * yet (catch-ups spread over hours) is never read: a million of them cost an idle poll nothing.
 */
const claimableText = `
  SELECT e.seq, e.id, e.job_id, e.cause, e.tick_at, e.scheduled_for, e.ready_at, e.start_by, e.attempt,
    e.max_attempts, e.fence, e.caught_up_index, e.caught_up_of, e.input, e.metadata, e.idempotency_key
  FROM @live_executions e
  WHERE e.queue = ? AND e.state IN ('pending', 'retrying') AND e.priority = ? AND e.ready_at <= ?
    AND (e.start_by IS NULL OR e.start_by >= ? OR e.attempt > 0)
    AND EXISTS (SELECT 1 FROM @node_handlers h WHERE h.handler = e.handler AND h.node_id = ?)
  ORDER BY e.ready_at, e.seq LIMIT ?`

const claimText = `
  UPDATE @live_executions SET state = 'running', fence = fence + 1, leased_by = ?, leased_until = ?,
    attempt = attempt + ?, started_at = ?, start_by = CASE WHEN ? THEN NULL ELSE start_by END, reserve_place = ?,
    progress = NULL, progress_note = NULL
  WHERE seq = ? AND state IN ('pending', 'retrying')`

const nextReadyText = `
  SELECT min(ready_at) AS ready_at FROM @live_executions
  WHERE queue = ? AND state IN ('pending', 'retrying') AND priority = ? AND ready_at > ?`

const upcomingText = `
  SELECT count(*) AS upcoming FROM (
    SELECT 1 FROM @live_executions
    WHERE queue = ? AND state IN ('pending', 'retrying') AND priority = ? AND ready_at > ? AND ready_at <= ? LIMIT ?)`

export function* claimExecutions(request: ClaimRequest): Script<Claiming> {
  const { queue, now, readyBy, nodeId, limit, upcomingBy = readyBy } = request
  const paused = yield* row('SELECT name FROM @queues WHERE name = ? AND paused_at IS NOT NULL', queue)
  if (paused !== null) return { claimed: [], nextReadyAt: null, upcoming: 0, ofCancelledJobs: [] }
  const claimed: ClaimedExecution[] = []
  const jobs = new Map<string, ClaimedJob>()
  let nextReadyAt: number | null = null
  let upcoming = 0
  let priority = optionalNumber((yield* row(topPriorityText, queue, Number.MAX_SAFE_INTEGER))?.priority)
  while (priority !== null) {
    const ready = yield* rows(claimableText, queue, priority, readyBy, now, nodeId, limit - claimed.length)
    for (const execution of ready) {
      const to = claimedTo(request, claimed.length)
      const { started, leasedUntil, place } = to
      const counts = started ? 1 : 0
      const startedAt = started ? Math.max(now, number(execution.ready_at)) : null
      const seq = number(execution.seq)
      yield change(claimText, nodeId, leasedUntil, counts, startedAt, counts, place, seq)
      const jobId = text(execution.job_id)
      claimed.push(claimedFrom(execution, jobs.get(jobId) ?? (yield* readJob(jobId, jobs)), to))
    }
    if (claimed.length >= limit) break
    const next = optionalNumber((yield* row(nextReadyText, queue, priority, readyBy))?.ready_at)
    if (next !== null) nextReadyAt = Math.min(nextReadyAt ?? next, next)
    if (next !== null && next <= upcomingBy) {
      upcoming += number((yield* row(upcomingText, queue, priority, readyBy, upcomingBy, limit))?.upcoming)
    }
    priority = optionalNumber((yield* row(topPriorityText, queue, priority))?.priority)
  }
  // An enqueue reads its job where it is written: there is one writer, and no cancel between the two.
  return { claimed, nextReadyAt, upcoming, ofCancelledJobs: [] }
}

/** Read once per job of a batch: joined, every row would carry its job's whole spec. */
function* readJob(id: string, known: Map<string, ClaimedJob>): Script<ClaimedJob> {
  const read = yield* row('SELECT name, spec, next_due_at FROM @jobs WHERE id = ?', id)
  if (read === null) throw jobNotFound(id)
  const job = claimedJobFrom(read)
  known.set(id, job)
  return job
}
