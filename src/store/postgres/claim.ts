/** The claim, by hand for this engine: one statement chooses, takes and returns a batch. */

import type { Claiming } from '../sql/hot-scripts.ts'
import { number, optionalNumber, optionalText } from '../sql/runtime/rows.ts'
import { look, rowsAlone, type Script } from '../sql/runtime/script.ts'
import { claimedFrom, claimedTo } from '../sql/work/claimed.ts'
import type { ClaimedJobs } from '../sql/work/claimed-jobs.ts'
import type { ClaimRequest } from '../store.ts'
import { byKey } from './plans.ts'

/** The priorities in use, highest first: a loose scan, one index seek each. */
const priorities = `
  RECURSIVE priorities AS (
    (SELECT e.priority FROM @live_executions e WHERE e.queue = $1 AND e.state IN ('pending', 'retrying')
     ORDER BY e.priority DESC LIMIT 1)
    UNION ALL
    SELECT (SELECT e.priority FROM @live_executions e
            WHERE e.queue = $1 AND e.state IN ('pending', 'retrying') AND e.priority < p.priority
            ORDER BY e.priority DESC LIMIT 1)
    FROM priorities p WHERE p.priority IS NOT NULL)`

/** What is not ready yet, of one priority. */
const later = `
  FROM @live_executions e
  WHERE e.queue = $1 AND e.state IN ('pending', 'retrying') AND e.priority = p.priority AND e.ready_at > $2`

const nextReady = `min((SELECT min(e.ready_at) ${later}))`
const upcoming = `sum((SELECT count(*) FROM (SELECT 1 ${later} AND e.ready_at <= $3 LIMIT $4) u))`

const chosenRows = `chosen, unnest(chosen.seqs, chosen.states, chosen.versions, chosen.dues)
    WITH ORDINALITY AS c(seq, job_state, job_version, next_due_at, position)`

/**
 * With the priority fixed, the index is in order of ready_at, so a backlog that is not ready yet is never read. What
 * another node is claiming is passed over, not waited for; so is an enqueue that committed after its job was cancelled. By
 * arrays, since the planner assumes that they are short, and they carry what is asked of the jobs: joined with
 * `ready` it plans a scan of the whole table, and joined with @jobs it reads all executions of each job. Rows are numbered
 * once: to look up each position in the array took as long as the rest for 500 rows. The rows also say what comes next: to
 * ask for it afterwards made a single run wait for another round trip.
 */
const claimText = `
  WITH ${priorities}, ready AS (
    SELECT r.seq, r.ready_at, r.job_id, p.priority FROM priorities p CROSS JOIN LATERAL (
      SELECT e.seq, e.ready_at, e.job_id FROM @live_executions e
      WHERE e.queue = $1 AND e.state IN ('pending', 'retrying') AND e.priority = p.priority AND e.ready_at <= $2
        AND (e.start_by IS NULL OR e.start_by >= $5 OR e.attempt > 0)
        AND EXISTS (SELECT 1 FROM @node_handlers h WHERE h.handler = e.handler AND h.node_id = $6)
      ORDER BY e.ready_at, e.seq LIMIT $4 FOR UPDATE SKIP LOCKED) r
    WHERE p.priority IS NOT NULL AND NOT EXISTS (SELECT 1 FROM @queues WHERE name = $1 AND paused_at IS NOT NULL)
    LIMIT $4
  ), chosen AS MATERIALIZED (
    SELECT array_agg(seq) AS seqs, array_agg(state) AS states, array_agg(version) AS versions, array_agg(next_due_at) AS dues
    FROM (
      SELECT r.seq, j.state, j.version, j.next_due_at FROM ready r JOIN @jobs j ON ${byKey('j.id', 'r.job_id')}
      ORDER BY r.priority DESC, r.ready_at, r.seq) ordered
  )
  UPDATE @live_executions e SET
    state = 'running', fence = e.fence + 1, leased_by = $6, leased_until = $7::bigint,
    attempt = e.attempt + CASE WHEN c.position <= $8 THEN 1 ELSE 0 END,
    started_at = CASE WHEN c.position <= $8 THEN greatest($5::bigint, e.ready_at) END,
    start_by = CASE WHEN c.position <= $8 THEN NULL ELSE e.start_by END,
    reserve_place = CASE WHEN c.position > $8 THEN $9::bigint + c.position - $8 - 1 END,
    progress = NULL, progress_note = NULL
  FROM ${chosenRows} WHERE ${byKey('e.seq', 'c.seq')} AND c.job_state <> 'cancelled'
  RETURNING e.id, e.job_id, e.cause, e.tick_at, e.scheduled_for, e.ready_at, e.start_by,
    e.attempt - CASE WHEN c.position <= $8 THEN 1 ELSE 0 END AS attempt, e.max_attempts,
    e.fence - 1 AS fence, e.caught_up_index, e.caught_up_of, e.input, e.metadata, e.idempotency_key,
    c.position, c.job_version, c.next_due_at,
    (SELECT ${nextReady} FROM priorities p) AS next_ready_at, (SELECT ${upcoming} FROM priorities p) AS upcoming`

/** Also what is ready, but passed over: to look for that with every claim would cost more than all that there ever is. */
const laterText = `
  WITH ${priorities}
  SELECT ${nextReady} AS next_ready_at, ${upcoming} AS upcoming,
    (SELECT string_agg(o.id::text, ' ') FROM priorities p CROSS JOIN LATERAL (
      SELECT e.id FROM @live_executions e JOIN @jobs j ON ${byKey('j.id', 'e.job_id')}
      WHERE e.queue = $1 AND e.state IN ('pending', 'retrying') AND e.priority = p.priority AND e.ready_at <= $2
        AND EXISTS (SELECT 1 FROM @node_handlers h WHERE h.handler = e.handler AND h.node_id = $5)
        AND j.state = 'cancelled'
      LIMIT $4) o) AS of_cancelled_jobs
  FROM priorities p
  WHERE NOT EXISTS (SELECT 1 FROM @queues WHERE name = $1 AND paused_at IS NOT NULL)`

export function* claimExecutions(request: ClaimRequest, jobs: ClaimedJobs): Script<Claiming> {
  const { queue, now, readyBy, nodeId, limit, start, reserveFrom = null, upcomingBy = readyBy } = request
  const leasedUntil = now + request.leaseMs
  const which = [queue, readyBy, upcomingBy, limit]
  const chosen = yield* rowsAlone(claimText, ...which, now, nodeId, leasedUntil, start, reserveFrom)
  const taken = chosen.toSorted((a, b) => number(a.position) - number(b.position))
  const specs = yield* jobs.of(taken)
  const claimed = taken.map((row, index) =>
    claimedFrom(row, specs[index] ?? jobs.missing(row), claimedTo(request, number(row.position) - 1)),
  )
  if (chosen.length >= limit) return { claimed, nextReadyAt: null, upcoming: 0, ofCancelledJobs: [] }
  const [next] = chosen.length > 0 ? chosen : yield* look(laterText, ...which, nodeId)
  return {
    claimed,
    nextReadyAt: optionalNumber(next?.next_ready_at),
    upcoming: optionalNumber(next?.upcoming) ?? 0,
    ofCancelledJobs: optionalText(next?.of_cancelled_jobs ?? null)?.split(' ') ?? [],
  }
}
