/**
 * The statements that decide the speed, by hand for this engine. A batch is one statement and one JSON parameter, wherever
 * one will do: every round trip costs as much as the work. There is no UPDATE that returns rows: who must know which rows
 * it has changed counts them, and looks only where some are missing.
 */

import type { Completion, Crash, CursorMove, HotScripts } from '../sql/hot-scripts.ts'
import { prove, unprovenText } from '../sql/jobs/unproven.ts'
import { number, optionalNumber, text } from '../sql/runtime/rows.ts'
import { look, type Param, type Row, rows, run, type Script } from '../sql/runtime/script.ts'
import { claimedFrom, claimedTo } from '../sql/work/claimed.ts'
import { ClaimedJobs } from '../sql/work/claimed-jobs.ts'
import { mostIdle } from '../sql/work/idle-lanes.ts'
import type { Claim, ClaimRequest, ClaimResult, ExtendRequest, ExtendResult } from '../store.ts'
import { chunksOf } from './dialect.ts'
import { enqueueExecutions } from './enqueue.ts'

/** Above every INT. */
const aboveAll = 2 ** 31

/**
 * A loose scan over the priorities in use, one step each: the next one below, when its first row is ready, and when the
 * one before it has something ready that is not yet, and how much of that is near. Each figure is one seek: as constants, min() and max() read one row;
 * in a recursive CTE they would read them all.
 */
const headText = `
  SELECT p.priority,
    (SELECT e.ready_at FROM @job_executions e WHERE e.queue = ? AND e.claim_priority = p.priority
     ORDER BY e.ready_at LIMIT 1) AS ready_at,
    (SELECT min(e.ready_at) FROM @job_executions e
     WHERE e.queue = ? AND e.claim_priority = ? AND e.ready_at > ?) AS next_ready_at,
    (SELECT count(*) FROM (
      SELECT 1 FROM @job_executions e
      WHERE e.queue = ? AND e.claim_priority = ? AND e.ready_at > ? AND e.ready_at <= ? LIMIT ?) u) AS upcoming,
    (SELECT q.paused_at FROM @queues q WHERE q.name = ?) AS paused_at
  FROM (SELECT max(claim_priority) AS priority FROM @job_executions WHERE queue = ? AND claim_priority < ?) p`

/**
 * Ready rows of one priority. With the priority fixed, the index is in order of ready_at, so that a backlog that is not
 * ready yet is never read. What another node is claiming is passed over, not waited for. Counted, since an EXISTS would
 * become a join, whose order is made by sorting the whole backlog (27 ms instead of 1); the jobs in subqueries, since a
 * join would lock them.
 */
const claimableText = `
  SELECT e.seq, e.id, e.job_id, e.cause, e.tick_at, e.scheduled_for, e.ready_at, e.start_by, e.attempt,
    e.max_attempts, e.fence, e.caught_up_index, e.caught_up_of, e.input, e.metadata, e.idempotency_key,
    (SELECT j.state FROM @jobs j WHERE j.id = e.job_id) AS job_state,
    (SELECT j.version FROM @jobs j WHERE j.id = e.job_id) AS job_version,
    (SELECT j.next_due_at FROM @jobs j WHERE j.id = e.job_id) AS next_due_at
  FROM @job_executions e FORCE INDEX (@job_executions_claim)
  WHERE e.queue = ? AND e.claim_priority = ? AND e.ready_at <= ?
    AND (e.start_by IS NULL OR e.start_by >= ? OR e.attempt > 0)
    AND (SELECT count(*) FROM @node_handlers h WHERE h.handler = e.handler AND h.node_id = ?) = 1
  ORDER BY e.ready_at, e.seq LIMIT ? FOR UPDATE SKIP LOCKED`

/**
 * The rows are held already; the first so many start, the others take the places from a number on. By the key, or a small
 * table is scanned, and waits for the rows of others.
 */
