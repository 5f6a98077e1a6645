-- Instants are milliseconds since 1970 (UTC), but in scheduler_leader_log, which keeps readable timestamps.
-- JSON is text. Ids are UUIDv7, made by Evertick. One collation for all: text is equal and sorts by its bytes, as on
-- SQLite, trailing spaces count, and no join or parameter has to be converted past its index.
-- DDL commits by itself here: every statement can be run again after a migration that was killed between two of them.
-- Lengths are Evertick's own limits; what it does not limit is LONGTEXT, and in no index.
-- There are no partial indexes, but generated columns that are null where a row should not count. STORED, at about a
-- tenth of the throughput: MariaDB computes indexed VIRTUAL ones anew at purge, which left orphans in the indexes (in 8
-- of 8 runs with four writers, stored in 0 of 7), and has corrupted them and crashed (MDEV-38140, MDEV-39261).

CREATE TABLE IF NOT EXISTS evertick_jobs (
  id VARCHAR(64) NOT NULL,
  name VARCHAR(200) NOT NULL,
  state VARCHAR(32) NOT NULL
    CHECK (state IN ('active', 'paused', 'disabled', 'completed', 'cancelled', 'error')),
  -- Grows with every change that a scheduler's stale view must not survive.
  version BIGINT NOT NULL DEFAULT 1,
  revision INT NOT NULL DEFAULT 1,
  revision_from BIGINT NOT NULL,
  spec LONGTEXT NOT NULL,
  handler VARCHAR(200) NOT NULL,
  queue VARCHAR(200) NOT NULL,
  priority INT NOT NULL,
  overlap VARCHAR(32) NOT NULL,
  max_attempts INT NOT NULL,
  -- Of its schedule, null without one; the zone of a cron.
  schedule_kind VARCHAR(32),
  timezone VARCHAR(100),
  -- Of a fixedDelay schedule, else null.
  delay_ms BIGINT,
  -- Where the job has a start deadline, else null.
  start_deadline_ms BIGINT,
  -- A due tick that is unstarted for longer makes the job late.
  late_ms BIGINT NOT NULL DEFAULT 60000,
  -- The cursor: a tick is accounted exactly if it is below it.
  accounted_until BIGINT NOT NULL,
  ledger_from BIGINT NOT NULL,
  -- The time zone data that computed its last ticks.
  tz_version VARCHAR(64) NOT NULL,
  next_due_at BIGINT,
  open_tick_at BIGINT,
  runs BIGINT NOT NULL DEFAULT 0,
  chain_yields INT NOT NULL DEFAULT 0,
  paused_at BIGINT,
  paused_until BIGINT,
  paused_reason LONGTEXT,
  paused_by LONGTEXT,
  managed_by VARCHAR(255) NOT NULL,
  managed_hash VARCHAR(64),
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  -- A deleted job's name is free.
  name_in_use VARCHAR(200) AS (CASE WHEN deleted_at IS NULL THEN name END) STORED,
  PRIMARY KEY (id),
  UNIQUE KEY evertick_jobs_name (name_in_use),
  KEY evertick_jobs_by_name (name),
  KEY evertick_jobs_due (next_due_at),
  KEY evertick_jobs_updated (updated_at),
  -- A tick leaves the state as it is, and so this, too.
  KEY evertick_jobs_resting (state, deleted_at),
  -- Whose handler no node has is counted at every look at the whole. A tick leaves the handler as it is, too.
  KEY evertick_jobs_handler (handler)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- The tags of the spec, so that jobs are found by them.
CREATE TABLE IF NOT EXISTS evertick_job_tags (
  tag VARCHAR(100) NOT NULL,
  job_id VARCHAR(64) NOT NULL,
  PRIMARY KEY (tag, job_id),
  KEY evertick_job_tags_job (job_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

CREATE TABLE IF NOT EXISTS evertick_job_executions (
  seq BIGINT NOT NULL AUTO_INCREMENT,
  id VARCHAR(64) NOT NULL,
  job_id VARCHAR(64) NOT NULL,
  cause VARCHAR(32) NOT NULL,
  -- Set only where this execution IS the account of that tick.
  tick_at BIGINT,
  account VARCHAR(32),
  scheduled_for BIGINT NOT NULL,
  state VARCHAR(32) NOT NULL,
  ready_at BIGINT NOT NULL,
  start_by BIGINT,
  queue VARCHAR(200) NOT NULL,
  priority INT NOT NULL,
  handler VARCHAR(200) NOT NULL,
  attempt INT NOT NULL DEFAULT 0,
  max_attempts INT NOT NULL,
  caught_up_index INT,
  caught_up_of INT,
  input LONGTEXT,
  result LONGTEXT,
  error LONGTEXT,
  cancel_reason VARCHAR(32),
  cancel_requested_at BIGINT,
  progress DOUBLE,
  progress_note LONGTEXT,
  metadata LONGTEXT,
  unique_key VARCHAR(500),
  retry_of VARCHAR(64),
  idempotency_key VARCHAR(255),
  -- Grows at every claim; every write after a claim names it.
  fence BIGINT NOT NULL DEFAULT 0,
  leased_by VARCHAR(255),
  leased_until BIGINT,
  -- Where it stands in its holder's reserve, else null.
  reserve_place BIGINT,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  finished_at BIGINT,
  -- The priority of what can be claimed, and the key of what has not finished.
  claim_priority INT AS (CASE WHEN state IN ('pending', 'retrying') THEN priority END) STORED,
  unique_open VARCHAR(500)
    AS (CASE WHEN state IN ('blocked', 'pending', 'running', 'retrying') THEN unique_key END) STORED,
  PRIMARY KEY (seq),
  UNIQUE KEY evertick_job_executions_id (id),
  -- The second belt: a tick has one execution. Nulls are distinct.
  UNIQUE KEY evertick_job_executions_tick (job_id, tick_at),
  UNIQUE KEY evertick_job_executions_unique (job_id, unique_open),
  KEY evertick_job_executions_claim (queue, claim_priority, ready_at, seq),
  -- Whatever ends a lease clears leased_until, and a start clears start_by: all others are null and never read here.
  KEY evertick_job_executions_lease (leased_until),
  KEY evertick_job_executions_deadline (start_by),
  KEY evertick_job_executions_lane (job_id, state, cause, seq),
  KEY evertick_job_executions_history (job_id, seq),
  KEY evertick_job_executions_state (state, seq)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Attempts that ended otherwise than by plain completion: the execution's own row tells of that one.
CREATE TABLE IF NOT EXISTS evertick_attempts (
  seq BIGINT NOT NULL AUTO_INCREMENT,
  execution_id VARCHAR(64) NOT NULL,
  attempt INT NOT NULL,
  fence BIGINT NOT NULL,
  node_id VARCHAR(255),
  started_at BIGINT,
  finished_at BIGINT NOT NULL,
  outcome VARCHAR(32) NOT NULL,
  error LONGTEXT,
  PRIMARY KEY (seq),
  KEY evertick_attempts_execution (execution_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

CREATE TABLE IF NOT EXISTS evertick_execution_logs (
  seq BIGINT NOT NULL AUTO_INCREMENT,
  execution_id VARCHAR(64) NOT NULL,
  at BIGINT NOT NULL,
  level VARCHAR(32) NOT NULL,
  message LONGTEXT NOT NULL,
  PRIMARY KEY (seq),
  KEY evertick_execution_logs_execution (execution_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- One row for a run of ticks that became the same and have no execution, or none any more; from_at and to_at are its first
-- and last tick. 'mixed': an hour of ticks that became different things, in order, in `packed`.
CREATE TABLE IF NOT EXISTS evertick_tick_ranges (
  id BIGINT NOT NULL AUTO_INCREMENT,
  job_id VARCHAR(64) NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL,
  count BIGINT NOT NULL,
  account VARCHAR(32) NOT NULL CHECK (account IN ('fired', 'caught_up', 'coalesced', 'skipped', 'mixed')),
  -- Of skipped and coalesced ticks.
  reason VARCHAR(32),
  -- Of ticks that had executions: their final state, and why they were cancelled.
  outcome VARCHAR(32) CHECK (outcome IN ('completed', 'failed', 'cancelled')),
  cancel_reason VARCHAR(32),
  -- Of coalesced ticks: what stands for them.
  execution_id VARCHAR(64),
  into_at BIGINT,
  revision INT NOT NULL,
  tz_version VARCHAR(64) NOT NULL,
  packed LONGTEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY evertick_tick_ranges_job (job_id, from_at),
  KEY evertick_tick_ranges_end (to_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- What the ledger has passed, so that totals + ledger = all ticks.
CREATE TABLE IF NOT EXISTS evertick_ledger_totals (
  job_id VARCHAR(64) NOT NULL,
  account VARCHAR(32) NOT NULL,
  reason VARCHAR(32) NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (job_id, account, reason)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Executions without a tick that are no longer kept, by the UTC day of their end.
CREATE TABLE IF NOT EXISTS evertick_day_totals (
  job_id VARCHAR(64) NOT NULL,
  day_at BIGINT NOT NULL,
  state VARCHAR(32) NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (job_id, day_at, state),
  KEY evertick_day_totals_day (day_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- From when on a job's ticks were computed with other time zone data than its revision names.
CREATE TABLE IF NOT EXISTS evertick_zone_spans (
  job_id VARCHAR(64) NOT NULL,
  from_at BIGINT NOT NULL,
  tz_version VARCHAR(64) NOT NULL,
  PRIMARY KEY (job_id, from_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

CREATE TABLE IF NOT EXISTS evertick_job_revisions (
  job_id VARCHAR(64) NOT NULL,
  revision INT NOT NULL,
  from_at BIGINT NOT NULL,
  spec LONGTEXT NOT NULL,
  changed_by LONGTEXT NOT NULL,
  changed_at BIGINT NOT NULL,
  tz_version VARCHAR(64) NOT NULL,
  PRIMARY KEY (job_id, revision)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

CREATE TABLE IF NOT EXISTS evertick_locks (
  name VARCHAR(200) NOT NULL,
  holder VARCHAR(255) NOT NULL,
  token VARCHAR(255) NOT NULL,
  fence BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  lifeline VARCHAR(255),
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

CREATE TABLE IF NOT EXISTS evertick_nodes (
  id VARCHAR(255) NOT NULL,
  host VARCHAR(255) NOT NULL,
  pid INT NOT NULL,
  roles LONGTEXT NOT NULL,
  queues LONGTEXT NOT NULL,
  version VARCHAR(64) NOT NULL,
  lease_ms BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

CREATE TABLE IF NOT EXISTS evertick_node_handlers (
  handler VARCHAR(200) NOT NULL,
  node_id VARCHAR(255) NOT NULL,
  PRIMARY KEY (handler, node_id),
  -- Or a node that leaves would lock the rows of all the others.
  KEY evertick_node_handlers_node (node_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- A worker's reserve of a queue: what it has claimed ahead stands in it by `reserve_place`, and up to `begun_to` the handlers
-- have begun, of those from `from_place` on. Whoever takes something out of it, or asks it to stop, raises `turn`: a mark under the old one is refused.
CREATE TABLE IF NOT EXISTS evertick_reserves (
  node_id VARCHAR(255) NOT NULL,
  queue VARCHAR(200) NOT NULL,
  turn BIGINT NOT NULL,
  from_place BIGINT NOT NULL,
  begun_to BIGINT NOT NULL,
  begun_at BIGINT NOT NULL,
  PRIMARY KEY (node_id, queue)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Since when nobody names or can run a job; a row goes when somebody does again.
CREATE TABLE IF NOT EXISTS evertick_orphans (
  job_id VARCHAR(64) NOT NULL,
  since_at BIGINT NOT NULL,
  PRIMARY KEY (job_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Jobs whose last final outcome is no success: none yet, or a failure. A success removes the row, so that a job that does
-- well costs its completions a look at a small table, and no write.
CREATE TABLE IF NOT EXISTS evertick_unproven (
  job_id VARCHAR(64) NOT NULL,
  -- Final failures in a row; 0 where nothing has ended yet.
  failures INT NOT NULL,
  -- The last of them.
  failed_at BIGINT,
  execution_id VARCHAR(64),
  PRIMARY KEY (job_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

CREATE TABLE IF NOT EXISTS evertick_queues (
  name VARCHAR(200) NOT NULL,
  paused_at BIGINT,
  paused_by LONGTEXT,
  paused_reason LONGTEXT,
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Its ids are never given twice: a seal names those that it stands for.
CREATE TABLE IF NOT EXISTS evertick_audit_log (
  id BIGINT NOT NULL AUTO_INCREMENT,
  at BIGINT NOT NULL,
  actor LONGTEXT NOT NULL,
  origin LONGTEXT,
  action VARCHAR(64) NOT NULL,
  subject VARCHAR(200) NOT NULL,
  before_value LONGTEXT,
  after_value LONGTEXT,
  PRIMARY KEY (id),
  KEY evertick_audit_log_subject (subject, id),
  KEY evertick_audit_log_actor (actor(200), id),
  KEY evertick_audit_log_at (at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Each seal is the hash of a run of entries and of the seal before it. The first that is left of a log whose begin was
-- pruned stands for what is gone.
CREATE TABLE IF NOT EXISTS evertick_audit_seals (
  id BIGINT NOT NULL,
  from_id BIGINT NOT NULL,
  to_id BIGINT NOT NULL,
  entries INT NOT NULL,
  hash VARCHAR(64) NOT NULL,
  sealed_at BIGINT NOT NULL,
  term_id BIGINT NOT NULL,
  pruned_at BIGINT,
  PRIMARY KEY (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Who may call the API: tokens, the dashboard's sessions, and links to sign in with. No secret is here: a token is signed,
-- and a link is known by the hash of its code.
CREATE TABLE IF NOT EXISTS evertick_access_tokens (
  id VARCHAR(64) NOT NULL,
  kind VARCHAR(32) NOT NULL CHECK (kind IN ('token', 'session', 'link')),
  name VARCHAR(200) NOT NULL,
  role VARCHAR(32) NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  created_at BIGINT NOT NULL,
  created_by LONGTEXT NOT NULL,
  -- The token that it was made with, and that takes it along.
  parent_id VARCHAR(64),
  expires_at BIGINT NOT NULL,
  used_at BIGINT,
  revoked_at BIGINT,
  PRIMARY KEY (id),
  KEY evertick_access_tokens_parent (parent_id),
  KEY evertick_access_tokens_expires (expires_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Answers that a caller may ask for again under the same key.
CREATE TABLE IF NOT EXISTS evertick_idempotency_keys (
  actor VARCHAR(200) NOT NULL,
  request_key VARCHAR(200) NOT NULL,
  request_hash VARCHAR(64) NOT NULL,
  begun_at BIGINT NOT NULL,
  taken_at BIGINT NOT NULL,
  status INT,
  headers LONGTEXT,
  body LONGTEXT,
  PRIMARY KEY (actor, request_key),
  KEY evertick_idempotency_keys_begun (begun_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Always UTC: Evertick writes every timestamp itself, and the two defaults are for hands that do not.
CREATE TABLE IF NOT EXISTS scheduler_leader_log (
  id INT AUTO_INCREMENT PRIMARY KEY,
  leader_instance VARCHAR(255) NOT NULL,
  start_time DATETIME(3) NOT NULL,
  stop_time DATETIME(3) DEFAULT NULL,
  last_heartbeat DATETIME(3) DEFAULT NULL,
  handled_missed_tasks BOOLEAN DEFAULT FALSE,
  created_at DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3),
  updated_at DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  KEY idx_start_time (start_time DESC),
  KEY idx_leader_instance (leader_instance)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- What each term found missed and what it did with it; apart, so that the seed's table keeps its columns.
CREATE TABLE IF NOT EXISTS evertick_term_repairs (
  term_id BIGINT NOT NULL,
  found BIGINT NOT NULL DEFAULT 0,
  caught_up BIGINT NOT NULL DEFAULT 0,
  coalesced BIGINT NOT NULL DEFAULT 0,
  skipped BIGINT NOT NULL DEFAULT 0,
  tz_version VARCHAR(64) NOT NULL,
  PRIMARY KEY (term_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- The same by job, for the story that is told of it: written with the accounts, whatever becomes of those later.
CREATE TABLE IF NOT EXISTS evertick_missed_ticks (
  id BIGINT NOT NULL AUTO_INCREMENT,
  term_id BIGINT NOT NULL,
  job_name VARCHAR(200) NOT NULL,
  account VARCHAR(32) NOT NULL,
  reason VARCHAR(32),
  count BIGINT NOT NULL,
  PRIMARY KEY (id),
  KEY evertick_missed_ticks_term (term_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- What a LeaderLogCoordinator has put, or was about to put, into a queue that is not Evertick's.
CREATE TABLE IF NOT EXISTS evertick_enqueue_marks (
  -- taskId:scheduleTime
  mark VARCHAR(255) NOT NULL,
  -- The fence of the leader who claimed it.
  claimed_by BIGINT NOT NULL,
  -- Null until it is surely in the queue.
  enqueued_at BIGINT,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (mark),
  KEY evertick_enqueue_marks_expiry (expires_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- For people at a SQL prompt, in UTC: from_unixtime() would follow the session's zone, and ends in 2038.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW evertick_readable_jobs AS
SELECT
  name,
  state,
  CAST(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL next_due_at * 1000 MICROSECOND AS DATETIME(3)) AS next_due,
  CAST(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL accounted_until * 1000 MICROSECOND AS DATETIME(3)) AS accounted_until,
  paused_reason,
  managed_by,
  revision,
  id
FROM evertick_jobs
WHERE deleted_at IS NULL;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW evertick_readable_executions AS
SELECT
  e.id,
  j.name AS job,
  e.state,
  e.cause,
  CAST(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL e.scheduled_for * 1000 MICROSECOND AS DATETIME(3)) AS scheduled_for,
  CAST(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL e.started_at * 1000 MICROSECOND AS DATETIME(3)) AS started,
  e.finished_at - e.started_at AS duration_ms,
  e.attempt,
  e.leased_by,
  e.error
FROM evertick_job_executions e
JOIN evertick_jobs j ON j.id = e.job_id;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW evertick_readable_ticks AS
SELECT
  j.name AS job,
  CAST(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL e.tick_at * 1000 MICROSECOND AS DATETIME(3)) AS from_tick,
  CAST(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL e.tick_at * 1000 MICROSECOND AS DATETIME(3)) AS to_tick,
  1 AS ticks,
  e.account,
  NULL AS reason,
  e.id AS execution_id,
  e.state
FROM evertick_job_executions e
JOIN evertick_jobs j ON j.id = e.job_id
WHERE e.tick_at IS NOT NULL
UNION ALL
SELECT
  j.name,
  CAST(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL r.from_at * 1000 MICROSECOND AS DATETIME(3)),
  CAST(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL r.to_at * 1000 MICROSECOND AS DATETIME(3)),
  r.count,
  r.account,
  r.reason,
  r.execution_id,
  r.outcome
FROM evertick_tick_ranges r
JOIN evertick_jobs j ON j.id = r.job_id;

-- The jobs of ProcessingWorker in the words of its document. Its instants are in the zone of the session, as those of
-- TIMESTAMP columns are, so that they can be compared with NOW(). What comes out of JSON has a collation of its own, which
-- MySQL would not mix with ours.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW processing_jobs AS
SELECT
  e.id,
  COALESCE(CONVERT(JSON_UNQUOTE(JSON_EXTRACT(e.metadata, '$.job_id')) USING utf8mb4) COLLATE @nopad_bin, e.id) AS job_id,
  CASE e.state
    WHEN 'blocked' THEN 'pending'
    WHEN 'running' THEN 'processing'
    WHEN 'retrying' THEN 'retry'
    WHEN 'completed' THEN 'done'
    WHEN 'cancelled' THEN 'failed'
    ELSE e.state
  END AS status,
  CASE WHEN e.state = 'running' THEN e.leased_by END AS locked_by,
  CAST(FROM_UNIXTIME(e.leased_until / 1000) AS DATETIME(3)) AS locked_until,
  e.attempt AS attempts,
  CASE
    WHEN e.error IS NULL THEN CONCAT('cancelled: ', e.cancel_reason)
    ELSE COALESCE(CONVERT(JSON_UNQUOTE(JSON_EXTRACT(e.error, '$.message')) USING utf8mb4) COLLATE @nopad_bin, e.error)
  END AS last_error,
  CAST(FROM_UNIXTIME(e.created_at / 1000) AS DATETIME(3)) AS created_at,
  CAST(FROM_UNIXTIME(COALESCE(
    e.finished_at,
    CASE WHEN e.state = 'running' THEN e.started_at END,
    (SELECT max(a.finished_at) FROM evertick_attempts a WHERE a.execution_id = e.id),
    e.created_at
  ) / 1000) AS DATETIME(3)) AS updated_at,
  e.queue
FROM evertick_job_executions e
JOIN evertick_jobs j ON j.id = e.job_id
WHERE j.name = 'processing' OR j.name LIKE 'processing:%';
