-- Views name their columns, so that all of them go, and come back as they were.
DROP VIEW evertick.processing_jobs;
DROP VIEW evertick.readable_ticks;
DROP VIEW evertick.readable_executions;
DROP VIEW evertick.job_executions;

ALTER TABLE evertick.live_executions
  DROP COLUMN tied,
  DROP COLUMN root_id,
  DROP COLUMN flow_id,
  DROP COLUMN flow_step,
  DROP COLUMN batch_id,
  DROP COLUMN waits_for,
  DROP COLUMN wait_ready_at,
  DROP COLUMN open_parents,
  DROP COLUMN open_until,
  DROP COLUMN limit_keys,
  DROP COLUMN wait_key,
  DROP COLUMN fair_key,
  DROP COLUMN turn;

ALTER TABLE evertick.finished_executions
  DROP COLUMN tied,
  DROP COLUMN root_id,
  DROP COLUMN flow_id,
  DROP COLUMN flow_step,
  DROP COLUMN batch_id;

ALTER TABLE evertick.jobs
  DROP COLUMN limited,
  DROP COLUMN followed;

-- All executions, for those who read.
CREATE VIEW evertick.job_executions AS
SELECT
  seq, id, job_id, cause, tick_at, account, scheduled_for, state, ready_at, start_by, queue, priority, handler, attempt,
  max_attempts, caught_up_index, caught_up_of, input, result, error, cancel_reason, cancel_requested_at, progress,
  progress_note, metadata, unique_key, retry_of, idempotency_key, fence, leased_by, leased_until, reserve_place,
  created_at, started_at, finished_at
FROM evertick.live_executions
UNION ALL
SELECT
  seq, id, job_id, cause, tick_at, account, scheduled_for, state, ready_at, NULL::bigint, queue, priority,
  handler, attempt, max_attempts, caught_up_index, caught_up_of, input, result, error, cancel_reason,
  cancel_requested_at, progress, progress_note, metadata, unique_key, retry_of, idempotency_key, fence, leased_by,
  NULL::bigint, NULL::bigint, created_at, started_at, finished_at
FROM evertick.finished_executions;

CREATE VIEW evertick.readable_executions AS
SELECT
  e.id,
  j.name AS job,
  e.state,
  e.cause,
  to_timestamp(e.scheduled_for / 1000.0) AS scheduled_for,
  to_timestamp(e.started_at / 1000.0) AS started,
  e.finished_at - e.started_at AS duration_ms,
  e.attempt,
  e.leased_by,
  e.error
FROM evertick.job_executions e
JOIN evertick.jobs j ON j.id = e.job_id;

CREATE VIEW evertick.readable_ticks AS
SELECT
  j.name AS job,
  to_timestamp(e.tick_at / 1000.0) AS from_tick,
  to_timestamp(e.tick_at / 1000.0) AS to_tick,
  1 AS ticks,
  e.account,
  NULL AS reason,
  e.id AS execution_id,
  e.state
FROM evertick.job_executions e
JOIN evertick.jobs j ON j.id = e.job_id
WHERE e.tick_at IS NOT NULL
UNION ALL
SELECT
  j.name,
  to_timestamp(r.from_at / 1000.0),
  to_timestamp(r.to_at / 1000.0),
  r.count,
  r.account,
  r.reason,
  r.execution_id,
  r.outcome
FROM evertick.tick_ranges r
JOIN evertick.jobs j ON j.id = r.job_id;

-- The jobs of ProcessingWorker in the words of its document. JSON that PostgreSQL cannot read (NUL, half a character) is
-- shown as it is, or one row would spoil the view.
CREATE VIEW evertick.processing_jobs AS
SELECT
  e.id,
  COALESCE(CASE WHEN e.metadata !~ '\\u(0000|d[89a-f])' THEN e.metadata::json ->> 'job_id' END, e.id::text) AS job_id,
  CASE e.state
    WHEN 'blocked' THEN 'pending'
    WHEN 'running' THEN 'processing'
    WHEN 'retrying' THEN 'retry'
    WHEN 'completed' THEN 'done'
    WHEN 'cancelled' THEN 'failed'
    ELSE e.state
  END AS status,
  CASE WHEN e.state = 'running' THEN e.leased_by END AS locked_by,
  to_timestamp(e.leased_until / 1000.0) AS locked_until,
  e.attempt AS attempts,
  CASE
    WHEN e.error IS NULL THEN 'cancelled: ' || e.cancel_reason
    WHEN e.error ~ '\\u(0000|d[89a-f])' THEN e.error
    ELSE e.error::json ->> 'message'
  END AS last_error,
  to_timestamp(e.created_at / 1000.0) AS created_at,
  to_timestamp(COALESCE(
    e.finished_at,
    CASE WHEN e.state = 'running' THEN e.started_at END,
    (SELECT max(a.finished_at) FROM evertick.attempts a WHERE a.execution_id = e.id),
    e.created_at
  ) / 1000.0) AS updated_at,
  e.queue
FROM evertick.job_executions e
JOIN evertick.jobs j ON j.id = e.job_id
WHERE j.name = 'processing' OR j.name LIKE 'processing:%';