const claimText = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (position FOR ORDINALITY, seq BIGINT PATH '$')) c
  STRAIGHT_JOIN @job_executions e FORCE INDEX (PRIMARY) ON e.seq = c.seq
  SET e.state = 'running', e.fence = e.fence + 1, e.leased_by = ?, e.leased_until = ?,
    e.attempt = e.attempt + CASE WHEN c.position <= ? THEN 1 ELSE 0 END,
    e.started_at = CASE WHEN c.position <= ? THEN GREATEST(?, e.ready_at) END,
    e.start_by = CASE WHEN c.position <= ? THEN NULL ELSE e.start_by END,
    e.reserve_place = CASE WHEN c.position > ? THEN ? + c.position - 1 - ? END,
    e.progress = NULL, e.progress_note = NULL`

/** An enqueue that committed after its job was cancelled ends here. */
const endOrphansText = `
  UPDATE @job_executions SET state = 'cancelled', cancel_reason = 'job_cancelled', finished_at = ?
  WHERE seq IN ?*`

function claimExecutions(jobs: ClaimedJobs) {
  return function* (request: ClaimRequest): Script<ClaimResult> {
    const { now, nodeId, limit, start, reserveFrom = null } = request
    const { ready, ...found } = yield* findReady(request)
    const next = ready.length >= limit ? { nextReadyAt: null, upcoming: 0 } : found
    const [orphans, taken] = [ready.filter(isOrphan), ready.filter((found) => !isOrphan(found))]
    const leasedUntil = now + request.leaseMs
    if (orphans.length > 0) yield* run(endOrphansText, now, seqsOf(orphans))
    if (taken.length === 0) return { claimed: [], ...next }
    const places = [start, reserveFrom, start]
    const batch = JSON.stringify(seqsOf(taken))
    yield* run(claimText, batch, nodeId, leasedUntil, start, start, now, start, ...places)
    const specs = yield* jobs.of(taken)
    const claimed = taken.map((row, index) =>
      claimedFrom(row, specs[index] ?? jobs.missing(row), claimedTo(request, index)),
    )
    return { claimed, ...next }
  }
}

function isOrphan(found: Row): boolean {
  return found.job_state === 'cancelled'
}

interface Ready {
  readonly ready: readonly Row[]
  readonly nextReadyAt: number | null
  readonly upcoming: number
}

/** An idle look is one statement, and no transaction: only where something is ready does a row get held. */
function* findReady(request: ClaimRequest): Script<Ready> {
  const { queue, now, readyBy, nodeId, limit } = request
  const ready: Row[] = []
  let nextReadyAt: number | null = null
  let upcoming = 0
  let head = yield* headBelow(aboveAll, request)
  if (head === null || head.paused_at !== null) return { ready, nextReadyAt, upcoming }
  while (head.priority !== null) {
    const priority = number(head.priority)
    if (number(head.ready_at) <= readyBy) {
      const room = limit - ready.length
      ready.push(...(yield* rows(claimableText, queue, priority, readyBy, now, nodeId, room)))
      if (ready.length >= limit) break
    }
    head = yield* headBelow(priority, request)
    if (head === null) break
    const next = optionalNumber(head.next_ready_at)
    if (next !== null) nextReadyAt = Math.min(nextReadyAt ?? next, next)
    upcoming += number(head.upcoming)
  }
  return { ready, nextReadyAt, upcoming }
}

function* headBelow(priority: number, request: ClaimRequest): Script<Row | null> {
  const { queue, readyBy, upcomingBy = readyBy, limit } = request
  const later = [queue, priority, readyBy]
  const found = yield* look(headText, queue, ...later, ...later, upcomingBy, limit, queue, queue, priority)
  return found[0] ?? null
}

/** Claims as (id, fence); sorted, so that two batches which meet take their rows in the same order. */
const claimColumns = `id VARCHAR(64) CHARACTER SET utf8mb4 PATH '$[0]', fence BIGINT PATH '$[1]'`

function* alone(text: string, ...params: Param[]): Script<number> {
  return yield { text, params, wants: 'changes', alone: true }
}

const extendText = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (${claimColumns})) c
  STRAIGHT_JOIN @job_executions e ON e.id = c.id
  SET e.leased_until = ? WHERE e.fence = c.fence AND e.state = 'running'`

/** A fence that a row has left never comes back: what stands under it after the update stood under it before. */
const extendedText = `
  SELECT e.id, e.cancel_requested_at FROM JSON_TABLE(?, '$[*]' COLUMNS (${claimColumns})) c
  STRAIGHT_JOIN @job_executions e ON e.id = c.id
  WHERE e.fence = c.fence AND e.state = 'running'`

function* extendLeases({ claims, leasedUntil }: ExtendRequest): Script<ExtendResult> {
  const batch = claimsOf(claims)
  yield* alone(extendText, batch, leasedUntil)
  const extended = yield* look(extendedText, batch)
  const kept = idsOf(extended)
  return {
    lost: claims.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
    cancelled: extended.filter((row) => row.cancel_requested_at !== null).map(({ id }) => text(id)),
  }
}

