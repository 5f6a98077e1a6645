/**
 * The statements that decide the speed, by hand for this engine. A batch is one statement, its rows are arrays: the round
 * trip and the planning are paid once, and the text stays constant, so that it can be prepared. States are literals: as a
 * parameter they would hide the partial indexes from the planner.
 */

import type { Completion, Crash, CursorMove, HotScripts } from '../sql/hot-scripts.ts'
import { jobCancelled, jobNotFound } from '../sql/jobs/create-job.ts'
import { startByText } from '../sql/jobs/job-columns.ts'
import { number, optionalNumber, text } from '../sql/runtime/rows.ts'
import { look, type Param, type Row, run, type Script } from '../sql/runtime/script.ts'
import { claimedFrom, claimedTo } from '../sql/work/claimed.ts'
import { ClaimedJobs } from '../sql/work/claimed-jobs.ts'
import { findSame, mostTries, pickUnmade, unsettled, valuesOf } from '../sql/work/enqueue.ts'
import { findIdleLanes } from '../sql/work/idle-lanes.ts'
import type {
  Claim,
  ClaimRequest,
  ClaimResult,
  Enqueued,
  ExtendRequest,
  ExtendResult,
  NewExecution,
} from '../store.ts'
import { type BatchText, batchParams, batchText } from './batch.ts'

/** A statement that is a transaction of its own, unless it stands in one already. */
function* alone(text: string, ...params: Param[]): Script<Row[]> {
  return yield { text, params, wants: 'rows', alone: true }
}

function* within(text: string, ...params: Param[]): Script<Row[]> {
  return yield { text, params, wants: 'rows' }
}

/** All drafts or, where one of their jobs takes none, nothing. */
const draftColumns = {
  id: 'text',
  job_name: 'text',
  scheduled_for: 'number',
  ready_at: 'number',
  queue: 'text',
  priority: 'number',
  input: 'text',
  metadata: 'text',
  unique_key: 'text',
  created_at: 'number',
} as const
const draftNames = Object.keys(draftColumns) as (keyof typeof draftColumns)[]

const draft = batchText(draftColumns)
const enqueueText = `
  WITH draft AS (
    SELECT ${draftNames.map((name) => `${draft.valueOf(name)} AS ${name}`).join(', ')}, c.number, j.id AS job_id,
      j.state AS job_state, j.handler, j.max_attempts, ${startByText(draft.valueOf('ready_at'))} AS start_by,
      j.queue AS job_queue, j.priority AS job_priority
    FROM ${draft.from} LEFT JOIN @jobs j ON j.name = ${draft.valueOf('job_name')} AND j.deleted_at IS NULL
  )
  INSERT INTO @job_executions (id, job_id, cause, scheduled_for, state, ready_at, start_by, queue, priority, handler,
    max_attempts, input, metadata, unique_key, created_at)
  SELECT id, job_id, 'enqueue', scheduled_for, 'pending', ready_at, start_by,
    COALESCE(queue, job_queue), COALESCE(priority, job_priority), handler, max_attempts, input, metadata, unique_key,
    created_at
  FROM draft
  WHERE NOT EXISTS (SELECT 1 FROM draft WHERE job_id IS NULL OR job_state = 'cancelled')
  ORDER BY number`

/** The same for a single one, whose values are in this order: no JSON to read, a shorter plan. */
const enqueueOneText = `
  INSERT INTO @job_executions (id, job_id, cause, scheduled_for, state, ready_at, start_by, queue, priority, handler,
    max_attempts, input, metadata, unique_key, created_at)
  SELECT $2, j.id, 'enqueue', $3::bigint, 'pending', $4::bigint, ${startByText('$4::bigint')}, COALESCE($5, j.queue),
    COALESCE($6::int, j.priority), j.handler, j.max_attempts, $7, $8, $9, $10::bigint
  FROM @jobs j WHERE j.name = $1 AND j.deleted_at IS NULL AND j.state <> 'cancelled'`

/** A unique key that stands makes no row and no error. Only where there is one: to look first costs a fifth of an enqueue. */
const unlessTaken = 'ON CONFLICT DO NOTHING RETURNING id'

const refusedText = `
  SELECT name, state FROM @jobs WHERE name = ANY($1) AND deleted_at IS NULL`

/** What the statement made is counted, and only that is acknowledged: its job may be there a moment after it found none. */
function* enqueueExecutions(drafts: readonly NewExecution[]): Script<Enqueued[]> {
  if (drafts.some(({ uniqueKey }) => uniqueKey !== null)) return yield* enqueueUnique(drafts)
  for (let tries = 0; tries < mostTries; tries += 1) {
    const made: number = yield { ...enqueueOf(drafts), wants: 'changes', alone: true }
    if (made === drafts.length) return drafts.map(({ id }) => ({ id, created: true }))
    yield* refuse(drafts)
  }
  throw unsettled()
}

