/**
 * The statements that decide the speed, by hand for this engine. In SQLite one prepared statement per row, inside one
 * transaction, beats any multi-row form: there is no round trip to save.
 */

import type { Completion, Crash, CursorMove } from '../sql/hot-scripts.ts'
import { jobCancelled, jobNotFound } from '../sql/jobs/create-job.ts'
import { enqueueColumns, startByRow } from '../sql/jobs/job-columns.ts'
import { prove } from '../sql/jobs/unproven.ts'
import { number, optionalNumber, text } from '../sql/runtime/rows.ts'
import { type Row, row, rows, run, type Script } from '../sql/runtime/script.ts'
import { moveOne } from '../sql/ticks/apply-plan.ts'
import { type ClaimedJob, claimedFrom, claimedJobFrom, claimedTo } from '../sql/work/claimed.ts'
import { unsettled } from '../sql/work/enqueue.ts'
import { isUnfinished } from '../sql/work/states.ts'
import type {
  Claim,
  ClaimedExecution,
  ClaimRequest,
  ClaimResult,
  Enqueued,
  ExtendRequest,
  ExtendResult,
  NewExecution,
} from '../store.ts'

const enqueueText = `
  INSERT INTO @job_executions (id, job_id, cause, scheduled_for, state, ready_at, start_by, queue, priority, handler,
    max_attempts, input, metadata, unique_key, created_at)
  VALUES (?, ?, 'enqueue', ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const enqueueJobText = `
  SELECT ${enqueueColumns} FROM @jobs WHERE name = ? AND deleted_at IS NULL`

const sameUniqueText = `
  SELECT id FROM @job_executions
  WHERE job_id = ? AND unique_key = ? AND ${isUnfinished}`

export function* enqueueExecutions(drafts: readonly NewExecution[]): Script<Enqueued[]> {
  const jobs = new Map<string, Row>()
  const enqueued: Enqueued[] = []
  for (const draft of drafts) {
    let job = jobs.get(draft.jobName)
    if (job === undefined) {
      job = yield* openJob(draft.jobName)
      jobs.set(draft.jobName, job)
    }
    enqueued.push(yield* enqueueOne(job, draft))
  }
  return enqueued
}

function* openJob(name: string): Script<Row> {
  const job = yield* row(enqueueJobText, name)
  if (job === null) throw jobNotFound(name)
  if (job.state === 'cancelled') throw jobCancelled(name)
  return job
}

function* enqueueOne(job: Row, draft: NewExecution): Script<Enqueued> {
  const jobId = text(job.id)
  const values = [
    draft.id,
    jobId,
    draft.scheduledFor,
    draft.readyAt,
    startByRow(draft.readyAt, job),
    draft.queue ?? text(job.queue),
    draft.priority ?? number(job.priority),
    text(job.handler),
    number(job.max_attempts),
    draft.input === undefined ? null : JSON.stringify(draft.input),
    Object.keys(draft.metadata).length === 0 ? null : JSON.stringify(draft.metadata),
    draft.uniqueKey,
    draft.createdAt,
  ]
  if (draft.uniqueKey === null) {
    yield* run(enqueueText, ...values)
    return { id: draft.id, created: true }
  }
  const inserted = yield* row(`${enqueueText} ON CONFLICT DO NOTHING RETURNING id`, ...values)
  if (inserted !== null) return { id: draft.id, created: true }
  const same = yield* row(sameUniqueText, jobId, draft.uniqueKey)
  if (same === null) throw unsettled()
  return { id: text(same.id), created: false }
}

/** The priorities in use, highest first: a loose scan, one index seek each. */
const topPriorityText = `
  SELECT max(priority) AS priority FROM @job_executions
  WHERE queue = ? AND state IN ('pending', 'retrying') AND priority < ?`

/**
 * Ready rows of one priority. With the priority fixed, the index is in order of ready_at, so a backlog that is not ready
 * yet (catch-ups spread over hours) is never read: a million of them cost an idle poll nothing.
 */
const claimableText = `
  SELECT e.seq, e.id, e.job_id, e.cause, e.tick_at, e.scheduled_for, e.ready_at, e.start_by, e.attempt,
    e.max_attempts, e.fence, e.caught_up_index, e.caught_up_of, e.input, e.metadata, e.idempotency_key
  FROM @job_executions e
  WHERE e.queue = ? AND e.state IN ('pending', 'retrying') AND e.priority = ? AND e.ready_at <= ?
    AND (e.start_by IS NULL OR e.start_by >= ? OR e.attempt > 0)
    AND EXISTS (SELECT 1 FROM @node_handlers h WHERE h.handler = e.handler AND h.node_id = ?)
  ORDER BY e.ready_at, e.seq LIMIT ?`

const claimText = `
  UPDATE @job_executions SET state = 'running', fence = fence + 1, leased_by = ?, leased_until = ?,
    attempt = attempt + ?, started_at = ?, start_by = CASE WHEN ? THEN NULL ELSE start_by END, reserve_place = ?,
    progress = NULL, progress_note = NULL
  WHERE seq = ? AND state IN ('pending', 'retrying')`

const nextReadyText = `
  SELECT min(ready_at) AS ready_at FROM @job_executions
  WHERE queue = ? AND state IN ('pending', 'retrying') AND priority = ? AND ready_at > ?`

const upcomingText = `
  SELECT count(*) AS upcoming FROM (
    SELECT 1 FROM @job_executions
    WHERE queue = ? AND state IN ('pending', 'retrying') AND priority = ? AND ready_at > ? AND ready_at <= ? LIMIT ?)`

export function* claimExecutions(request: ClaimRequest): Script<ClaimResult> {
  const { queue, now, readyBy, nodeId, limit, upcomingBy = readyBy } = request
  const paused = yield* row('SELECT name FROM @queues WHERE name = ? AND paused_at IS NOT NULL', queue)
  if (paused !== null) return { claimed: [], nextReadyAt: null, upcoming: 0 }
  const claimed: ClaimedExecution[] = []
  const jobs = new Map<string, ClaimedJob>()
  let nextReadyAt: number | null = null
  let upcoming = 0
  let priority = optionalNumber((yield* row(topPriorityText, queue, Number.MAX_SAFE_INTEGER))?.priority)
  while (priority !== null) {
    const ready = yield* rows(claimableText, queue, priority, readyBy, now, nodeId, limit - claimed.length)
    for (const found of ready) {
      const to = claimedTo(request, claimed.length)
      const counts = to.started ? 1 : 0
      const startedAt = to.started ? Math.max(now, number(found.ready_at)) : null
      const values = [to.leasedUntil, counts, startedAt, counts, to.place]
      yield* run(claimText, nodeId, ...values, number(found.seq))
      claimed.push(claimedFrom(found, yield* jobOf(text(found.job_id), jobs), to))
    }
    if (claimed.length >= limit) break
    const next = optionalNumber((yield* row(nextReadyText, queue, priority, readyBy))?.ready_at)
    if (next !== null) nextReadyAt = Math.min(nextReadyAt ?? next, next)
    if (next !== null && next <= upcomingBy) {
      upcoming += number((yield* row(upcomingText, queue, priority, readyBy, upcomingBy, limit))?.upcoming)
    }
    priority = optionalNumber((yield* row(topPriorityText, queue, priority))?.priority)
  }
  return { claimed, nextReadyAt, upcoming }
}

/** Read once per job of a batch: joined, every row would carry its job's whole spec. */
function* jobOf(id: string, known: Map<string, ClaimedJob>): Script<ClaimedJob> {
  const before = known.get(id)
  if (before !== undefined) return before
  const found = yield* row('SELECT name, spec, next_due_at FROM @jobs WHERE id = ?', id)
  if (found === null) throw jobNotFound(id)
  const job = claimedJobFrom(found)
  known.set(id, job)
  return job
}

const extendText = `
  UPDATE @job_executions SET leased_until = ? WHERE id = ? AND fence = ? AND state = 'running'
  RETURNING cancel_requested_at`

export function* extendLeases({ claims, leasedUntil }: ExtendRequest): Script<ExtendResult> {
  const lost: string[] = []
  const cancelled: string[] = []
  for (const claim of claims) {
    const extended = yield* row(extendText, leasedUntil, claim.id, claim.fence)
    if (extended === null) lost.push(claim.id)
    else if (extended.cancel_requested_at !== null) cancelled.push(claim.id)
  }
  return { lost, cancelled }
}

const startText = `
  UPDATE @job_executions SET attempt = attempt + 1, started_at = ?, start_by = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND started_at IS NULL AND cancel_requested_at IS NULL
    AND (start_by IS NULL OR start_by >= ?)`

export function* startClaims(claims: readonly Claim[], now: number): Script<ReadonlySet<string>> {
  const started = new Set<string>()
  for (const { id, fence } of claims) if ((yield* run(startText, now, id, fence, now)) === 1) started.add(id)
  return started
}

/** One indexed update and nothing else: reading the row back would cost more than the update itself. */
const completeText = `
  UPDATE @job_executions SET state = 'completed', result = ?, error = NULL, finished_at = ?, leased_until = NULL,
    attempt = attempt + (started_at IS NULL), started_at = COALESCE(started_at, ?)
  WHERE id = ? AND fence = ? AND state = 'running' AND (started_at IS NOT NULL OR ? IS NOT NULL)`

export function* completeAttempts(attempts: readonly Completion[]): Script<ReadonlySet<string>> {
  const completed = new Set<string>()
  for (const { id, fence, result, finishedAt, startedAt } of attempts) {
    const written = yield* run(completeText, result, finishedAt, startedAt, id, fence, startedAt)
    if (written === 1) completed.add(id)
  }
  yield* prove(attempts.filter(({ id }) => completed.has(id)))
  return completed
}

const crashText = `
  UPDATE @job_executions SET state = ?, error = ?, ready_at = ?, finished_at = ?, leased_until = NULL,
    attempt = ?, started_at = ?
  WHERE id = ? AND fence = ? AND state = 'running'`

export function* crashAttempts(attempts: readonly Crash[]): Script<ReadonlySet<string>> {
  const crashed = new Set<string>()
  for (const { id, fence, state, error, readyAt, finishedAt, attempt, startedAt } of attempts) {
    const written = yield* run(crashText, state, error, readyAt, finishedAt, attempt, startedAt, id, fence)
    if (written === 1) crashed.add(id)
  }
  return crashed
}

export function* moveCursors(moves: readonly CursorMove[]): Script<number> {
  let moved = 0
  for (const { job, after } of moves) moved += yield* moveOne(job, after)
  return moved
}

export { findIdleLanes } from '../sql/work/idle-lanes.ts'