const startText = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (${claimColumns})) c
  STRAIGHT_JOIN @job_executions e ON e.id = c.id
  SET e.attempt = e.attempt + 1, e.started_at = ?, e.start_by = NULL
  WHERE e.fence = c.fence AND e.state = 'running' AND e.started_at IS NULL AND e.cancel_requested_at IS NULL
    AND (e.start_by IS NULL OR e.start_by >= ?)`

const startedText = `
  SELECT e.id FROM JSON_TABLE(?, '$[*]' COLUMNS (${claimColumns})) c
  STRAIGHT_JOIN @job_executions e ON e.id = c.id
  WHERE e.fence = c.fence AND e.state = 'running' AND e.started_at = ?`

function* startClaims(claims: readonly Claim[], now: number): Script<ReadonlySet<string>> {
  const batch = claimsOf(claims)
  const started = yield* alone(startText, batch, now, now)
  return yield* whichOf(claims, started, () => look(startedText, batch, now))
}

/** Its values, and by (id, fence) whose they are. */
const completeColumns = `${claimColumns}, result LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', finished_at BIGINT PATH '$[3]',
  started_at BIGINT PATH '$[4]'`

/** The attempt first: what stands further right sees what was set before it. */
const completeText = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (${completeColumns})) c
  STRAIGHT_JOIN @job_executions e ON e.id = c.id
  SET e.state = 'completed', e.result = c.result, e.error = NULL, e.finished_at = c.finished_at, e.leased_until = NULL,
    e.attempt = e.attempt + CASE WHEN e.started_at IS NULL THEN 1 ELSE 0 END,
    e.started_at = COALESCE(e.started_at, c.started_at)
  WHERE e.fence = c.fence AND e.state = 'running' AND (e.started_at IS NOT NULL OR c.started_at IS NOT NULL)`

const completedText = `
  SELECT e.id FROM JSON_TABLE(?, '$[*]' COLUMNS (${completeColumns})) c
  STRAIGHT_JOIN @job_executions e ON e.id = c.id
  WHERE e.fence = c.fence AND e.state = 'completed' AND e.finished_at = c.finished_at AND e.result <=> c.result`

function* completeAttempts(attempts: readonly Completion[]): Script<ReadonlySet<string>> {
  const values = attempts.map(
    ({ id, fence, result, finishedAt, startedAt }) => [id, fence, result, finishedAt, startedAt] as const,
  )
  const jobIds = [...new Set(attempts.map(({ jobId }) => jobId))]
  // Nearly always none: then there is one statement to write, and no transaction around it.
  const unproven = new Set((yield* look(unprovenText, jobIds)).map(({ job_id }) => text(job_id)))
  const write = unproven.size === 0 ? alone : run
  const completed = yield* writeBatch(values, completeText, completedText, write)
  yield* prove(attempts.filter(({ id, jobId }) => completed.has(id) && unproven.has(jobId)))
  return completed
}

type ClaimValues = readonly [id: string, fence: number, ...values: Param[]]