function* enqueueUnique(drafts: readonly NewExecution[]): Script<Enqueued[]> {
  const made = new Set<string>()
  const same = new Map<string, string>()
  // Of several, some may be made before one of the others turns out to be impossible: then none of them is.
  const alone = drafts.length === 1
  let open = drafts
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { text: enqueue, params } = enqueueOf(open)
    const inserted: Row[] = yield { text: `${enqueue} ${unlessTaken}`, params, wants: 'rows', alone }
    if (inserted.length === 0) yield* refuse(open)
    for (const { id } of inserted) made.add(text(id))
    open = yield* findSame(pickUnmade(open, made), same)
    if (open.length === 0) return drafts.map(({ id }) => ({ id: same.get(id) ?? id, created: made.has(id) }))
  }
  throw unsettled()
}

function enqueueOf(drafts: readonly NewExecution[]): { readonly text: string; readonly params: Param[] } {
  const [only] = drafts.length === 1 ? drafts : []
  if (only !== undefined) return { text: enqueueOneText, params: Object.values(valuesOf(only)) }
  return { text: enqueueText, params: batchParams(draftColumns, drafts.map(draftRow)) }
}

function draftRow(draft: NewExecution): Param[] {
  const values = valuesOf(draft)
  return draftNames.map((name) => values[name])
}

/** Returns only where every job takes work by now. */
function* refuse(drafts: readonly NewExecution[]): Script<void> {
  const names = [...new Set(drafts.map(({ jobName }) => jobName))]
  const states = new Map((yield* look(refusedText, names)).map((job) => [text(job.name), text(job.state)]))
  for (const name of names) {
    if (!states.has(name)) throw jobNotFound(name)
    if (states.get(name) === 'cancelled') throw jobCancelled(name)
  }
}

/** The priorities in use, highest first: a loose scan, one index seek each. */
const priorities = `
  RECURSIVE priorities AS (
    (SELECT e.priority FROM @job_executions e WHERE e.queue = $1 AND e.state IN ('pending', 'retrying')
     ORDER BY e.priority DESC LIMIT 1)
    UNION ALL
    SELECT (SELECT e.priority FROM @job_executions e
            WHERE e.queue = $1 AND e.state IN ('pending', 'retrying') AND e.priority < p.priority
            ORDER BY e.priority DESC LIMIT 1)
    FROM priorities p WHERE p.priority IS NOT NULL)`

/** What is not ready yet, of one priority. */
const later = `
  FROM @job_executions e
  WHERE e.queue = $1 AND e.state IN ('pending', 'retrying') AND e.priority = p.priority AND e.ready_at > $2`

const nextReady = `min((SELECT min(e.ready_at) ${later}))`
const upcoming = `sum((SELECT count(*) FROM (SELECT 1 ${later} AND e.ready_at <= $3 LIMIT $4) u))`

/**
 * With the priority fixed, the index is in order of ready_at, so a backlog that is not ready yet is never read. What
 * another node is claiming is passed over, not waited for. An enqueue that committed after its job was cancelled ends
 * here. By arrays, which the planner takes for short, and which bring along what is asked of the jobs: joined with `ready`
 * itself it believes in a scan of the whole table, and joined with @jobs in reading all executions of each job. Numbered
 * once: to look each row's position up in the array took as long as the rest for 500 rows. What comes next is said with
 * the rows: to ask for it afterwards kept a single run waiting for another round trip.
 */