/** The ids of those whose update found them under their fence. */
function* writeBatch(
  values: readonly ClaimValues[],
  writeText: string,
  writtenText: string,
  writeOne: typeof run = alone,
): Script<ReadonlySet<string>> {
  const chunks = chunksOf(values.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const write = chunks.length === 1 ? writeOne : run
  const found = new Set<string>()
  for (const chunk of chunks) {
    const batch = JSON.stringify(chunk)
    const claims = chunk.map(([id, fence]) => ({ id, fence }))
    const ids = yield* whichOf(claims, yield* write(writeText, batch), () => look(writtenText, batch))
    for (const id of ids) found.add(id)
  }
  return found
}

/**
 * An update tells how many it changed, not which: nearly always all. Where it is fewer, those are found by what the update
 * has written; what wrote the very same under the same fence before can only be the same holder, who asks twice.
 */
function* whichOf(
  claims: readonly Claim[],
  changed: number,
  find: () => Script<Row[]>,
): Script<ReadonlySet<string>> {
  if (changed === claims.length) return new Set(claims.map(({ id }) => id))
  return changed === 0 ? new Set() : idsOf(yield* find())
}

/** The error is always the same, and short: no LONGTEXT. */
const crashColumns = `${claimColumns}, state VARCHAR(32) CHARACTER SET utf8mb4 PATH '$[2]',
  error VARCHAR(1000) CHARACTER SET utf8mb4 PATH '$[3]', ready_at BIGINT PATH '$[4]', finished_at BIGINT PATH '$[5]',
  attempt INT PATH '$[6]', started_at BIGINT PATH '$[7]'`

const crashText = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (${crashColumns})) c
  STRAIGHT_JOIN @job_executions e ON e.id = c.id
  SET e.state = c.state, e.error = c.error, e.ready_at = c.ready_at, e.finished_at = c.finished_at,
    e.leased_until = NULL, e.attempt = c.attempt, e.started_at = c.started_at
  WHERE e.fence = c.fence AND e.state = 'running'`

const crashedText = `
  SELECT e.id FROM JSON_TABLE(?, '$[*]' COLUMNS (${crashColumns})) c
  STRAIGHT_JOIN @job_executions e ON e.id = c.id
  WHERE e.fence = c.fence AND e.state = c.state AND e.error <=> c.error AND e.ready_at = c.ready_at
    AND e.finished_at <=> c.finished_at AND e.started_at <=> c.started_at`

function* crashAttempts(attempts: readonly Crash[]): Script<ReadonlySet<string>> {
  const values = attempts.map(
    ({ id, fence, state, error, readyAt, finishedAt, attempt, startedAt }) =>
      [id, fence, state, error, readyAt, finishedAt, attempt, startedAt] as const,
  )
  return yield* writeBatch(values, crashText, crashedText)
}

/** The rows are held already, in the order of their ids; the count is of rows matched. */
const moveText = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id VARCHAR(64) CHARACTER SET utf8mb4 PATH '$[0]', was BIGINT PATH '$[1]',
    version BIGINT PATH '$[2]', accounted_until BIGINT PATH '$[3]', next_due_at BIGINT PATH '$[4]',
    open_tick_at BIGINT PATH '$[5]', runs BIGINT PATH '$[6]', state VARCHAR(32) CHARACTER SET utf8mb4 PATH '$[7]',
    updated_at BIGINT PATH '$[8]')) c
  STRAIGHT_JOIN @jobs j ON j.id = c.id
  SET j.accounted_until = c.accounted_until, j.next_due_at = c.next_due_at, j.open_tick_at = c.open_tick_at,
    j.runs = c.runs, j.state = c.state, j.updated_at = c.updated_at
  WHERE j.accounted_until = c.was AND j.version = c.version`

function* moveCursors(moves: readonly CursorMove[]): Script<number> {
  const values = moves.map(({ job, after }) => [
    job.id,
    job.accountedUntil,
    job.version,
    after.accountedUntil,
    after.nextDueAt,
    after.openTickAt,
    after.runs,
    after.state,
    after.updatedAt,
  ])
  let moved = 0
  for (const chunk of chunksOf(values)) moved += yield* run(moveText, JSON.stringify(chunk))
  return moved
}

/** No index has what is blocked in the order of its jobs, so that all of it is read; but each job is asked about once. */
const idleText = `
  SELECT b.job_id FROM (SELECT DISTINCT job_id FROM @job_executions WHERE state = 'blocked' AND ready_at <= ?) b
  WHERE NOT EXISTS (SELECT 1 FROM @job_executions a
    WHERE a.job_id = b.job_id AND a.state IN ('pending', 'running', 'retrying') AND a.cause <> 'enqueue')
  LIMIT ?`

function* findIdleLanes(now: number): Script<string[]> {
  return (yield* rows(idleText, now, mostIdle)).map(({ job_id }) => text(job_id))
}

function claimsOf(claims: readonly Claim[]): string {
  return JSON.stringify(claims.toSorted(byId).map(({ id, fence }) => [id, fence]))
}

function byId(a: Claim, b: Claim): number {
  return a.id < b.id ? -1 : 1
}

function seqsOf(found: readonly Row[]): number[] {
  return found.map(({ seq }) => number(seq))
}

function idsOf(found: readonly Row[]): ReadonlySet<string> {
  return new Set(found.map(({ id }) => text(id)))
}

export function hotScripts(): HotScripts {
  return {
    enqueueExecutions,
    claimExecutions: claimExecutions(new ClaimedJobs()),
    extendLeases,
    startClaims,
    completeAttempts,
    crashAttempts,
    moveCursors,
    findIdleLanes,
  }
}