const claimText = `
  WITH ${priorities}, ready AS (
    SELECT r.seq, r.ready_at, r.job_id, p.priority FROM priorities p CROSS JOIN LATERAL (
      SELECT e.seq, e.ready_at, e.job_id FROM @job_executions e
      WHERE e.queue = $1 AND e.state IN ('pending', 'retrying') AND e.priority = p.priority AND e.ready_at <= $2
        AND (e.start_by IS NULL OR e.start_by >= $5 OR e.attempt > 0)
        AND EXISTS (SELECT 1 FROM @node_handlers h WHERE h.handler = e.handler AND h.node_id = $6)
      ORDER BY e.ready_at, e.seq LIMIT $4 FOR UPDATE SKIP LOCKED) r
    WHERE p.priority IS NOT NULL AND NOT EXISTS (SELECT 1 FROM @queues WHERE name = $1 AND paused_at IS NOT NULL)
    LIMIT $4
  ), chosen AS MATERIALIZED (
    SELECT array_agg(seq) AS seqs, array_agg(state) AS states, array_agg(version) AS versions, array_agg(next_due_at) AS dues
    FROM (
      SELECT r.seq, j.state, j.version, j.next_due_at FROM ready r JOIN @jobs j ON j.id = r.job_id
      ORDER BY r.priority DESC, r.ready_at, r.seq) ordered
  )
  UPDATE @job_executions e SET
    state = CASE WHEN c.job_state = 'cancelled' THEN 'cancelled' ELSE 'running' END,
    cancel_reason = CASE WHEN c.job_state = 'cancelled' THEN 'job_cancelled' ELSE e.cancel_reason END,
    finished_at = CASE WHEN c.job_state = 'cancelled' THEN $5::bigint END,
    fence = e.fence + 1, leased_by = $6,
    leased_until = CASE WHEN c.job_state = 'cancelled' THEN NULL ELSE $7::bigint END,
    attempt = e.attempt + CASE WHEN c.position <= $8 AND c.job_state <> 'cancelled' THEN 1 ELSE 0 END,
    started_at = CASE WHEN c.position <= $8 AND c.job_state <> 'cancelled' THEN greatest($5::bigint, e.ready_at) END,
    start_by = CASE WHEN c.position <= $8 THEN NULL ELSE e.start_by END,
    reserve_place = CASE WHEN c.position > $8 THEN $9::bigint + c.position - $8 - 1 END,
    progress = NULL, progress_note = NULL
  FROM chosen, unnest(chosen.seqs, chosen.states, chosen.versions, chosen.dues)
    WITH ORDINALITY AS c(seq, job_state, job_version, next_due_at, position)
  WHERE e.seq = c.seq
  RETURNING e.id, e.job_id, e.cause, e.tick_at, e.scheduled_for, e.ready_at, e.start_by, e.state,
    e.attempt - CASE WHEN c.position <= $8 THEN 1 ELSE 0 END AS attempt, e.max_attempts,
    e.fence - 1 AS fence, e.caught_up_index, e.caught_up_of, e.input, e.metadata, e.idempotency_key,
    c.position, c.job_version, c.next_due_at,
    (SELECT ${nextReady} FROM priorities p) AS next_ready_at, (SELECT ${upcoming} FROM priorities p) AS upcoming`

const laterText = `
  WITH ${priorities}
  SELECT ${nextReady} AS next_ready_at, ${upcoming} AS upcoming FROM priorities p
  WHERE NOT EXISTS (SELECT 1 FROM @queues WHERE name = $1 AND paused_at IS NOT NULL)`

function claimExecutions(jobs: ClaimedJobs) {
  return function* (request: ClaimRequest): Script<ClaimResult> {
    const { queue, now, readyBy, nodeId, limit, start, reserveFrom = null, upcomingBy = readyBy } = request
    const leasedUntil = now + request.leaseMs
    const which = [queue, readyBy, upcomingBy, limit]
    const found = yield* alone(claimText, ...which, now, nodeId, leasedUntil, start, reserveFrom)
    const taken = found
      .filter(({ state }) => text(state) === 'running')
      .toSorted((a, b) => number(a.position) - number(b.position))
    const specs = yield* jobs.of(taken)
    const claimed = taken.map((row, index) =>
      claimedFrom(row, specs[index] ?? jobs.missing(row), claimedTo(request, number(row.position) - 1)),
    )
    if (found.length >= limit) return { claimed, nextReadyAt: null, upcoming: 0 }
    const [next] = found.length > 0 ? found : yield* alone(laterText, ...which)
    return {
      claimed,
      nextReadyAt: optionalNumber(next?.next_ready_at),
      upcoming: optionalNumber(next?.upcoming) ?? 0,
    }
  }
}

/**
 * Those of a batch that somebody runs: by their ids, since the planner takes arrays for short. So spelled that it does not see
 * the index of leases, from which it would read all that runs, with the dead entries of all that ran since the last vacuum.
 */
const isHeld = (batch: BatchText) =>
  `e.id = c.id AND e.fence = ${batch.valueOf('fence')} AND (e.state = 'running') IS NOT FALSE`

const claimColumns = { id: 'text', fence: 'number' } as const
const claims = batchText(claimColumns)
/** After the parameters of a batch of claims. */
const afterClaims = `$${batchParams(claimColumns, []).length + 1}::bigint`

const extendText = `
  UPDATE @job_executions e SET leased_until = ${afterClaims}
  FROM ${claims.from} WHERE ${isHeld(claims)}
  RETURNING e.id, e.cancel_requested_at`

function* extendLeases({ claims, leasedUntil }: ExtendRequest): Script<ExtendResult> {
  const extended = yield* alone(extendText, ...claimParams(claims), leasedUntil)
  const kept = new Set(extended.map(({ id }) => text(id)))
  return {
    lost: claims.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
    cancelled: extended.filter((row) => row.cancel_requested_at !== null).map(({ id }) => text(id)),
  }
}

const startText = `
  UPDATE @job_executions e SET attempt = e.attempt + 1, started_at = ${afterClaims}, start_by = NULL
  FROM ${claims.from}
  WHERE ${isHeld(claims)} AND e.started_at IS NULL
    AND e.cancel_requested_at IS NULL AND (e.start_by IS NULL OR e.start_by >= ${afterClaims})
  RETURNING e.id`

function* startClaims(claims: readonly Claim[], now: number): Script<ReadonlySet<string>> {
  return idsOf(yield* alone(startText, ...claimParams(claims), now))
}

const completeColumns = {
  id: 'text',
  fence: 'number',
  result: 'text',
  finished_at: 'number',
  started_at: 'number',
} as const

const complete = batchText(completeColumns)
/**
 * A success proves its job, in the same statement: nearly always no row is there to go. By an array, which the planner
 * takes for short: joined with `done` it would rather read all that is unproven.
 */
const completeText = `
  WITH done AS (
  UPDATE @job_executions e
  SET state = 'completed', result = ${complete.valueOf('result')}, error = NULL,
    finished_at = ${complete.valueOf('finished_at')}, leased_until = NULL,
    attempt = e.attempt + CASE WHEN e.started_at IS NULL THEN 1 ELSE 0 END,
    started_at = COALESCE(e.started_at, ${complete.valueOf('started_at')})
  FROM ${complete.from}
  WHERE ${isHeld(complete)} AND COALESCE(e.started_at, ${complete.valueOf('started_at')}) IS NOT NULL
  RETURNING e.id, e.job_id
  ), proven AS (
    DELETE FROM @unproven WHERE job_id = ANY (ARRAY(SELECT DISTINCT job_id FROM done ORDER BY job_id))
  )
  SELECT id FROM done`

function* completeAttempts(attempts: readonly Completion[]): Script<ReadonlySet<string>> {
  const rows = attempts.map(({ id, fence, result, finishedAt, startedAt }) => [
    id,
    fence,
    result,
    finishedAt,
    startedAt,
  ])
  return idsOf(yield* alone(completeText, ...batchParams(completeColumns, rows)))
}

const crashColumns = {
  id: 'text',
  fence: 'number',
  state: 'text',
  error: 'text',
  ready_at: 'number',
  finished_at: 'number',
  attempt: 'number',
  started_at: 'number',
} as const

const crash = batchText(crashColumns)
const crashText = `
  UPDATE @job_executions e SET state = ${crash.valueOf('state')}, error = ${crash.valueOf('error')},
    ready_at = ${crash.valueOf('ready_at')}, finished_at = ${crash.valueOf('finished_at')}, leased_until = NULL,
    attempt = ${crash.valueOf('attempt')}, started_at = ${crash.valueOf('started_at')}
  FROM ${crash.from}
  WHERE ${isHeld(crash)}
  RETURNING e.id`

function* crashAttempts(attempts: readonly Crash[]): Script<ReadonlySet<string>> {
  const rows = attempts.map(({ id, fence, state, error, readyAt, finishedAt, attempt, startedAt }) => [
    id,
    fence,
    state,
    error,
    readyAt,
    finishedAt,
    attempt,
    startedAt,
  ])
  return idsOf(yield* within(crashText, ...batchParams(crashColumns, rows)))
}

const moveColumns = {
  id: 'text',
  was: 'number',
  version: 'number',
  accounted_until: 'number',
  next_due_at: 'number',
  open_tick_at: 'number',
  runs: 'number',
  state: 'text',
  updated_at: 'number',
} as const

const move = batchText(moveColumns)
const moveText = `
  UPDATE @jobs j SET accounted_until = ${move.valueOf('accounted_until')}, next_due_at = ${move.valueOf('next_due_at')},
    open_tick_at = ${move.valueOf('open_tick_at')}, runs = ${move.valueOf('runs')}, state = ${move.valueOf('state')},
    updated_at = ${move.valueOf('updated_at')}
  FROM ${move.from}
  WHERE j.id = c.id AND j.accounted_until = ${move.valueOf('was')} AND j.version = ${move.valueOf('version')}`

function* moveCursors(moves: readonly CursorMove[]): Script<number> {
  const rows = moves.map(({ job, after }) => [
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
  return yield* run(moveText, ...batchParams(moveColumns, rows))
}

function claimParams(claims: readonly Claim[]): Param[] {
  return batchParams(
    claimColumns,
    claims.map(({ id, fence }) => [id, fence]),
  )
}

function idsOf(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.map(({ id }) => text(id)))
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
